/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of the netlink family of the hwsim medium, by subject:
 *
 *	netlink_medium	media, their error curves and fading tables
 *	netlink_radio	radios
 *	netlink_link	links between radios
 *	netlink_fault	frames that are lost or damaged on purpose
 *	netlink_dump	what has been counted
 *	netlink		the family: permissions, and the table of commands
 *
 * All are under hwsim_media_mutex. hwsim_medium_uapi.h says what they take.
 */
#ifndef __HWSIM_MEDIUM_NETLINK_H
#define __HWSIM_MEDIUM_NETLINK_H

#include <net/genetlink.h>
#include "hwsim_medium_radio.h"

/* netlink_medium */
struct hwsim_medium *hwsim_nl_medium_by_id(u32 id);
struct hwsim_medium *hwsim_nl_medium(struct genl_info *info);
int hwsim_nl_new(struct sk_buff *msg, struct genl_info *info);
int hwsim_nl_del(struct sk_buff *msg, struct genl_info *info);
int hwsim_nl_set_curve(struct sk_buff *msg, struct genl_info *info);
int hwsim_nl_set_fading(struct sk_buff *msg, struct genl_info *info);
void hwsim_nl_free_media(void);

/* netlink_radio */
extern const struct nla_policy
hwsim_nl_rate_policy[HWSIM_MEDIUM_RATE_ATTR_MAX + 1];

int hwsim_nl_add_radio(struct sk_buff *msg, struct genl_info *info);
int hwsim_nl_set_radio(struct sk_buff *msg, struct genl_info *info);
int hwsim_nl_remove_radio(struct sk_buff *msg, struct genl_info *info);
int hwsim_nl_set_payload(struct sk_buff *msg, struct genl_info *info);

/* netlink_link */
extern const struct nla_policy
hwsim_nl_link_policy[HWSIM_MEDIUM_LINK_ATTR_MAX + 1];

int hwsim_nl_set_links(struct sk_buff *msg, struct genl_info *info);

/* netlink_fault */
int hwsim_nl_add_fault(struct sk_buff *msg, struct genl_info *info);

/* netlink_dump */
int hwsim_nl_dumpit(struct sk_buff *msg, struct netlink_callback *cb);

/* an attribute that a message must have, or NULL and an error message */
static inline struct nlattr *hwsim_nl_need(struct genl_info *info, int attr)
{
	if (GENL_REQ_ATTR_CHECK(info, attr))
		return NULL;
	return info->attrs[attr];
}

/*
 * Root in a container may have all capabilities in the initial user namespace,
 * but must not control what others hear. A container has its own network
 * namespace, so media can only be changed from the initial one.
 */
static inline bool hwsim_nl_is_of_host(const struct net *net)
{
	return net_eq(net, &init_net);
}

#endif
