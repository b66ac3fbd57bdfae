// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control and statistics of the hwsim medium: generic netlink.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/genetlink.h>
#include "hwsim_medium_radio.h"

#define PPDU_LEAST_US	100
#define LATENCY_MAX_US	10000
#define ANSWER_MAX_US		1000
#define DROP_TAIL_MAX		4096	/* mac80211 has memory for more */
#define CLOCK_PPB_MAX		100000
#define COHERENCE_MAX_US (100U * 1000 * 1000)
#define GAIN_MAX_MB	(500 * 100)
#define RETRIES_MAX	255	/* what fits where attempts are counted */

/* netlink and the medium number alike */
static_assert(HWSIM_MEDIUM_PHY_VHT == (int)HWSIM_PHY_VHT);
static_assert(HWSIM_MEDIUM_WIDTH_160_MHZ == (int)HWSIM_PHY_160MHZ);
static_assert(HWSIM_MEDIUM_AC_BK == (int)IEEE80211_AC_BK);
/* after 0 */
static_assert(HWSIM_MEDIUM_AIRTIME_ATTR_MAX == (int)HWSIM_NUM_AIRTIMES);
static_assert(HWSIM_MEDIUM_COUNT_ATTR_MAX == (int)HWSIM_NUM_COUNTS);

static struct genl_family medium_family;

/* all media, under hwsim_media_mutex */
static LIST_HEAD(hwsim_media);

static const struct netlink_range_validation_signed clock_ppb_range = {
	.min = -CLOCK_PPB_MAX,
	.max = CLOCK_PPB_MAX,
};

static const struct nla_policy link_policy[HWSIM_MEDIUM_LINK_ATTR_MAX + 1] = {
	[HWSIM_MEDIUM_LINK_ATTR_FROM] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_TO] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_GAIN_MB] = { .type = NLA_S32 },
	[HWSIM_MEDIUM_LINK_ATTR_FADING] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_COHERENCE_US] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_DELAY_NS] = { .type = NLA_U32 },
};

static const struct nla_policy rate_policy[HWSIM_MEDIUM_RATE_ATTR_MAX + 1] = {
	[HWSIM_MEDIUM_RATE_ATTR_PHY] =
		NLA_POLICY_MAX(NLA_U8, HWSIM_MEDIUM_NUM_PHYS - 1),
	[HWSIM_MEDIUM_RATE_ATTR_MCS] = { .type = NLA_U8 },
	[HWSIM_MEDIUM_RATE_ATTR_STREAMS] = { .type = NLA_U8 },
	[HWSIM_MEDIUM_RATE_ATTR_WIDTH] =
		NLA_POLICY_MAX(NLA_U8, HWSIM_MEDIUM_NUM_WIDTHS - 1),
	[HWSIM_MEDIUM_RATE_ATTR_SHORT_GI] = { .type = NLA_FLAG },
	[HWSIM_MEDIUM_RATE_ATTR_SHORT_PREAMBLE] = { .type = NLA_FLAG },
};

static const struct nla_policy medium_policy[HWSIM_MEDIUM_ATTR_MAX + 1] = {
	[HWSIM_MEDIUM_ATTR_ID] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_SEED] = { .type = NLA_U64 },
	[HWSIM_MEDIUM_ATTR_MODEL] = { .type = NLA_NUL_STRING,
				      .len = HWSIM_MEDIUM_NAME_LEN - 1 },
	[HWSIM_MEDIUM_ATTR_CAPTURE_MB] =
		NLA_POLICY_RANGE(NLA_S32, 0, HWSIM_LEVEL_MAX_MB),
	[HWSIM_MEDIUM_ATTR_CURVE] =
		NLA_POLICY_MAX(NLA_U32, HWSIM_MEDIUM_NUM_CURVES - 1),
	[HWSIM_MEDIUM_ATTR_START_MB] = { .type = NLA_S32 },
	[HWSIM_MEDIUM_ATTR_STEP_MB] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_HAZARDS] = { .type = NLA_BINARY },
	[HWSIM_MEDIUM_ATTR_BURST] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FLIPS] = { .type = NLA_BINARY },
	[HWSIM_MEDIUM_ATTR_FADING] =
		NLA_POLICY_RANGE(NLA_U32, 1, HWSIM_MEDIUM_MAX_FADINGS - 1),
	[HWSIM_MEDIUM_ATTR_QUANTILES] = { .type = NLA_BINARY },
	[HWSIM_MEDIUM_ATTR_RADIO] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_STREAM] = { .type = NLA_U64 },
	[HWSIM_MEDIUM_ATTR_POWER_MBM] =
		NLA_POLICY_RANGE(NLA_S32, -HWSIM_MEDIUM_POWER_MAX_MBM,
				 HWSIM_MEDIUM_POWER_MAX_MBM),
	[HWSIM_MEDIUM_ATTR_NOISE_MBM] =
		NLA_POLICY_RANGE(NLA_S32, HWSIM_MEDIUM_NOISE_MIN_MBM, 0),
	[HWSIM_MEDIUM_ATTR_ED_MBM] =
		NLA_POLICY_RANGE(NLA_S32, HWSIM_MEDIUM_ED_MIN_MBM, 15000),
	[HWSIM_MEDIUM_ATTR_DETECT_OFDM_MB] =
		NLA_POLICY_RANGE(NLA_S32, HWSIM_MEDIUM_DETECT_MIN_MB, 10000),
	[HWSIM_MEDIUM_ATTR_DETECT_DSSS_MB] =
		NLA_POLICY_RANGE(NLA_S32, HWSIM_MEDIUM_DETECT_MIN_MB, 10000),
	[HWSIM_MEDIUM_ATTR_MAX_PPDU_US] =
		NLA_POLICY_RANGE(NLA_U32, PPDU_LEAST_US, 5484),
	[HWSIM_MEDIUM_ATTR_RETRIES] = NLA_POLICY_MAX(NLA_U32, RETRIES_MAX),
	[HWSIM_MEDIUM_ATTR_APPROX] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_RATE] = NLA_POLICY_NESTED(rate_policy),
	[HWSIM_MEDIUM_ATTR_LATENCY_US] =
		NLA_POLICY_MAX(NLA_U32, LATENCY_MAX_US),
	[HWSIM_MEDIUM_ATTR_LINK] = NLA_POLICY_NESTED(link_policy),
	[HWSIM_MEDIUM_ATTR_FAULT_KIND] =
		NLA_POLICY_MAX(NLA_U32, HWSIM_MEDIUM_NUM_FRAMES - 1),
	[HWSIM_MEDIUM_ATTR_FAULT_ACTION] =
		NLA_POLICY_MAX(NLA_U32, HWSIM_MEDIUM_FAULT_DAMAGE),
	[HWSIM_MEDIUM_ATTR_FAULT_SKIP] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FAULT_COUNT] = NLA_POLICY_MIN(NLA_U32, 1),
	[HWSIM_MEDIUM_ATTR_FAULT_FROM] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FAULT_TO] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_ADDR] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[HWSIM_MEDIUM_ATTR_PAYLOAD] = { .type = NLA_BINARY,
					.len = HWSIM_MEDIUM_PAYLOAD_MAX },
	[HWSIM_MEDIUM_ATTR_MORE_DATA] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_NO_RETRY_MARK] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_DSSS_ONLY] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_SHORT_SLOTS] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_ANSWER_DELAY_US] =
		NLA_POLICY_MAX(NLA_U32, ANSWER_MAX_US),
	[HWSIM_MEDIUM_ATTR_ANSWER_WAIT_US] =
		NLA_POLICY_MAX(NLA_U32, ANSWER_MAX_US),
	[HWSIM_MEDIUM_ATTR_DROP_TAIL] =
		NLA_POLICY_MAX(NLA_U32, DROP_TAIL_MAX),
	[HWSIM_MEDIUM_ATTR_STREAMS] =
		NLA_POLICY_RANGE(NLA_U8, 1, HWSIM_PHY_MAX_STREAMS),
	[HWSIM_MEDIUM_ATTR_CLOCK_US] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_CLOCK_PPB] =
		NLA_POLICY_FULL_RANGE_SIGNED(NLA_S32, &clock_ppb_range),
	[HWSIM_MEDIUM_ATTR_FAULT_LISTENER] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FAULT_SHARE] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* what a message must have, or an error that says so */
