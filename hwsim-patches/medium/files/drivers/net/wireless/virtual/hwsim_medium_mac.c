// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of the hwsim medium that lower layers call: those of the MAC for
 * the air, and those of frames for channel access.
 */
#include "hwsim_medium_mac.h"

/* for the air */
const struct hwsim_mac_ops hwsim_mac_ops = {
	.listens = hwsim_ps_listens,
	.busy = hwsim_access_busy,
	.rx_begin = hwsim_exchange_heard,
	.rx_end = hwsim_rx,
	.rx_lost = hwsim_exchange_unheard,
	.tx_end = hwsim_exchange_sent,
	.tx_dropped = hwsim_exchange_dropped,
	.left = hwsim_exchange_left,
	.contention_ns = hwsim_access_contention_ns,
	.contend = hwsim_exchange_contend,
};

/* for channel access */
const struct hwsim_frame_ops hwsim_frame_ops = {
	.build = hwsim_tx_build,
	.unbuild = hwsim_tx_unbuild,
	.take = hwsim_tx_dequeue,
	.reserve = hwsim_tx_reserve,
	.stamp = hwsim_tx_stamp,
	.done = hwsim_tx_done,
};
