/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mac80211_hwsim sees of the 802.11 medium: it hands over its radios'
 * frames, and gets back what they receive and the status of their frames.
 */
#ifndef __HWSIM_MEDIUM_H
#define __HWSIM_MEDIUM_H

#include <linux/err.h>
#include <linux/types.h>
#include <net/mac80211.h>
#include "hwsim_medium_uapi.h"

struct hwsim_radio;

/**
 * struct hwsim_medium_ops - operations that the driver provides
 * @rx: a frame has arrived; the driver owns the skb. In softirq.
 * @is_up: whether the radio is started
 * @tsf_offset_us: TSF of the radio less the time of day
 * @set_clock: set the offset of the TSF from the time of day, and its rate; the
 *	radio is down
 * @advance_tsf: set the TSF forward, and TBTTs with it
 * @stop_queue: stop one of mac80211's queues; the medium is locked
 * @wake_queue: wake it again
 * @captured: whether anyone captures the air
 * @capture: a frame of the air with its radiotap header; the driver owns it.
 *	NULL: no memory for one
 */
struct hwsim_medium_ops {
	void (*rx)(struct ieee80211_hw *hw,
		   struct ieee80211_rx_status *rx_status, struct sk_buff *skb);
	bool (*is_up)(struct ieee80211_hw *hw);
	s64 (*tsf_offset_us)(struct ieee80211_hw *hw);
	void (*set_clock)(struct ieee80211_hw *hw, u32 ahead_us, s32 drift_ppb);
	void (*advance_tsf)(struct ieee80211_hw *hw, u64 us);
	void (*stop_queue)(struct ieee80211_hw *hw, int queue);
	void (*wake_queue)(struct ieee80211_hw *hw, int queue);
	bool (*captured)(void);
	void (*capture)(struct sk_buff *skb);
};

/**
 * struct hwsim_radio_limits - what a radio lacks of what the driver's radios have
 * @streams: number of its spatial streams, 0: as many as those
 * @dsss_only: a radio of 802.11b, which has 1 to 11 Mbit/s at 2.4 GHz and only
 *	hears the energy of OFDM
 */
struct hwsim_radio_limits {
	u8 streams;
	bool dsss_only;
};

#if IS_ENABLED(CONFIG_MAC80211_HWSIM_MEDIUM)

struct hwsim_radio *hwsim_radio_new(struct ieee80211_hw *hw, u32 index,
				    const struct hwsim_medium_ops *ops,
				    const struct hwsim_radio_limits *limits);
void hwsim_radio_free(struct hwsim_radio *radio);
bool hwsim_radio_attached(const struct hwsim_radio *radio);

/* mac80211's operations, for radios on a medium */
void hwsim_radio_tx(struct hwsim_radio *radio, struct ieee80211_sta *sta,
		    struct sk_buff *skb, struct ieee80211_channel *channel,
		    bool is_own);
void hwsim_radio_wake(struct hwsim_radio *radio, struct ieee80211_txq *txq);
void hwsim_radio_stop(struct hwsim_radio *radio);
void hwsim_radio_listen(struct hwsim_radio *radio,
			const struct cfg80211_chan_def *chandef);
void hwsim_radio_limit_power(struct hwsim_radio *radio, int dbm);
int hwsim_radio_txpower_dbm(struct hwsim_radio *radio);
int hwsim_radio_survey(struct hwsim_radio *radio, int idx,
		       struct survey_info *survey);
void hwsim_radio_add_address(struct hwsim_radio *radio, const u8 *addr);
void hwsim_radio_remove_address(struct hwsim_radio *radio, const u8 *addr);
void hwsim_radio_add_interface(struct hwsim_radio *radio,
			       const struct ieee80211_vif *vif);
void hwsim_radio_remove_interface(struct hwsim_radio *radio,
				  const struct ieee80211_vif *vif);
unsigned int hwsim_radio_filter(struct hwsim_radio *radio, unsigned int flags);
void hwsim_radio_sta_statistics(struct hwsim_radio *radio,
				const struct ieee80211_vif *vif, const u8 *addr,
				struct station_info *sinfo);
void hwsim_radio_conf_tx(struct hwsim_radio *radio,
			 const struct ieee80211_vif *vif, u16 ac,
			 const struct ieee80211_tx_queue_params *params);
void hwsim_radio_bss(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		     const struct ieee80211_bss_conf *conf);
void hwsim_radio_ibss(struct hwsim_radio *radio, const u8 *bssid);
bool hwsim_radio_sent_beacon(struct hwsim_radio *radio);
int hwsim_radio_ampdu(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		      struct ieee80211_ampdu_params *params);
void hwsim_radio_forget_sta(struct hwsim_radio *radio,
			    const struct ieee80211_vif *vif, const u8 *addr);