static struct nlattr *need(struct genl_info *info, int attr)
{
	if (GENL_REQ_ATTR_CHECK(info, attr))
		return NULL;
	return info->attrs[attr];
}

static struct hwsim_medium *medium_by_id(u32 id)
{
	struct hwsim_medium *medium;

	list_for_each_entry(medium, &hwsim_media, list)
		if (medium->id == id)
			return medium;
	return NULL;
}

static struct hwsim_medium *medium_of(struct genl_info *info)
{
	struct nlattr *id = need(info, HWSIM_MEDIUM_ATTR_ID);
	struct hwsim_medium *medium;

	if (!id)
		return ERR_PTR(-EINVAL);
	medium = medium_by_id(nla_get_u32(id));
	if (!medium) {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "there is no such medium");
		return ERR_PTR(-ENOENT);
	}
	return medium;
}

static struct hwsim_radio *radio_of(struct genl_info *info)
{
	struct nlattr *index = need(info, HWSIM_MEDIUM_ATTR_RADIO);
	struct hwsim_radio *radio;

	if (!index)
		return ERR_PTR(-EINVAL);
	radio = hwsim_radio_by_index(nla_get_u32(index));
	if (!radio) {
		NL_SET_ERR_MSG_ATTR(info->extack, index,
				    "there is no such radio that listens to one channel at a time");
		return ERR_PTR(-ENOENT);
	}
	return radio;
}

/* a radio of the medium that a message names; NULL if it names none */
static int named_radio(struct genl_info *info, int attr,
		       const struct hwsim_medium *medium,
		       struct hwsim_radio **radio)
{
	struct nlattr *index = info->attrs[attr];

	*radio = NULL;
	if (!index)
		return 0;
	*radio = hwsim_radio_by_index(nla_get_u32(index));
	if (!*radio || (*radio)->medium != medium) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, index,
					"radio %u is not on this medium",
					nla_get_u32(index));
		return -ENOENT;
	}
	return 0;
}

static int cmd_new(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *id = need(info, HWSIM_MEDIUM_ATTR_ID);
	struct nlattr *seed = need(info, HWSIM_MEDIUM_ATTR_SEED);
	struct hwsim_medium *medium;

	if (!id || !seed)
		return -EINVAL;
	if (medium_by_id(nla_get_u32(id))) {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "there is such a medium already");
		return -EEXIST;
	}
	if (list_count_nodes(&hwsim_media) >= HWSIM_MEDIUM_MAX_MEDIA) {
		NL_SET_ERR_MSG(info->extack, "there are 64 media already");
		return -ENOSPC;
	}
	medium = hwsim_medium_new(nla_get_u32(id), nla_get_u64(seed));
	if (!medium)
		return -ENOMEM;
	if (info->attrs[HWSIM_MEDIUM_ATTR_MODEL])
		nla_strscpy(medium->model, info->attrs[HWSIM_MEDIUM_ATTR_MODEL],
			    sizeof(medium->model));
	if (info->attrs[HWSIM_MEDIUM_ATTR_CAPTURE_MB]) {
		medium->has_capture = true;
		medium->capture_mb =
			nla_get_s32(info->attrs[HWSIM_MEDIUM_ATTR_CAPTURE_MB]);
	}
	list_add_tail(&medium->list, &hwsim_media);
	return 0;
}

