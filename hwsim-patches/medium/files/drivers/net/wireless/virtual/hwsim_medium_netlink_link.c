// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink of the hwsim medium: links between radios.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/genetlink.h>
#include "hwsim_medium_netlink.h"

#define COHERENCE_MAX_US (100U * 1000 * 1000)
#define GAIN_MAX_MB	(500 * 100)

const struct nla_policy hwsim_nl_link_policy[HWSIM_MEDIUM_LINK_ATTR_MAX + 1] = {
	[HWSIM_MEDIUM_LINK_ATTR_FROM] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_TO] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_GAIN_MB] = { .type = NLA_S32 },
	[HWSIM_MEDIUM_LINK_ATTR_FADING] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_COHERENCE_US] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_LINK_ATTR_DELAY_NS] = { .type = NLA_U32 },
};

/* a link of a message */
struct wanted_link {
	struct hwsim_radio *from;
	struct hwsim_radio *to;
	struct hwsim_link_setting setting;
	struct hwsim_link *made;	/* new link, if one is needed */
};

static int check_link(const struct hwsim_medium *medium,
		      const struct hwsim_link_setting *setting,
		      struct netlink_ext_ack *extack)
{
	if (setting->gain_mb < -GAIN_MAX_MB || setting->gain_mb > GAIN_MAX_MB) {
		NL_SET_ERR_MSG(extack,
			       "a path gain must be between -500 and 500 dB");
		return -EINVAL;
	}
	if (setting->fading >= HWSIM_MEDIUM_MAX_FADINGS ||
	    (setting->fading && !medium->fadings[setting->fading])) {
		NL_SET_ERR_MSG_FMT(extack, "fading table %u does not exist",
				   setting->fading);
		return -EINVAL;
	}
	if (setting->coherence_us > COHERENCE_MAX_US) {
		NL_SET_ERR_MSG(extack, "a coherence time must not exceed 100 s");
		return -EINVAL;
	}
	if (setting->delay_ns > HWSIM_MEDIUM_DELAY_MAX_NS) {
		NL_SET_ERR_MSG(extack, "a propagation delay must not exceed 30 us");
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
				  hwsim_nl_link_policy, extack);
	if (result)
		return result;
	from = given[HWSIM_MEDIUM_LINK_ATTR_FROM];
	to = given[HWSIM_MEDIUM_LINK_ATTR_TO];
	gain = given[HWSIM_MEDIUM_LINK_ATTR_GAIN_MB];
	if (!from || !to || !gain) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a link needs FROM, TO and GAIN_MB");
		return -EINVAL;
	}
	link->from = end_of(medium, from, extack);
	link->to = link->from ? end_of(medium, to, extack) : NULL;
	if (!link->to)
		return -ENOENT;
	if (link->from == link->to) {
		NL_SET_ERR_MSG_FMT(extack, "radio %u cannot hear itself",
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

/* allocate a link and its slot in the array, while sleeping is allowed */
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
 * The medium is locked. A link that has become too weak is kept, so that its
 * random streams continue if it comes back.
 *
 * Return: whether it no longer has the longest delay of all
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
		/* the slot exists, so this does not allocate */
		xa_store(&wanted->to->links, wanted->from->slot, link,
			 GFP_ATOMIC);
	}
	shrank = link->setting.delay_ns == medium->longest_ns &&
		 delay_ns < medium->longest_ns;
	link->setting = wanted->setting;
	if (delay_ns > medium->longest_ns)
		hwsim_delay_grew(medium, delay_ns);
	return shrank;
}

/* set all links at one instant, or none */
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
			hwsim_delay_shrank(medium);
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

int hwsim_nl_set_links(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_medium *medium = hwsim_nl_medium(info);
	struct wanted_link *links;
	int remaining, result = 0;
	struct nlattr *attr;
	u32 count = 0;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (!hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_LINK))
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
