// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control and statistics of the hwsim medium: generic netlink. What the commands
 * do is in hwsim_medium_netlink_*.c, by subject.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <net/genetlink.h>
#include "hwsim_medium_netlink.h"

#define PPDU_LEAST_US	100
#define LATENCY_MAX_US	10000
#define ANSWER_MAX_US		1000
#define DROP_TAIL_MAX		4096	/* mac80211 could hold more */
#define CLOCK_PPB_MAX		100000
#define RETRIES_MAX	255	/* limit of the counters of attempts */

/* netlink and the medium number alike */
static_assert(HWSIM_MEDIUM_PHY_VHT == (int)HWSIM_PHY_VHT);
static_assert(HWSIM_MEDIUM_WIDTH_160_MHZ == (int)HWSIM_PHY_160MHZ);
static_assert(HWSIM_MEDIUM_AC_BK == (int)IEEE80211_AC_BK);

static const struct netlink_range_validation_signed clock_ppb_range = {
	.min = -CLOCK_PPB_MAX,
	.max = CLOCK_PPB_MAX,
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
	[HWSIM_MEDIUM_ATTR_RATE] = NLA_POLICY_NESTED(hwsim_nl_rate_policy),
	[HWSIM_MEDIUM_ATTR_LATENCY_US] =
		NLA_POLICY_MAX(NLA_U32, LATENCY_MAX_US),
	[HWSIM_MEDIUM_ATTR_LINK] = NLA_POLICY_NESTED(hwsim_nl_link_policy),
	[HWSIM_MEDIUM_ATTR_FAULT_KIND] =
		NLA_POLICY_MAX(NLA_U32, HWSIM_MEDIUM_NUM_FRAMES - 1),
	[HWSIM_MEDIUM_ATTR_FAULT_ACTION] =
		NLA_POLICY_MAX(NLA_U32, HWSIM_MEDIUM_FAULT_DAMAGE),
	[HWSIM_MEDIUM_ATTR_FAULT_SKIP] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FAULT_COUNT] = NLA_POLICY_MIN(NLA_U32, 1),
	[HWSIM_MEDIUM_ATTR_FAULT_FROM] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FAULT_TO] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_ADDR] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[HWSIM_MEDIUM_ATTR_OWN_ADDR] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[HWSIM_MEDIUM_ATTR_PAYLOAD] = { .type = NLA_BINARY,
					.len = HWSIM_MEDIUM_PAYLOAD_MAX },
	[HWSIM_MEDIUM_ATTR_MORE_DATA] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_NO_RETRY_MARK] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_SHORT_SLOTS] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_ANSWER_DELAY_US] =
		NLA_POLICY_MAX(NLA_U32, ANSWER_MAX_US),
	[HWSIM_MEDIUM_ATTR_ANSWER_WAIT_US] =
		NLA_POLICY_MAX(NLA_U32, ANSWER_MAX_US),
	[HWSIM_MEDIUM_ATTR_OLDEST_FIRST] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_RETRY_APPROX] = NLA_POLICY_MAX(NLA_U8, 1),
	[HWSIM_MEDIUM_ATTR_DROP_TAIL] =
		NLA_POLICY_MAX(NLA_U32, DROP_TAIL_MAX),
	[HWSIM_MEDIUM_ATTR_CLOCK_US] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_CLOCK_PPB] =
		NLA_POLICY_FULL_RANGE_SIGNED(NLA_S32, &clock_ppb_range),
	[HWSIM_MEDIUM_ATTR_FAULT_LISTENER] = { .type = NLA_U32 },
	[HWSIM_MEDIUM_ATTR_FAULT_SHARE] = NLA_POLICY_MIN(NLA_U32, 1),
};

static int (*const commands[])(struct sk_buff *msg, struct genl_info *info) = {
	[HWSIM_MEDIUM_CMD_NEW] = hwsim_nl_new,
	[HWSIM_MEDIUM_CMD_DEL] = hwsim_nl_del,
	[HWSIM_MEDIUM_CMD_SET_CURVE] = hwsim_nl_set_curve,
	[HWSIM_MEDIUM_CMD_SET_FADING] = hwsim_nl_set_fading,
	[HWSIM_MEDIUM_CMD_ADD_RADIO] = hwsim_nl_add_radio,
	[HWSIM_MEDIUM_CMD_SET_RADIO] = hwsim_nl_set_radio,
	[HWSIM_MEDIUM_CMD_REMOVE_RADIO] = hwsim_nl_remove_radio,
	[HWSIM_MEDIUM_CMD_SET_LINKS] = hwsim_nl_set_links,
	[HWSIM_MEDIUM_CMD_ADD_FAULT] = hwsim_nl_add_fault,
	[HWSIM_MEDIUM_CMD_SET_PAYLOAD] = hwsim_nl_set_payload,
};

static int medium_doit(struct sk_buff *msg, struct genl_info *info)
{
	int result;

	if (info->genlhdr->cmd != HWSIM_MEDIUM_CMD_SET_PAYLOAD &&
	    !hwsim_nl_is_of_host(genl_info_net(info))) {
		NL_SET_ERR_MSG(info->extack,
			       "media can only be changed from the initial network namespace");
		return -EPERM;
	}
	mutex_lock(&hwsim_media_mutex);
	result = commands[info->genlhdr->cmd](msg, info);
	mutex_unlock(&hwsim_media_mutex);
	return result;
}

/*
 * A medium spans namespaces, so only the host's administrator may change it,
 * from the initial network namespace (hwsim_nl_is_of_host()). The payload of a
 * radio's answers is up to the namespace that the radio is in.
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
	.dumpit = hwsim_nl_dumpit,			\
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
	genl_unregister_family(&medium_family);
	hwsim_nl_free_media();
	hwsim_links_exit();
}

/* before mac80211_hwsim creates its radios */
subsys_initcall(hwsim_medium_init);
module_exit(hwsim_medium_exit);

MODULE_DESCRIPTION("802.11 medium for mac80211_hwsim");
MODULE_LICENSE("GPL");