static int cmd_del(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_medium *medium = medium_of(info);

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (medium->num_radios) {
		NL_SET_ERR_MSG(info->extack, "the medium still has radios");
		return -EBUSY;
	}
	list_del(&medium->list);
	hwsim_medium_free(medium);
	return 0;
}

/* a curve of the request, its hazards in one attribute or another */
static struct hwsim_curve *curve_of(struct genl_info *info,
				    struct nlattr *hazards)
{
	struct nlattr *start = info->attrs[HWSIM_MEDIUM_ATTR_START_MB];
	struct nlattr *step = info->attrs[HWSIM_MEDIUM_ATTR_STEP_MB];
	struct nlattr *burst = info->attrs[HWSIM_MEDIUM_ATTR_BURST];
	struct hwsim_curve *curve;
	u64 *values;

	if (nla_len(hazards) % sizeof(u64)) {
		NL_SET_ERR_MSG_ATTR(info->extack, hazards,
				    "hazards are numbers of 64 bits");
		return ERR_PTR(-EINVAL);
	}
	/* attributes are aligned to four bytes only */
	values = kvmemdup(nla_data(hazards), nla_len(hazards), GFP_KERNEL_ACCOUNT);
	if (!values)
		return ERR_PTR(-ENOMEM);
	curve = hwsim_curve_new(nla_get_s32(start), nla_get_u32(step),
				burst ? nla_get_u32(burst) : 256, values,
				nla_len(hazards) / sizeof(u64), info->extack);
	kvfree(values);
	return curve;
}

static int cmd_set_curve(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *number = need(info, HWSIM_MEDIUM_ATTR_CURVE);
	struct nlattr *start = need(info, HWSIM_MEDIUM_ATTR_START_MB);
	struct nlattr *step = need(info, HWSIM_MEDIUM_ATTR_STEP_MB);
	struct nlattr *hazards = need(info, HWSIM_MEDIUM_ATTR_HAZARDS);
	struct nlattr *flips = info->attrs[HWSIM_MEDIUM_ATTR_FLIPS];
	struct hwsim_medium *medium = medium_of(info);
	struct hwsim_curve *new, *old;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (!number || !start || !step || !hazards)
		return -EINVAL;
	new = curve_of(info, hazards);
	if (IS_ERR(new))
		return PTR_ERR(new);
	if (flips) {
		struct hwsim_curve *curve = curve_of(info, flips);

		if (IS_ERR(curve)) {
			hwsim_curve_free(new);
			return PTR_ERR(curve);
		}
		new->flips = curve;
	}
	hwsim_medium_enter(medium);
	old = medium->curves[nla_get_u32(number)];
	medium->curves[nla_get_u32(number)] = new;
	hwsim_medium_leave(medium);
	hwsim_curve_free(old);
	return 0;
}

static int cmd_set_fading(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *number = need(info, HWSIM_MEDIUM_ATTR_FADING);
	struct nlattr *quantiles = need(info, HWSIM_MEDIUM_ATTR_QUANTILES);
	struct hwsim_medium *medium = medium_of(info);
	struct hwsim_fading *new, *old;
	u32 points, i;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (!number || !quantiles)
		return -EINVAL;
	points = nla_len(quantiles) / sizeof(s32);
	if (!points || points > HWSIM_MEDIUM_MAX_POINTS ||
	    nla_len(quantiles) % sizeof(s32)) {
		NL_SET_ERR_MSG_ATTR(info->extack, quantiles,
				    "a fading table has 1 to 4096 numbers of 32 bits");
		return -EINVAL;
	}
	new = kvmalloc(struct_size(new, quantiles_mb, points), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	new->points = points;
	memcpy(new->quantiles_mb, nla_data(quantiles), nla_len(quantiles));
	for (i = 0; i < points; i++) {
		if (!hwsim_level_is_valid(new->quantiles_mb[i]) ||
		    (i && new->quantiles_mb[i] < new->quantiles_mb[i - 1])) {
			NL_SET_ERR_MSG_ATTR(info->extack, quantiles,
					    "gains rise, and lie between -200 and 200 dB");
			kvfree(new);
			return -EINVAL;
		}
	}
	hwsim_medium_enter(medium);
	old = medium->fadings[nla_get_u32(number)];
	medium->fadings[nla_get_u32(number)] = new;
	hwsim_medium_leave(medium);
	kvfree(old);
	return 0;
}

/* the rate of a message, checked */
static int rate_of(const struct hwsim_radio *radio, struct nlattr *attr,
		   struct hwsim_phy_rate *rate, struct netlink_ext_ack *extack)
{
	struct nlattr *given[HWSIM_MEDIUM_RATE_ATTR_MAX + 1];
	struct nlattr *streams, *width;
	int result;

	result = nla_parse_nested(given, HWSIM_MEDIUM_RATE_ATTR_MAX, attr,
				  rate_policy, extack);
	if (result)
		return result;
	if (!given[HWSIM_MEDIUM_RATE_ATTR_PHY] ||
	    !given[HWSIM_MEDIUM_RATE_ATTR_MCS]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a rate has PHY and MCS");
		return -EINVAL;
	}
	streams = given[HWSIM_MEDIUM_RATE_ATTR_STREAMS];
	width = given[HWSIM_MEDIUM_RATE_ATTR_WIDTH];
	rate->class = nla_get_u8(given[HWSIM_MEDIUM_RATE_ATTR_PHY]);
	rate->mcs = nla_get_u8(given[HWSIM_MEDIUM_RATE_ATTR_MCS]);
	rate->streams = streams ? nla_get_u8(streams) : 1;
	rate->width = width ? nla_get_u8(width) : HWSIM_PHY_20MHZ;
	rate->short_gi = given[HWSIM_MEDIUM_RATE_ATTR_SHORT_GI];
	rate->short_preamble = given[HWSIM_MEDIUM_RATE_ATTR_SHORT_PREAMBLE];
	if (!hwsim_phy_rate_valid(rate)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "the PHY has no such rate");
		return -EINVAL;
	}
	if (!radio->air)
		return 0;	/* down: the channel may still become another */
	if (rate->class == HWSIM_PHY_DSSS &&
	    radio->channel->band != NL80211_BAND_2GHZ) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the radio's band has no such rate");
		return -EINVAL;
	}
	if (rate->width > radio->width) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the radio's channel is not as wide");
		return -EINVAL;
	}
	return 0;
}

