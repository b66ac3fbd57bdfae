// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink of the hwsim medium: its radios.
 */
#include <linux/kernel.h>
#include <net/genetlink.h>
#include "hwsim_medium_netlink.h"

const struct nla_policy hwsim_nl_rate_policy[HWSIM_MEDIUM_RATE_ATTR_MAX + 1] = {
	[HWSIM_MEDIUM_RATE_ATTR_PHY] =
		NLA_POLICY_MAX(NLA_U8, HWSIM_MEDIUM_NUM_PHYS - 1),
	[HWSIM_MEDIUM_RATE_ATTR_MCS] = { .type = NLA_U8 },
	[HWSIM_MEDIUM_RATE_ATTR_STREAMS] = { .type = NLA_U8 },
	[HWSIM_MEDIUM_RATE_ATTR_WIDTH] =
		NLA_POLICY_MAX(NLA_U8, HWSIM_MEDIUM_NUM_WIDTHS - 1),
	[HWSIM_MEDIUM_RATE_ATTR_SHORT_GI] = { .type = NLA_FLAG },
	[HWSIM_MEDIUM_RATE_ATTR_SHORT_PREAMBLE] = { .type = NLA_FLAG },
};

static struct hwsim_radio *radio_of(struct genl_info *info)
{
	struct nlattr *index = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_RADIO);
	struct hwsim_radio *radio;

	if (!index)
		return ERR_PTR(-EINVAL);
	radio = hwsim_radio_by_index(nla_get_u32(index));
	if (!radio) {
		NL_SET_ERR_MSG_ATTR(info->extack, index,
				    "the radio does not exist, or uses several channels");
		return ERR_PTR(-ENOENT);
	}
	return radio;
}

/* the rate of a message, checked */
static int rate_of(const struct hwsim_radio *radio, struct nlattr *attr,
		   struct hwsim_phy_rate *rate, struct netlink_ext_ack *extack)
{
	struct nlattr *given[HWSIM_MEDIUM_RATE_ATTR_MAX + 1];
	struct nlattr *streams, *width;
	int result;

	result = nla_parse_nested(given, HWSIM_MEDIUM_RATE_ATTR_MAX, attr,
				  hwsim_nl_rate_policy, extack);
	if (result)
		return result;
	if (!given[HWSIM_MEDIUM_RATE_ATTR_PHY] ||
	    !given[HWSIM_MEDIUM_RATE_ATTR_MCS]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a rate needs PHY and MCS");
		return -EINVAL;
	}
	streams = given[HWSIM_MEDIUM_RATE_ATTR_STREAMS];
	width = given[HWSIM_MEDIUM_RATE_ATTR_WIDTH];
	rate->class = nla_get_u8(given[HWSIM_MEDIUM_RATE_ATTR_PHY]);
	rate->mcs = nla_get_u8(given[HWSIM_MEDIUM_RATE_ATTR_MCS]);
	rate->streams = streams ? nla_get_u8(streams) : 1;
	rate->width = width ? nla_get_u8(width) : HWSIM_PHY_20MHZ;
	if (given[HWSIM_MEDIUM_RATE_ATTR_SHORT_GI])
		rate->guard = HWSIM_PHY_GUARD_400NS;
	rate->short_preamble = given[HWSIM_MEDIUM_RATE_ATTR_SHORT_PREAMBLE];
	if (!hwsim_phy_rate_valid(rate)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "the PHY does not support this rate");
		return -EINVAL;
	}
	if (!radio->air)
		return 0;	/* down: the channel may still change */
	if (rate->class == HWSIM_PHY_DSSS &&
	    radio->channel->band != NL80211_BAND_2GHZ) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the radio's band does not support this rate");
		return -EINVAL;
	}
	if (rate->width > radio->width) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the radio's channel is narrower");
		return -EINVAL;
	}
	return 0;
}

/* the fixed rate of a message, checked against what the radio supports */
static int check_rate(const struct hwsim_radio *radio, struct nlattr **attrs,
		      struct hwsim_phy_rate *rate,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *attr = attrs[HWSIM_MEDIUM_ATTR_RATE];
	bool fixed = radio->mac->has_fixed_rate;
	int result;

	*rate = radio->mac->fixed_rate;
	if (attr) {
		fixed = nla_len(attr);
		memset(rate, 0, sizeof(*rate));
	}
	if (attr && fixed) {
		result = rate_of(radio, attr, rate, extack);
		if (result)
			return result;
	}
	if (fixed && rate->class != HWSIM_PHY_DSSS && radio->dsss_only) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a radio of 802.11b only has DSSS rates");
		return -EINVAL;
	}
	if (fixed && rate->streams > radio->streams) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the radio has fewer spatial streams");
		return -EINVAL;
	}
	return 0;
}