void hwsim_radio_flush(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif, bool drop);
void hwsim_radio_farewell(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
void hwsim_radio_take_queued(struct hwsim_radio *radio,
			     const struct ieee80211_vif *vif,
			     struct ieee80211_sta *sta);

void hwsim_radio_doze(struct hwsim_radio *radio, bool dozes);
void hwsim_radio_sta_sleeps(struct hwsim_radio *radio,
			    const struct ieee80211_vif *vif,
			    struct ieee80211_sta *sta, bool sleeps);
void hwsim_radio_release(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			 u16 tids, int max_count,
			 enum ieee80211_frame_release_type reason,
			 bool more_data);

#else

static inline struct hwsim_radio *
hwsim_radio_new(struct ieee80211_hw *hw, u32 index,
		const struct hwsim_medium_ops *ops,
		const struct hwsim_radio_limits *limits)
{
	return NULL;
}

static inline void hwsim_radio_free(struct hwsim_radio *radio) {}

static inline bool hwsim_radio_attached(const struct hwsim_radio *radio)
{
	return false;
}

static inline void
hwsim_radio_tx(struct hwsim_radio *radio, struct ieee80211_sta *sta,
	       struct sk_buff *skb, struct ieee80211_channel *channel,
	       bool is_own) {}
static inline void
hwsim_radio_wake(struct hwsim_radio *radio, struct ieee80211_txq *txq) {}
static inline void hwsim_radio_stop(struct hwsim_radio *radio) {}
static inline void
hwsim_radio_listen(struct hwsim_radio *radio,
		   const struct cfg80211_chan_def *chandef) {}
static inline void
hwsim_radio_limit_power(struct hwsim_radio *radio, int dbm) {}

static inline int hwsim_radio_txpower_dbm(struct hwsim_radio *radio)
{
	return 0;
}

static inline int hwsim_radio_survey(struct hwsim_radio *radio, int idx,
				     struct survey_info *survey)
{
	return -ENOENT;
}

static inline void
hwsim_radio_add_address(struct hwsim_radio *radio, const u8 *addr) {}
static inline void
hwsim_radio_remove_address(struct hwsim_radio *radio, const u8 *addr) {}
static inline void
hwsim_radio_add_interface(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif) {}
static inline void
hwsim_radio_remove_interface(struct hwsim_radio *radio,
			     const struct ieee80211_vif *vif) {}

static inline unsigned int
hwsim_radio_filter(struct hwsim_radio *radio, unsigned int flags)
{
	return 0;
}

static inline void
hwsim_radio_sta_statistics(struct hwsim_radio *radio,
			   const struct ieee80211_vif *vif, const u8 *addr,
			   struct station_info *sinfo) {}
static inline void
hwsim_radio_conf_tx(struct hwsim_radio *radio, const struct ieee80211_vif *vif,
		    u16 ac,
		    const struct ieee80211_tx_queue_params *params) {}
static inline void
hwsim_radio_bss(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		const struct ieee80211_bss_conf *conf) {}

static inline void
hwsim_radio_ibss(struct hwsim_radio *radio, const u8 *bssid) {}

static inline bool hwsim_radio_sent_beacon(struct hwsim_radio *radio)
{
	return false;
}

static inline int
hwsim_radio_ampdu(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		  struct ieee80211_ampdu_params *params)
{
	return -EOPNOTSUPP;
}

static inline void
hwsim_radio_take_queued(struct hwsim_radio *radio,
			const struct ieee80211_vif *vif,
			struct ieee80211_sta *sta) {}

static inline void
hwsim_radio_forget_sta(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif, const u8 *addr) {}
static inline void
hwsim_radio_flush(struct hwsim_radio *radio, const struct ieee80211_vif *vif,
		  bool drop) {}
static inline void
hwsim_radio_farewell(struct hwsim_radio *radio,
		     const struct ieee80211_vif *vif) {}
static inline void hwsim_radio_doze(struct hwsim_radio *radio, bool dozes) {}
static inline void
hwsim_radio_sta_sleeps(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif,
		       struct ieee80211_sta *sta, bool sleeps) {}
static inline void
hwsim_radio_release(struct hwsim_radio *radio, struct ieee80211_sta *sta,
		    u16 tids, int max_count,
		    enum ieee80211_frame_release_type reason,
		    bool more_data) {}

#endif
#endif
