// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink of the hwsim medium: what it has counted.
 */
#include <linux/kernel.h>
#include <linux/xarray.h>
#include <net/genetlink.h>
#include "hwsim_medium_netlink.h"

/* netlink attributes start at 1 */
static_assert(HWSIM_MEDIUM_AIRTIME_ATTR_MAX == (int)HWSIM_NUM_AIRTIMES);
static_assert(HWSIM_MEDIUM_COUNT_ATTR_MAX == (int)HWSIM_NUM_COUNTS);

/* content of a message of a dump; -EMSGSIZE if it does not fit */
typedef int (*fill_t)(struct sk_buff *msg, const void *what);

/* add one message of a dump, whole or not at all */
static int dump_put(struct sk_buff *msg, struct netlink_callback *cb, u8 cmd,
		    fill_t fill, const void *what)
{
	void *header = genlmsg_put(msg, NETLINK_CB(cb->skb).portid,
				   cb->nlh->nlmsg_seq,
				   genl_info_dump(cb)->family,
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

/* numbers in a nest, whose types start at 1 */
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

/* channel access of one access category of a radio */
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
	if (access->ac == IEEE80211_AC_VO)	/* so do other beacons */
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
	       nla_put(msg, HWSIM_MEDIUM_ATTR_OWN_ADDR, ETH_ALEN, peer->own) ||
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

/* what was sent to one receiver; false if no more fits */
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

/**
 * hwsim_nl_dumpit - one of the GET commands
 * @msg: gets as many answers as fit
 * @cb: the request and its progress
 *
 * Return: the length of @msg, or an error
 */
int hwsim_nl_dumpit(struct sk_buff *msg, struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct nlattr *id = info->attrs[HWSIM_MEDIUM_ATTR_ID];
	struct hwsim_medium *medium;
	int result = -ENOENT;
	u64 now;

	mutex_lock(&hwsim_media_mutex);
	medium = id ? hwsim_nl_medium_by_id(nla_get_u32(id)) : NULL;
	if (!medium) {
		NL_SET_ERR_MSG(cb->extack, "the medium does not exist");
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