static void set_radio(struct hwsim_radio *radio, struct nlattr **attrs,
		      const struct hwsim_phy_rate *rate)
{
	struct nlattr *attr;

	attr = attrs[HWSIM_MEDIUM_ATTR_RATE];
	if (attr) {
		radio->mac->has_fixed_rate = nla_len(attr);
		radio->mac->fixed_rate = *rate;
	}
	attr = attrs[HWSIM_MEDIUM_ATTR_POWER_MBM];
	if (attr)
		radio->power_mbm = nla_get_s32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_NOISE_MBM];
	if (attr)
		radio->noise_mbm = nla_get_s32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_ED_MBM];
	if (attr)
		radio->ed_mbm = nla_get_s32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_DETECT_OFDM_MB];
	if (attr)
		radio->detect_ofdm_mb = nla_get_s32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_DETECT_DSSS_MB];
	if (attr)
		radio->detect_dsss_mb = nla_get_s32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_MAX_PPDU_US];
	if (attr)
		radio->mac->max_ppdu_ns = nla_get_u32(attr) * NSEC_PER_USEC;
	attr = attrs[HWSIM_MEDIUM_ATTR_RETRIES];
	if (attr)
		radio->mac->retries = nla_get_u32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_APPROX];
	if (attr)
		radio->approx = nla_get_u8(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_RETRY_APPROX];
	if (attr)
		radio->mac->retry_approx = nla_get_u8(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_LATENCY_US];
	if (attr)
		radio->mac->latency_ns = nla_get_u32(attr) * NSEC_PER_USEC;
	attr = attrs[HWSIM_MEDIUM_ATTR_ANSWER_DELAY_US];
	if (attr)
		radio->mac->answer_delay_ns = nla_get_u32(attr) * NSEC_PER_USEC;
	attr = attrs[HWSIM_MEDIUM_ATTR_ANSWER_WAIT_US];
	if (attr)
		radio->mac->answer_wait_ns = nla_get_u32(attr) * NSEC_PER_USEC;
	attr = attrs[HWSIM_MEDIUM_ATTR_DROP_TAIL];
	if (attr)
		WRITE_ONCE(radio->hw->drop_tail, nla_get_u32(attr));
	attr = attrs[HWSIM_MEDIUM_ATTR_OLDEST_FIRST];
	if (attr)
		WRITE_ONCE(radio->hw->oldest_first, nla_get_u8(attr));
	attr = attrs[HWSIM_MEDIUM_ATTR_MORE_DATA];
	if (attr)
		radio->mac->more_data = nla_get_u8(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_NO_RETRY_MARK];
	if (attr)
		radio->mac->no_retry_mark = nla_get_u32(attr);
	attr = attrs[HWSIM_MEDIUM_ATTR_SHORT_SLOTS];
	if (attr) {
		radio->mac->only_short_slots = nla_get_u8(attr);
		hwsim_network_set_timing(radio);
	}
}

/* only of a radio that is down: its beacons depend on it */
static void set_clock(struct hwsim_radio *radio, struct nlattr **attrs)
{
	struct nlattr *ahead = attrs[HWSIM_MEDIUM_ATTR_CLOCK_US];
	struct nlattr *drift = attrs[HWSIM_MEDIUM_ATTR_CLOCK_PPB];

	if (ahead || drift)
		radio->ops->set_clock(radio->hw, ahead ? nla_get_u32(ahead) : 0,
				      drift ? nla_get_s32(drift) : 0);
}

/* its wiphy is locked, so that it stays down */
static int add_radio(struct hwsim_radio *radio, struct hwsim_medium *medium,
		     struct genl_info *info)
{
	struct nlattr *stream = info->attrs[HWSIM_MEDIUM_ATTR_STREAM];
	struct hwsim_phy_rate rate;
	int result;

	result = hwsim_radio_attach(radio, medium,
				    stream ? nla_get_u64(stream) : radio->index,
				    info->extack);
	if (result)
		return result;
	result = check_rate(radio, info->attrs, &rate, info->extack);
	if (result) {
		hwsim_radio_detach(radio);
		return result;
	}
	hwsim_medium_enter(medium);
	set_radio(radio, info->attrs, &rate);
	hwsim_medium_leave(medium);
	set_clock(radio, info->attrs);
	return 0;
}