/* the fixed rate that a radio is to have, if it is one that it can have */
static int check_rate(const struct hwsim_radio *radio, struct nlattr **attrs,
		      struct hwsim_phy_rate *rate,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *attr = attrs[HWSIM_MEDIUM_ATTR_RATE];
	struct nlattr *dsss_only = attrs[HWSIM_MEDIUM_ATTR_DSSS_ONLY];
	struct nlattr *streams = attrs[HWSIM_MEDIUM_ATTR_STREAMS];
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
	if (fixed && rate->class != HWSIM_PHY_DSSS &&
	    (dsss_only ? nla_get_u8(dsss_only) : radio->dsss_only)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a radio of 802.11b has DSSS rates only");
		return -EINVAL;
	}
	if (fixed &&
	    rate->streams > (streams ? nla_get_u8(streams) : radio->streams)) {
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

/* a change of a radio that is down, which mac80211 sees, too */
static int set_capabilities(struct hwsim_radio *radio, struct genl_info *info)
{
	struct nlattr *dsss_only = info->attrs[HWSIM_MEDIUM_ATTR_DSSS_ONLY];
	struct nlattr *streams = info->attrs[HWSIM_MEDIUM_ATTR_STREAMS];
	int result = 0;

	if (streams)
		result = hwsim_radio_set_streams(radio, nla_get_u8(streams),
						 info->extack);
	if (!result && dsss_only)
		result = hwsim_radio_set_dsss_only(radio, nla_get_u8(dsss_only),
						   info->extack);
	return result;
}

/* of a radio that is down: its beacons keep time by it */
static void set_clock(struct hwsim_radio *radio, struct nlattr **attrs)
{
	struct nlattr *ahead = attrs[HWSIM_MEDIUM_ATTR_CLOCK_US];
	struct nlattr *drift = attrs[HWSIM_MEDIUM_ATTR_CLOCK_PPB];

	if (ahead || drift)
		radio->ops->set_clock(radio->hw, ahead ? nla_get_u32(ahead) : 0,
				      drift ? nla_get_s32(drift) : 0);
}

static int cmd_add_radio(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *stream = info->attrs[HWSIM_MEDIUM_ATTR_STREAM];
	struct hwsim_medium *medium = medium_of(info);
	struct hwsim_phy_rate rate;
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
	result = hwsim_radio_attach(radio, medium,
				    stream ? nla_get_u64(stream) : radio->index,
				    info->extack);
	if (result)
		return result;
	result = check_rate(radio, info->attrs, &rate, info->extack);
	if (!result)
		result = set_capabilities(radio, info);
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

static int cmd_set_radio(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_radio *radio = radio_of(info);
	struct hwsim_phy_rate rate;
	int result;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	if (!radio->medium) {
		NL_SET_ERR_MSG(info->extack, "the radio is on no medium");
		return -ENOENT;
	}
	/* nothing is changed unless all is right: what may be refused comes first */
	hwsim_medium_enter(radio->medium);
	result = check_rate(radio, info->attrs, &rate, info->extack);
	hwsim_medium_leave(radio->medium);
	if (!result)
		result = set_capabilities(radio, info);
	if (result)
		return result;
	hwsim_medium_enter(radio->medium);
	set_radio(radio, info->attrs, &rate);
	hwsim_medium_leave(radio->medium);
	return 0;
}

static int cmd_remove_radio(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_radio *radio = radio_of(info);

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	if (!radio->medium) {
		NL_SET_ERR_MSG(info->extack, "the radio is on no medium");
		return -ENOENT;
	}
	if (radio->ops->is_up(radio->hw)) {
		NL_SET_ERR_MSG(info->extack, "take the radio's interfaces down first");
		return -EBUSY;
	}
	hwsim_radio_set_dsss_only(radio, false, NULL);
	hwsim_radio_set_streams(radio, HWSIM_PHY_STREAMS, NULL);
	radio->ops->set_clock(radio->hw, 0, 0);
	hwsim_radio_detach(radio);
	return 0;
}

/* a link of a message */
struct wanted_link {
	struct hwsim_radio *from;
	struct hwsim_radio *to;
	struct hwsim_link_setting setting;
	struct hwsim_link *made;	/* if there was none yet that is needed */
};

static int check_link(const struct hwsim_medium *medium,
		      const struct hwsim_link_setting *setting,
		      struct netlink_ext_ack *extack)
{
	if (setting->gain_mb < -GAIN_MAX_MB || setting->gain_mb > GAIN_MAX_MB) {
		NL_SET_ERR_MSG(extack,
			       "a path gain lies between -500 and 500 dB");
		return -EINVAL;
	}
	if (setting->fading >= HWSIM_MEDIUM_MAX_FADINGS ||
	    (setting->fading && !medium->fadings[setting->fading])) {
		NL_SET_ERR_MSG_FMT(extack, "there is no fading table %u",
				   setting->fading);
		return -EINVAL;
	}
	if (setting->coherence_us > COHERENCE_MAX_US) {
		NL_SET_ERR_MSG(extack, "a coherence time is at most 100 s");
		return -EINVAL;
	}
	if (setting->delay_ns > HWSIM_MEDIUM_DELAY_MAX_NS) {
		NL_SET_ERR_MSG(extack, "a propagation delay is at most 30 us");
		return -EINVAL;
	}
	return 0;
}

/* a radio of a link */
static struct hwsim_radio *end_of(const struct hwsim_medium *medium,
				  const struct nlattr *index,
				  struct netlink_ext_ack *extack)
{
	struct hwsim_radio *radio = hwsim_radio_by_index(nla_get_u32(index));

	if (radio && radio->medium == medium)
		return radio;
	NL_SET_ERR_MSG_FMT(extack, "radio %u is not on this medium",
			   nla_get_u32(index));
	return NULL;
}

/* a link of the message, checked */
static int link_of(const struct hwsim_medium *medium, struct nlattr *attr,
		   struct wanted_link *link, struct netlink_ext_ack *extack)
{
	struct hwsim_link_setting *setting = &link->setting;
	struct nlattr *given[HWSIM_MEDIUM_LINK_ATTR_MAX + 1];
	struct nlattr *from, *to, *gain, *other;
	int result;

	result = nla_parse_nested(given, HWSIM_MEDIUM_LINK_ATTR_MAX, attr,
				  link_policy, extack);
	if (result)
		return result;
	from = given[HWSIM_MEDIUM_LINK_ATTR_FROM];
	to = given[HWSIM_MEDIUM_LINK_ATTR_TO];
	gain = given[HWSIM_MEDIUM_LINK_ATTR_GAIN_MB];
	if (!from || !to || !gain) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a link has FROM, TO and GAIN_MB");
		return -EINVAL;
	}
	link->from = end_of(medium, from, extack);
	link->to = link->from ? end_of(medium, to, extack) : NULL;
	if (!link->to)
		return -ENOENT;
	if (link->from == link->to) {
		NL_SET_ERR_MSG_FMT(extack, "radio %u does not hear itself",
				   nla_get_u32(to));
		return -EINVAL;
	}
	setting->gain_mb = nla_get_s32(gain);
	other = given[HWSIM_MEDIUM_LINK_ATTR_FADING];
	setting->fading = other ? nla_get_u32(other) : 0;
	other = given[HWSIM_MEDIUM_LINK_ATTR_COHERENCE_US];
	setting->coherence_us = other ? nla_get_u32(other) : 0;
	other = given[HWSIM_MEDIUM_LINK_ATTR_DELAY_NS];
	setting->delay_ns = other ? nla_get_u32(other) : 0;
	return check_link(medium, setting, extack);
}

/* make what is needed of a link, and the room for it, while one may sleep */
static int make_link(struct wanted_link *link)
{
	if (hwsim_link_of(link->from, link->to) ||
	    !hwsim_link_is_heard(&link->setting))
		return 0;
	link->made = hwsim_link_new(link->from, link->to);
	if (!link->made)
		return -ENOMEM;
	return xa_reserve_bh(&link->to->links, link->from->slot, GFP_KERNEL);
}

/*
 * The medium is locked. A link that has become too weak stays: it may come back,
 * and then its random streams go on.
 *
 * Return: whether it has no longer the longest delay of all
 */
static bool set_link(struct wanted_link *wanted)
{
	struct hwsim_medium *medium = wanted->from->medium;
	u32 delay_ns = wanted->setting.delay_ns;
	struct hwsim_link *link;
	bool shrank;

	link = hwsim_link_of(wanted->from, wanted->to);
	if (!link) {
		if (!wanted->made)
			return false;
		link = wanted->made;
		wanted->made = NULL;
		/* there is room: this allocates nothing */
		xa_store(&wanted->to->links, wanted->from->slot, link,
			 GFP_ATOMIC);
	}
	shrank = link->setting.delay_ns == medium->longest_ns &&
		 delay_ns < medium->longest_ns;
	link->setting = wanted->setting;
	if (delay_ns > medium->longest_ns)
		hwsim_air_delay_grew(medium, delay_ns);
	return shrank;
}

/* all of them at one instant, or none */
static int set_links(struct hwsim_medium *medium, struct wanted_link *links,
		     u32 count)
{
	bool shrank = false;
	int result = 0;
	u32 i;

	for (i = 0; i < count && !result; i++)
		result = make_link(&links[i]);
	if (!result) {
		hwsim_medium_enter(medium);
		for (i = 0; i < count; i++)
			shrank |= set_link(&links[i]);
		if (shrank)
			hwsim_air_delay_shrank(medium);
		hwsim_medium_leave(medium);
	}
	for (i = 0; i < count; i++) {
		if (!links[i].made)
			continue;
		if (result)
			xa_erase_bh(&links[i].to->links, links[i].from->slot);
		hwsim_link_free(links[i].made);
	}
	return result;
}

static int cmd_set_links(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_medium *medium = medium_of(info);
	struct wanted_link *links;
	int remaining, result = 0;
	struct nlattr *attr;
	u32 count = 0;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (!need(info, HWSIM_MEDIUM_ATTR_LINK))
		return -EINVAL;
	nlmsg_for_each_attr_type(attr, HWSIM_MEDIUM_ATTR_LINK, info->nlhdr,
				 GENL_HDRLEN, remaining)
		count++;
	links = kvcalloc(count, sizeof(*links), GFP_KERNEL_ACCOUNT);
	if (!links)
		return -ENOMEM;
	count = 0;
	nlmsg_for_each_attr_type(attr, HWSIM_MEDIUM_ATTR_LINK, info->nlhdr,
				 GENL_HDRLEN, remaining) {
		result = link_of(medium, attr, &links[count++], info->extack);
		if (result)
			break;
	}
	result = result ?: set_links(medium, links, count);
	kvfree(links);
	return result;
}

/*
 * Root of a container may have all capabilities in the initial user namespace,
 * and yet is not to rule what the others hear. It has a network namespace of
 * its own; who sets media up is in the initial one.
 */
static bool is_of_host(const struct net *net)
{
	return net_eq(net, &init_net);
}

static int cmd_set_payload(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *addr = need(info, HWSIM_MEDIUM_ATTR_ADDR);
	struct nlattr *payload = need(info, HWSIM_MEDIUM_ATTR_PAYLOAD);
	struct hwsim_radio *radio = radio_of(info);
	int result;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	if (!addr || !payload)
		return -EINVAL;
	if (!net_eq(genl_info_net(info), wiphy_net(radio->hw->wiphy)) &&
	    !is_of_host(genl_info_net(info))) {
		NL_SET_ERR_MSG(info->extack,
			       "the radio is in another network namespace");
		return -EPERM;
	}
	if (!radio->medium) {
		NL_SET_ERR_MSG(info->extack, "the radio is on no medium");
		return -ENOENT;
	}
	hwsim_medium_enter(radio->medium);
	result = hwsim_peer_set_payload(radio, nla_data(addr),
					nla_data(payload), nla_len(payload),
					info->extack);
	hwsim_medium_leave(radio->medium);
	return result;
}

static int cmd_add_fault(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *kind = need(info, HWSIM_MEDIUM_ATTR_FAULT_KIND);
	struct nlattr *action = need(info, HWSIM_MEDIUM_ATTR_FAULT_ACTION);
	struct nlattr *count = need(info, HWSIM_MEDIUM_ATTR_FAULT_COUNT);
	struct nlattr *skip = info->attrs[HWSIM_MEDIUM_ATTR_FAULT_SKIP];
	struct nlattr *share = info->attrs[HWSIM_MEDIUM_ATTR_FAULT_SHARE];
	struct hwsim_radio *from, *to, *listener;
	struct hwsim_medium *medium = medium_of(info);
	struct hwsim_fault *fault;
	int result;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (!kind || !action || !count)
		return -EINVAL;
	result = named_radio(info, HWSIM_MEDIUM_ATTR_FAULT_FROM, medium, &from);
	result = result ?: named_radio(info, HWSIM_MEDIUM_ATTR_FAULT_TO, medium,
				       &to);
	result = result ?: named_radio(info, HWSIM_MEDIUM_ATTR_FAULT_LISTENER,
				       medium, &listener);
	if (result)
		return result;
	fault = kzalloc(sizeof(*fault), GFP_KERNEL_ACCOUNT);
	if (!fault)
		return -ENOMEM;
	fault->kind = nla_get_u32(kind);
	fault->action = nla_get_u32(action);
	fault->count = nla_get_u32(count);
	fault->skip = skip ? nla_get_u32(skip) : 0;
	fault->share = share ? nla_get_u32(share) : 0;
	fault->from = from;
	fault->to = to;
	fault->listener = listener;
	hwsim_medium_enter(medium);
	if (list_count_nodes(&medium->faults) < HWSIM_MEDIUM_MAX_FAULTS) {
		hwsim_stream_init(&fault->stream, medium->seed,
				  HWSIM_STREAM_FAULTS, medium->num_faults++, 0);
		list_add_tail(&fault->list, &medium->faults);
	} else {
		NL_SET_ERR_MSG(info->extack,
			       "1024 faults of the medium have not ended yet");
		result = -ENOSPC;
	}
	hwsim_medium_leave(medium);
	if (result)
		kfree(fault);
	return result;
}

static int (*const commands[])(struct sk_buff *msg, struct genl_info *info) = {
	[HWSIM_MEDIUM_CMD_NEW] = cmd_new,
	[HWSIM_MEDIUM_CMD_DEL] = cmd_del,
	[HWSIM_MEDIUM_CMD_SET_CURVE] = cmd_set_curve,
	[HWSIM_MEDIUM_CMD_SET_FADING] = cmd_set_fading,
	[HWSIM_MEDIUM_CMD_ADD_RADIO] = cmd_add_radio,
	[HWSIM_MEDIUM_CMD_SET_RADIO] = cmd_set_radio,
	[HWSIM_MEDIUM_CMD_REMOVE_RADIO] = cmd_remove_radio,
	[HWSIM_MEDIUM_CMD_SET_LINKS] = cmd_set_links,
	[HWSIM_MEDIUM_CMD_ADD_FAULT] = cmd_add_fault,
	[HWSIM_MEDIUM_CMD_SET_PAYLOAD] = cmd_set_payload,
};

static int medium_doit(struct sk_buff *msg, struct genl_info *info)
{
	int result;

	if (info->genlhdr->cmd != HWSIM_MEDIUM_CMD_SET_PAYLOAD &&
	    !is_of_host(genl_info_net(info))) {
		NL_SET_ERR_MSG(info->extack,
			       "a medium is set up from the initial network namespace");
		return -EPERM;
	}
	mutex_lock(&hwsim_media_mutex);
	result = commands[info->genlhdr->cmd](msg, info);
	mutex_unlock(&hwsim_media_mutex);
	return result;
}

/* what a message of a dump holds; -EMSGSIZE if there is no room for it */
typedef int (*fill_t)(struct sk_buff *msg, const void *what);

/* one message of a dump, or none of it */
static int dump_put(struct sk_buff *msg, struct netlink_callback *cb, u8 cmd,
		    fill_t fill, const void *what)
{
	void *header = genlmsg_put(msg, NETLINK_CB(cb->skb).portid,
				   cb->nlh->nlmsg_seq, &medium_family,
				   NLM_F_MULTI, cmd);

	if (!header)
		return -EMSGSIZE;
	if (fill(msg, what)) {
		genlmsg_cancel(msg, header);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, header);
	return 0;
}

/* numbers in a nest, whose types begin with 1 */
static int put_numbers(struct sk_buff *msg, int type, const u64 *numbers,
		       u32 count)
{
	struct nlattr *nest = nla_nest_start(msg, type);
	u32 i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < count; i++)
		if (nla_put_uint(msg, i + 1, numbers[i]))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

/* how one access category of a radio got to send */
struct access {
	const struct hwsim_radio *radio;
	u8 ac;
};

static void add_access(u64 *numbers, const struct hwsim_ac *ac)
{
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_ATTEMPTS - 1] += ac->attempts;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_SUCCESSES - 1] += ac->successes;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_INSIDE - 1] += ac->inside;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_AIR_NS - 1] += ac->airtime_ns;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_ACQUIRE_NS - 1] += ac->acquired_ns;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_ANSWER_NS - 1] += ac->answered_ns;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_RTS_UNANSWERED - 1] += ac->rts_unanswered;
	numbers[HWSIM_MEDIUM_ACCESS_ATTR_BAR_UNANSWERED - 1] += ac->bars_unanswered;
}

