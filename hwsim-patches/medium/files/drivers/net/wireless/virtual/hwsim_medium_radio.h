/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Radios of mac80211_hwsim and the media that they are on, for user space.
 */
#ifndef __HWSIM_MEDIUM_RADIO_H
#define __HWSIM_MEDIUM_RADIO_H

#include <linux/mutex.h>
#include <linux/netlink.h>
#include "hwsim_medium_mac.h"

extern struct mutex hwsim_media_mutex;

struct hwsim_radio *hwsim_radio_by_index(u32 index);
int hwsim_radio_attach(struct hwsim_radio *radio, struct hwsim_medium *medium,
		       u64 stream, struct netlink_ext_ack *extack);
void hwsim_radio_detach(struct hwsim_radio *radio);
struct hwsim_medium *hwsim_medium_new(u32 id, u64 seed);
void hwsim_medium_free(struct hwsim_medium *medium);

#endif
