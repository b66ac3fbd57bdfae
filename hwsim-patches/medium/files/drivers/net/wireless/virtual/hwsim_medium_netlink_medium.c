// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink of the hwsim medium: media, their error curves and fading tables.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "hwsim_medium_netlink.h"

/* all media, under hwsim_media_mutex */
static LIST_HEAD(hwsim_media);

/**
 * hwsim_nl_medium_by_id - find a medium; under hwsim_media_mutex
 * @id: its number
 *
 * Return: the medium, or NULL
 */
struct hwsim_medium *hwsim_nl_medium_by_id(u32 id)
{
	struct hwsim_medium *medium;

	list_for_each_entry(medium, &hwsim_media, list)
		if (medium->id == id)
			return medium;
	return NULL;
}

/**
 * hwsim_nl_medium - the medium that a message is about
 * @info: the message; gets an error message
 *
 * Return: the medium, or an ERR_PTR
 */
struct hwsim_medium *hwsim_nl_medium(struct genl_info *info)
{
	struct nlattr *id = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_ID);
	struct hwsim_medium *medium;

	if (!id)
		return ERR_PTR(-EINVAL);
	medium = hwsim_nl_medium_by_id(nla_get_u32(id));
	if (!medium) {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "the medium does not exist");
		return ERR_PTR(-ENOENT);
	}
	return medium;
}

int hwsim_nl_new(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *id = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_ID);
	struct nlattr *seed = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_SEED);
	struct hwsim_medium *medium;

	if (!id || !seed)
		return -EINVAL;
	if (hwsim_nl_medium_by_id(nla_get_u32(id))) {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "the medium already exists");
		return -EEXIST;
	}
	if (list_count_nodes(&hwsim_media) >= HWSIM_MEDIUM_MAX_MEDIA) {
		NL_SET_ERR_MSG(info->extack, "64 media already exist");
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

int hwsim_nl_del(struct sk_buff *msg, struct genl_info *info)
{
	struct hwsim_medium *medium = hwsim_nl_medium(info);

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

/* a curve of the request, with the hazards of this attribute */
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
				    "hazards must be 64-bit numbers");
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

int hwsim_nl_set_curve(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *number = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_CURVE);
	struct nlattr *start = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_START_MB);
	struct nlattr *step = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_STEP_MB);
	struct nlattr *hazards = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_HAZARDS);
	struct nlattr *flips = info->attrs[HWSIM_MEDIUM_ATTR_FLIPS];
	struct hwsim_medium *medium = hwsim_nl_medium(info);
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

int hwsim_nl_set_fading(struct sk_buff *msg, struct genl_info *info)
{
	struct nlattr *number = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_FADING);
	struct nlattr *quantiles = hwsim_nl_need(info, HWSIM_MEDIUM_ATTR_QUANTILES);
	struct hwsim_medium *medium = hwsim_nl_medium(info);
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
				    "a fading table must have 1 to 4096 32-bit numbers");
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
					    "gains must rise, and be between -200 and 200 dB");
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

/**
 * hwsim_nl_free_media - remove all media, whose radios are gone
 */
void hwsim_nl_free_media(void)
{
	struct hwsim_medium *medium, *next;

	list_for_each_entry_safe(medium, next, &hwsim_media, list)
		hwsim_medium_free(medium);
}