static int fill_access(struct sk_buff *msg, const void *what)
{
	const struct access *access = what;
	const struct hwsim_ac *acs = access->radio->mac->acs;
	u64 numbers[HWSIM_MEDIUM_ACCESS_ATTR_MAX] = {};

	add_access(numbers, &acs[access->ac]);
	if (access->ac == IEEE80211_AC_VO)	/* so do other beacons count */
		add_access(numbers, &acs[HWSIM_AC_IBSS]);
	return nla_put_u32(msg, HWSIM_MEDIUM_ATTR_RADIO, access->radio->index) ||
	       nla_put_u8(msg, HWSIM_MEDIUM_ATTR_AC, access->ac) ||
	       put_numbers(msg, HWSIM_MEDIUM_ATTR_ACCESS, numbers,
			   ARRAY_SIZE(numbers));
}

/* what one access category of a link carried */
struct carried {
	u32 from;
	u32 to;
	u8 ac;
	const u64 *counts;
};

static int fill_carried(struct sk_buff *msg, const void *what)
{
	const struct carried *carried = what;

	return nla_put_u32(msg, HWSIM_MEDIUM_ATTR_FROM, carried->from) ||
	       nla_put_u32(msg, HWSIM_MEDIUM_ATTR_TO, carried->to) ||
	       nla_put_u8(msg, HWSIM_MEDIUM_ATTR_AC, carried->ac) ||
	       put_numbers(msg, HWSIM_MEDIUM_ATTR_COUNTS, carried->counts,
			   HWSIM_NUM_COUNTS);
}

