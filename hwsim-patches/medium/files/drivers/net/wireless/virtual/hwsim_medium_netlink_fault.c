// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink of the hwsim medium: frames that are to be lost or damaged.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "hwsim_medium_netlink.h"

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

int hwsim_nl_add_fault(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *kind = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_FAULT_KIND);
	struct nlattr *action = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_FAULT_ACTION);
	struct nlattr *count = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_FAULT_COUNT);
	struct nlattr *skip = info->attrs[HWSIM_MEDIUM_ATTR_FAULT_SKIP];
	struct nlattr *share = info->attrs[HWSIM_MEDIUM_ATTR_FAULT_SHARE];
	struct hwsim_radio *from, *to, *listener;
	struct hwsim_medium *medium = hwsim_nl_medium(info);
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
			       "the medium already has 1024 faults");
		result = -ENOSPC;
	}
	hwsim_medium_leave(medium);
	if (result)
		kfree(fault);
	return result;
}