int hwsim_nl_add_radio(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_medium *medium = hwsim_nl_medium(info);
	struct hwsim_radio *radio;
	int i, result;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	radio = radio_of(info);
	if (IS_ERR(radio))
		return PTR_ERR(radio);
	for (i = 0; i < HWSIM_MEDIUM_NUM_CURVES; i++) {
		if (!medium->curves[i]) {
			NL_SET_ERR_MSG_FMT(info->extack,
					   "error curve %d is missing", i);
			return -EINVAL;
		}
	}
	wiphy_lock(radio->hw->wiphy);
	result = add_radio(radio, medium, info);
	wiphy_unlock(radio->hw->wiphy);
	return result;
}

/* its wiphy is locked */
static int change_radio(struct hwsim_radio *radio, struct genl_info *info)
{
	struct hwsim_phy_rate rate;
	int result;

	if (!radio->medium) {
		NL_SET_ERR_MSG(info->extack, "the radio is not on a medium");
		return -ENOENT;
	}
	/*
	 * Nothing is changed unless all is valid: what may be refused comes
	 * first.
	 */
	hwsim_medium_enter(radio->medium);
	result = check_rate(radio, info->attrs, &rate, info->extack);
	hwsim_medium_leave(radio->medium);
	if (result)
		return result;
	hwsim_medium_enter(radio->medium);
	set_radio(radio, info->attrs, &rate);
	hwsim_medium_leave(radio->medium);
	return 0;
}

int hwsim_nl_set_radio(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_radio *radio = radio_of(info);
	int result;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	wiphy_lock(radio->hw->wiphy);
	result = change_radio(radio, info);
	wiphy_unlock(radio->hw->wiphy);
	return result;
}

/* its wiphy is locked, so that it stays down */
static int remove_radio(struct hwsim_radio *radio, struct genl_info *info)
{
	if (!radio->medium) {
		NL_SET_ERR_MSG(info->extack, "the radio is not on a medium");
		return -ENOENT;
	}
	if (radio->ops->is_up(radio->hw)) {
		NL_SET_ERR_MSG(info->extack, "take the radio's interfaces down first");
		return -EBUSY;
	}
	radio->ops->set_clock(radio->hw, 0, 0);
	hwsim_radio_detach(radio);
	return 0;
}

int hwsim_nl_remove_radio(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_radio *radio = radio_of(info);
	int result;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	wiphy_lock(radio->hw->wiphy);
	result = remove_radio(radio, info);
	wiphy_unlock(radio->hw->wiphy);
	return result;
}

/* set the payload of one of the radio's interfaces; its medium is locked */
static int set_payload(struct hwsim_radio *radio, struct genl_info *info)
{
	struct nlattr *addr = info->attrs[HWSIM_MEDIUM_ATTR_ADDR];
	struct nlattr *own_addr = info->attrs[HWSIM_MEDIUM_ATTR_OWN_ADDR];
	struct nlattr *payload = info->attrs[HWSIM_MEDIUM_ATTR_PAYLOAD];
	const u8 *own = NULL;

	if (own_addr)
		own = nla_data(own_addr);
	else if (radio->num_addresses)
		own = radio->addresses[0].addr;
	if (!own || !hwsim_radio_owns(radio, own)) {
		NL_SET_ERR_MSG(info->extack,
			       "the interface does not exist or is down");
		return -ENOENT;
	}
	return hwsim_peer_set_payload(radio, own, nla_data(addr),
				      nla_data(payload), nla_len(payload),
				      info->extack);
}

int hwsim_nl_set_payload(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *addr = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_ADDR);
	struct nlattr *payload = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_PAYLOAD);
	struct hwsim_radio *radio = radio_of(info);
	int result;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	if (!addr || !payload)
		return -EINVAL;
	if (!net_eq(genl_info_net(info), wiphy_net(radio->hw->wiphy)) &&
	    !hwsim_nl_is_of_host(genl_info_net(info))) {
		NL_SET_ERR_MSG(info->extack,
			       "the radio is in another network namespace");
		return -EPERM;
	}
	if (!radio->medium) {
		NL_SET_ERR_MSG(info->extack, "the radio is not on a medium");
		return -ENOENT;
	}
	hwsim_medium_enter(radio->medium);
	result = set_payload(radio, info);
	hwsim_medium_leave(radio->medium);
	return result;
}