static int fill_air(struct sk_buff *msg, const void *what)
{
	const struct hwsim_air *air = what;

	return nla_put_u32(msg, HWSIM_MEDIUM_ATTR_FREQ_MHZ, air->freq_mhz) ||
	       nla_put_u64_64bit(msg, HWSIM_MEDIUM_ATTR_TIME_NS, air->since_ns,
				 HWSIM_MEDIUM_ATTR_PAD) ||
	       put_numbers(msg, HWSIM_MEDIUM_ATTR_AIRTIMES, air->airtimes_ns,
			   HWSIM_NUM_AIRTIMES);
}

static int fill_peer(struct sk_buff *msg, const void *what)
{
	const struct hwsim_peer *peer = what;

	return nla_put_u32(msg, HWSIM_MEDIUM_ATTR_RADIO, peer->radio) ||
	       nla_put(msg, HWSIM_MEDIUM_ATTR_ADDR, ETH_ALEN, peer->addr) ||
	       nla_put(msg, HWSIM_MEDIUM_ATTR_PAYLOAD, peer->in.bytes,
		       peer->in.data) ||
	       nla_put_u64_64bit(msg, HWSIM_MEDIUM_ATTR_ARRIVALS, peer->arrivals,
				 HWSIM_MEDIUM_ATTR_PAD) ||
	       nla_put_u8(msg, HWSIM_MEDIUM_ATTR_MORE_DATA, peer->more_data);
}

static int dump_radios(struct sk_buff *msg, struct netlink_callback *cb,
		       struct hwsim_medium *medium)
{
	const long all = HWSIM_MEDIUM_MAX_RADIOS * IEEE80211_NUM_ACS;

	for (; cb->args[0] < all; cb->args[0]++) {
		struct access access = {
			.radio = medium->radios[cb->args[0] / IEEE80211_NUM_ACS],
			.ac = cb->args[0] % IEEE80211_NUM_ACS,
		};

		if (access.radio &&
		    dump_put(msg, cb, HWSIM_MEDIUM_CMD_GET_RADIO, fill_access,
			     &access))
			break;
	}
	return msg->len;
}

/* what was sent to one receiver; false if there is no room for more */
static bool dump_links_to(struct sk_buff *msg, struct netlink_callback *cb,
			  struct hwsim_radio *to)
{
	struct hwsim_counts *counts;
	unsigned long from;

	xa_for_each_start(&to->counts, from, counts, cb->args[1]) {
		if (from != cb->args[1]) {	/* the first of a sender */
			cb->args[1] = from;
			cb->args[2] = 0;
		}
		for (; cb->args[2] < IEEE80211_NUM_ACS; cb->args[2]++) {
			struct carried carried = {
				.from = to->medium->radios[from]->index,
				.to = to->index,
				.ac = cb->args[2],
				.counts = counts->of[cb->args[2]],
			};

			if (memchr_inv(carried.counts, 0,
				       sizeof(counts->of[carried.ac])) &&
			    dump_put(msg, cb, HWSIM_MEDIUM_CMD_GET_LINK,
				     fill_carried, &carried))
				return false;
		}
	}
	cb->args[1] = 0;
	cb->args[2] = 0;
	return true;
}

static int dump_links(struct sk_buff *msg, struct netlink_callback *cb,
		      struct hwsim_medium *medium)
{
	for (; cb->args[0] < HWSIM_MEDIUM_MAX_RADIOS; cb->args[0]++)
		if (medium->radios[cb->args[0]] &&
		    !dump_links_to(msg, cb, medium->radios[cb->args[0]]))
			break;
	return msg->len;
}

static int dump_airs(struct sk_buff *msg, struct netlink_callback *cb,
		     struct hwsim_medium *medium, u64 now)
{
	struct hwsim_air *air;
	long number = 0;

	list_for_each_entry(air, &medium->airs, list) {
		if (number++ < cb->args[0])
			continue;
		hwsim_air_account(air, now);
		if (dump_put(msg, cb, HWSIM_MEDIUM_CMD_GET_AIR, fill_air, air))
			break;
		cb->args[0]++;
	}
	return msg->len;
}

static int dump_peers(struct sk_buff *msg, struct netlink_callback *cb,
		      struct hwsim_medium *medium)
{
	struct hwsim_peer *peer;
	long number = 0;
	int i, bucket;

	for (i = 0; i < HWSIM_MEDIUM_MAX_RADIOS; i++) {
		if (!medium->radios[i])
			continue;
		hash_for_each(medium->radios[i]->mac->peers, bucket, peer, node) {
			if (!peer->has_said || number++ < cb->args[0])
				continue;
			if (dump_put(msg, cb, HWSIM_MEDIUM_CMD_GET_PEER,
				     fill_peer, peer))
				return msg->len;
			cb->args[0]++;
		}
	}
	return msg->len;
}

static int medium_dumpit(struct sk_buff *msg, struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct nlattr *id = info->attrs[HWSIM_MEDIUM_ATTR_ID];
	struct hwsim_medium *medium;
	int result = -ENOENT;
	u64 now;

	mutex_lock(&hwsim_media_mutex);
	medium = id ? medium_by_id(nla_get_u32(id)) : NULL;
	if (!medium) {
		NL_SET_ERR_MSG(cb->extack, "there is no such medium");
		goto out;
	}
	now = hwsim_medium_enter(medium);
	switch (info->genlhdr->cmd) {
	case HWSIM_MEDIUM_CMD_GET_RADIO:
		result = dump_radios(msg, cb, medium);
		break;
	case HWSIM_MEDIUM_CMD_GET_LINK:
		result = dump_links(msg, cb, medium);
		break;
	case HWSIM_MEDIUM_CMD_GET_AIR:
		result = dump_airs(msg, cb, medium, now);
		break;
	case HWSIM_MEDIUM_CMD_GET_PEER:
		result = dump_peers(msg, cb, medium);
		break;
	}
	hwsim_medium_leave(medium);
out:
	mutex_unlock(&hwsim_media_mutex);
	return result;
}

/*
 * A medium is between namespaces, so it belongs to the host's administrator, in
 * the initial network namespace (is_of_host()). What goes with a radio's answers
 * is up to the namespace that the radio is in.
 */
#define MEDIUM_DO(_cmd)	{				\
	.cmd = HWSIM_MEDIUM_CMD_##_cmd,			\
	.doit = medium_doit,				\
	.flags = GENL_ADMIN_PERM,			\
}

#define MEDIUM_DO_FOR_ONE(_cmd) {			\
	.cmd = HWSIM_MEDIUM_CMD_##_cmd,			\
	.doit = medium_doit,				\
	.flags = GENL_UNS_ADMIN_PERM,			\
}

#define MEDIUM_DUMP(_cmd) {				\
	.cmd = HWSIM_MEDIUM_CMD_##_cmd,			\
	.dumpit = medium_dumpit,			\
	.flags = GENL_ADMIN_PERM,			\
}

static const struct genl_ops medium_genl_ops[] = {
	MEDIUM_DO(NEW),
	MEDIUM_DO(DEL),
	MEDIUM_DO(SET_CURVE),
	MEDIUM_DO(SET_FADING),
	MEDIUM_DO(ADD_RADIO),
	MEDIUM_DO(SET_RADIO),
	MEDIUM_DO(REMOVE_RADIO),
	MEDIUM_DO(SET_LINKS),
	MEDIUM_DO(ADD_FAULT),
	MEDIUM_DO_FOR_ONE(SET_PAYLOAD),
	MEDIUM_DUMP(GET_RADIO),
	MEDIUM_DUMP(GET_LINK),
	MEDIUM_DUMP(GET_AIR),
	MEDIUM_DUMP(GET_PEER),
};

static struct genl_family medium_family __ro_after_init = {
	.name = HWSIM_MEDIUM_GENL_NAME,
	.version = HWSIM_MEDIUM_GENL_VERSION,
	.maxattr = HWSIM_MEDIUM_ATTR_MAX,
	.policy = medium_policy,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = medium_genl_ops,
	.n_ops = ARRAY_SIZE(medium_genl_ops),
};

static int __init hwsim_medium_init(void)
{
	int result = hwsim_links_init();

	if (result)
		return result;
	result = genl_register_family(&medium_family);
	if (result)
		hwsim_links_exit();
	return result;
}

static void __exit hwsim_medium_exit(void)
{
	struct hwsim_medium *medium, *next;

	genl_unregister_family(&medium_family);
	list_for_each_entry_safe(medium, next, &hwsim_media, list)
		hwsim_medium_free(medium);
	hwsim_links_exit();
}

/* before mac80211_hwsim makes its radios */
subsys_initcall(hwsim_medium_init);
module_exit(hwsim_medium_exit);

MODULE_DESCRIPTION("802.11 medium for mac80211_hwsim");
MODULE_LICENSE("GPL");
