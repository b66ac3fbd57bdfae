/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The air of the hwsim medium: radios, what they hear of each other, channels,
 * and whether a transmission arrives.
 *
 *	link		level of one radio at another
 *	sinr		interference while a transmission lasts
 *	count		outcome of frames
 *	survey		how long radios heard something, by channel
 *	fault		frames that are lost or damaged on purpose
 *	capture		the air as a monitor sees it
 *	reception	bit errors, and which MPDUs arrive
 *	ppdu		how long transmissions are kept
 *	airtime		how the time of a channel is spent
 *	sense		carrier sense by energy
 *	hear		preamble detection, capture of a receiver
 *	delay		propagation delays
 *	air		channels, and when transmissions start and end
 *
 * What a radio does about that is up to struct hwsim_mac, behind struct
 * hwsim_mac_ops.
 *
 * Locking: everything of a medium and its radios is under the lock of its
 * clock, taken with softirqs disabled. mac80211 is asked for frames
 * (tx_dequeue) with the lock held, but gets frames and tx statuses only after
 * it was dropped: they are gathered in clock->up, and frames to be freed in
 * clock->discarded. hwsim_media_mutex guards the list of media and a radio's
 * membership, and is taken outside of any medium's lock. A radio gets onto a
 * medium and off it with its wiphy locked, as mac80211 has it when it configures
 * the radio, so that both see the same interfaces up.
 */
#ifndef __HWSIM_MEDIUM_AIR_H
#define __HWSIM_MEDIUM_AIR_H

#include <linux/list.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <net/mac80211.h>
#include "hwsim_medium.h"
#include "hwsim_medium_core.h"
#include "hwsim_medium_errors.h"
#include "hwsim_medium_frame.h"
#include "hwsim_medium_mask.h"
#include "hwsim_medium_math.h"
#include "hwsim_medium_phy.h"

#define HWSIM_HALF_MB		301	/* half of the power: half of a band */

/* least interference that is considered: it raises noise by 0.4 dB */
#define HWSIM_INTERFERENCE	(HWSIM_POWER_NOISE / 10)

#define HWSIM_MAX_INTERFERERS	16	/* more: for the whole frame */
#define HWSIM_MAX_SEGMENTS	(2 * HWSIM_MAX_INTERFERERS + 1)

struct hwsim_mac;
struct hwsim_reception;

/**
 * struct hwsim_mac_ops - what the air reports to the MAC of a radio
 * @listens: whether it is awake for a transmission that begins
 * @busy: energy or a transmission begins, and lasts until then
 * @rx_begin: it begins to receive something
 * @rx_end: what it received has ended, with this result
 * @rx_lost: what it received has been aborted
 * @tx_end: its own transmission has ended
 * @tx_dropped: its own transmission cannot begin, because it is sending another
 * @left: it has left its channel: what it heard there no longer counts
 * @contention_ns: when the first radio of a channel will send, if nothing
 *	intervenes, or HWSIM_NEVER
 * @contend: let the radios of a channel whose backoff has ended send
 */
struct hwsim_mac_ops {
	bool (*listens)(const struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu);
	void (*busy)(struct hwsim_radio *radio, u64 until_ns);
	void (*rx_begin)(struct hwsim_radio *radio);
	void (*rx_end)(struct hwsim_radio *radio,
		       const struct hwsim_reception *reception);
	void (*rx_lost)(struct hwsim_radio *radio);
	void (*tx_end)(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
	void (*tx_dropped)(struct hwsim_radio *radio,
			   const struct hwsim_ppdu *ppdu);
	void (*left)(struct hwsim_radio *radio);
	u64 (*contention_ns)(struct hwsim_event *event);
	void (*contend)(struct hwsim_clock *clock, struct hwsim_event *event);
};

/**
 * struct hwsim_fading - how the level of a link changes from frame to frame
 * @points: number of quantiles
 * @quantiles_mb: gain at the probabilities (i + 1/2) / points, rising
 */
struct hwsim_fading {
	u32 points;
	s32 quantiles_mb[] __counted_by(points);
};

/* how the time of a channel is spent, as reported by netlink */
enum hwsim_airtime {
	HWSIM_AIRTIME_IDLE,
	HWSIM_AIRTIME_DATA,
	HWSIM_AIRTIME_MGMT,
	HWSIM_AIRTIME_CONTROL,
	HWSIM_AIRTIME_IFS,
	HWSIM_AIRTIME_BACKOFF,
	HWSIM_AIRTIME_OVERLAP,
	HWSIM_AIRTIME_ENERGY,
	HWSIM_NUM_AIRTIMES,
};

/* what happened to frames between two radios, as reported by netlink */
enum hwsim_count {
	HWSIM_COUNT_SENT,
	HWSIM_COUNT_RETRIES,
	HWSIM_COUNT_DELIVERED,
	HWSIM_COUNT_DAMAGED,
	HWSIM_COUNT_COLLIDED,
	HWSIM_COUNT_LOST,
	HWSIM_COUNT_HEADER,
	HWSIM_COUNT_AWAY,
	HWSIM_COUNT_ACKED,
	HWSIM_COUNT_DROPPED,
	HWSIM_COUNT_BYTES,
	HWSIM_COUNT_APPROXIMATE,
	HWSIM_COUNT_REPEATED,
	HWSIM_NUM_COUNTS,
};

/**
 * struct hwsim_link_setting - what one radio hears of another
 * @gain_mb: of the path, from connector to connector, antennas included
 * @fading: table of quantiles that changes it, 0: none
 * @coherence_us: how long one draw of the fading holds, 0: one frame
 * @delay_ns: propagation delay
 */
struct hwsim_link_setting {
	s32 gain_mb;
	u32 fading;
	u32 coherence_us;
	u32 delay_ns;
};

/**
 * struct hwsim_link - from one radio to another
 * @setting: level and fading, from user space
 * @power_mb: level whose ratio is in @power
 * @power: cached ratio, 0: none
 * @errors: stream that decides which frames are damaged; each MPDU of an A-MPDU
 *	has its own number, whether or not that is used
 * @flips: stream that decides which bits are wrong; it is separate so that
 *	radios that need it do not change which frames are damaged
 * @fading: stream of the gains
 */
struct hwsim_link {
	struct hwsim_link_setting setting;
	s32 power_mb;
	u64 power;
	struct hwsim_stream errors;
	struct hwsim_stream flips;
	struct hwsim_stream fading;
};

/**
 * struct hwsim_counts - what happened to frames from one radio to another
 * @of: by access category and &enum hwsim_count
 */
struct hwsim_counts {
	u64 of[IEEE80211_NUM_ACS][HWSIM_NUM_COUNTS];
};

/**
 * struct hwsim_fault - frames to lose or to damage
 * @list: in medium->faults
 * @kind: &enum hwsim_medium_frame
 * @action: &enum hwsim_medium_fault_action
 * @skip: frames of that kind that still pass
 * @count: frames that are still hit
 * @share: chance that one of them is hit, in 2^-32, 0: each is
 * @stream: of these draws
 * @from: the sender, NULL: any
 * @to: the receiver, NULL: any
 * @listener: radio at which they are hit, NULL: their receiver, and all
 *	receivers of group frames
 */
struct hwsim_fault {
	struct list_head list;
	u32 kind;
	u32 action;
	u32 skip;
	u32 count;
	u32 share;
	struct hwsim_stream stream;
	struct hwsim_radio *from;
	struct hwsim_radio *to;
	struct hwsim_radio *listener;
};

/**
 * struct hwsim_air - a channel, by its primary 20 MHz
 * @list: in medium->airs
 * @freq_mhz: centre of the primary channel
 * @radios: those that are tuned to it
 * @ppdus: on the air, and ended ones that overlap them
 * @sounding: number of those on the air
 * @contention: the next start of a radio that contends here
 * @since_ns: up to when time is accounted for
 * @airtimes_ns: by &enum hwsim_airtime
 */
struct hwsim_air {
	struct list_head list;
	u32 freq_mhz;
	struct list_head radios;
	struct list_head ppdus;
	u32 sounding;
	struct hwsim_event contention;
	u64 since_ns;
	u64 airtimes_ns[HWSIM_NUM_AIRTIMES];
};

/**
 * struct hwsim_medium - channels, and radios that may hear each other
 * @list: in hwsim_media
 * @id: number given by user space
 * @seed: of all its random streams
 * @model: name of the error model
 * @capture_mb: how much stronger a frame must be to capture a receiver
 * @has_capture: whether frames can capture receivers
 * @clock: its events; the lock in it guards all below, and the radios
 * @mac_ops: callbacks of the MAC
 * @airs: channels in use
 * @num_airs: how many
 * @radios: by slot
 * @num_radios: how many
 * @curves: by &enum hwsim_medium_curve
 * @fadings: by number, 0 is none
 * @shares: cached shares of power in other bands, by mask, width, offset
 * @longest_ns: the longest propagation delay of what is on its way
 * @shorten: when that decreases
 * @faults: in order of creation
 * @num_faults: how many have been created
 * @idle: woken when a radio has completed a frame
 */
struct hwsim_medium {
	struct list_head list;
	u32 id;
	u64 seed;
	char model[HWSIM_MEDIUM_NAME_LEN];
	s32 capture_mb;
	bool has_capture;

	struct hwsim_clock clock;
	const struct hwsim_mac_ops *mac_ops;
	struct list_head airs;
	u32 num_airs;
	struct hwsim_radio *radios[HWSIM_MEDIUM_MAX_RADIOS];
	u32 num_radios;
	struct hwsim_curve *curves[HWSIM_MEDIUM_NUM_CURVES];
	struct hwsim_fading *fadings[HWSIM_MEDIUM_MAX_FADINGS];
	u32 shares[HWSIM_NUM_MASKS][HWSIM_PHY_NUM_WIDTHS][HWSIM_MASK_REACH_MHZ];
	u32 longest_ns;
	struct hwsim_event shorten;
	struct list_head faults;
	u32 num_faults;
	wait_queue_head_t idle;
};

/**
 * struct hwsim_address - an address that a radio answers
 * @addr: the address
 * @uses: interfaces that have it
 */
struct hwsim_address {
	u8 addr[ETH_ALEN];
	u32 uses;
};

/**
 * struct hwsim_survey - what a radio has heard of a channel
 * @list: in radio->surveys
 * @channel: the channel
 * @time_ns: how long it listened there, before @since_ns
 * @since_ns: since when it does so now
 * @busy_ns: how long the channel was busy, up to @busy_until_ns
 * @busy_until_ns: up to when that is counted, which may lie ahead
 * @rx_ns: how long it received frames, right or wrong
 * @tx_ns: how long it sent
 */
struct hwsim_survey {
	struct list_head list;
	struct ieee80211_channel *channel;
	u64 time_ns;
	u64 since_ns;
	u64 busy_ns;
	u64 busy_until_ns;
	u64 rx_ns;
	u64 tx_ns;
};

/**
 * struct hwsim_radio - one radio of mac80211_hwsim
 * @hw: the radio for mac80211
 * @ops: the driver
 * @index: its number
 * @mac: what it does above the air; made with the radio
 * @medium: the medium it is on, or NULL
 * @slot: its number there
 * @stream: its name in random streams
 * @choices: stream of choices among equal frames
 * @links: from the radios that it can hear, by slot of the sender
 * @counts: what happened to frames for it, by slot of the sender; allocated
 *	with the first frame
 * @power_mbm: transmit power set by user space
 * @limit_mbm: limit of that, set by mac80211
 * @noise_mbm: noise in 20 MHz
 * @ed_mbm: energy that counts as busy
 * @detect_ofdm_mb: SINR at which a preamble is detected
 * @detect_dsss_mb: the same for DSSS
 * @approx: hands up frames with a bad FCS
 * @dsss_only: a radio of 802.11b
 * @streams: spatial streams that it has
 * @channel: where it listens, or NULL
 * @width: how wide it listens there: wider frames are not understood
 * @centre_mhz: of the band in which it does
 * @timing: of its band and network
 * @addresses: of its interfaces
 * @num_addresses: how many
 * @filter: what mac80211 wants in addition to frames for it (FIF_...)
 * @air: channel it is tuned to, or NULL
 * @tuned: in air->radios
 * @surveys: channels on which it has listened
 * @survey: the channel on which it listens now, or NULL
 * @busy_until_ns: end of all that it hears
 * @energy_until_ns: end of what only energy detection has found
 * @secondary_until_ns: end of energy in the secondary channel that a width adds,
 *	by &enum hwsim_phy_width
 * @locked: transmission that it receives
 * @locked_mb: level of that
 * @rivals: number of frames that began with it at its level, including it
 * @sending: its own transmission on the air
 * @sends_until_ns: end of that, which may continue in a channel that it has
 *	left
 */
struct hwsim_radio {
	struct ieee80211_hw *hw;
	const struct hwsim_medium_ops *ops;
	u32 index;
	struct hwsim_mac *mac;

	struct hwsim_medium *medium;
	u32 slot;
	u64 stream;
	struct hwsim_stream choices;
	struct xarray links;
	struct xarray counts;

	s32 power_mbm;
	s32 limit_mbm;
	s32 noise_mbm;
	s32 ed_mbm;
	s32 detect_ofdm_mb;
	s32 detect_dsss_mb;
	bool approx;
	bool dsss_only;
	u32 streams;

	struct ieee80211_channel *channel;
	enum hwsim_phy_width width;
	u32 centre_mhz;
	struct hwsim_phy_timing timing;
	struct hwsim_address *addresses;
	u32 num_addresses;
	unsigned int filter;

	struct hwsim_air *air;
	struct list_head tuned;
	struct list_head surveys;
	struct hwsim_survey *survey;
	u64 busy_until_ns;
	u64 energy_until_ns;
	u64 secondary_until_ns[HWSIM_PHY_NUM_WIDTHS];
	struct hwsim_ppdu *locked;
	s32 locked_mb;
	u32 rivals;
	struct hwsim_ppdu *sending;
	u64 sends_until_ns;
};

/**
 * struct hwsim_segment - a part of a frame during which nothing changes
 * @end_ns: its end
 * @sinr_mb: SINR
 */
struct hwsim_segment {
	u64 end_ns;
	s32 sinr_mb;
};

/**
 * struct hwsim_reception - a transmission that has ended, at one receiver
 * @ppdu: the transmission
 * @link: from its sender
 * @level_mb: its level
 * @collided: with something that is heard here
 * @owned: it is for this receiver
 * @wanted: the receiver needs its intact MPDUs
 * @detected: not all of it was lost by a fault
 * @decoded: preamble and PHY header are right
 * @any: at least one MPDU or answer is intact
 * @lost: MPDUs that a fault loses, by their index
 * @damaged: MPDUs that a fault damages
 * @right: MPDUs with a correct FCS
 * @count: number of segments
 * @segments: of equal SINR
 */
struct hwsim_reception {
	struct hwsim_ppdu *ppdu;
	struct hwsim_link *link;
	s32 level_mb;
	bool collided;
	bool owned;
	bool wanted;
	bool detected;
	bool decoded;
	bool any;
	DECLARE_BITMAP(lost, HWSIM_AMPDU_MAX);
	DECLARE_BITMAP(damaged, HWSIM_AMPDU_MAX);
	DECLARE_BITMAP(right, HWSIM_AMPDU_MAX);
	u32 count;
	struct hwsim_segment segments[HWSIM_MAX_SEGMENTS];
};

/**
 * hwsim_link_of - the link between two radios
 * @from: sender
 * @to: receiver
 *
 * Return: the link, or NULL if one does not hear the other
 */
static inline struct hwsim_link *hwsim_link_of(const struct hwsim_radio *from,
					       const struct hwsim_radio *to)
{
	/* xa_load() does not change the array, but its argument is not const */
	return xa_load((struct xarray *)&to->links, from->slot);
}

/**
 * hwsim_delay_ns - propagation delay of a transmission to a radio
 * @ppdu: the transmission
 * @radio: the radio; if it is the sender's, or hears nothing of it: 0
 */
static inline u32 hwsim_delay_ns(const struct hwsim_ppdu *ppdu,
				 const struct hwsim_radio *radio)
{
	const struct hwsim_link *link;

	if (!radio->medium->longest_ns || !ppdu->radio)
		return 0;
	link = hwsim_link_of(ppdu->radio, radio);
	return link ? link->setting.delay_ns : 0;
}

/**
 * hwsim_medium_of - the medium that a clock belongs to
 * @clock: the clock
 */
static inline struct hwsim_medium *hwsim_medium_of(struct hwsim_clock *clock)
{
	return container_of(clock, struct hwsim_medium, clock);
}

/**
 * hwsim_medium_enter - begin a change
 * @medium: the medium; locked on return
 *
 * Return: the nominal time of the change
 */
static inline u64 hwsim_medium_enter(struct hwsim_medium *medium)
	__acquires(&medium->clock.lock)
{
	return hwsim_clock_enter(&medium->clock);
}

/**
 * hwsim_medium_leave - end a change
 * @medium: the medium; unlocked on return
 */
static inline void hwsim_medium_leave(struct hwsim_medium *medium)
	__releases(&medium->clock.lock)
{
	hwsim_clock_leave(&medium->clock);
}

/**
 * hwsim_now_ns - nominal time
 * @radio: a radio on a medium
 */
static inline u64 hwsim_now_ns(const struct hwsim_radio *radio)
{
	return radio->medium->clock.now_ns;
}

/**
 * hwsim_radio_power_mbm - current transmit power of a radio
 * @radio: the radio
 */
static inline s32 hwsim_radio_power_mbm(const struct hwsim_radio *radio)
{
	return min(radio->power_mbm, radio->limit_mbm);
}

/* link */
int hwsim_links_init(void);
void hwsim_links_exit(void);
bool hwsim_link_is_heard(const struct hwsim_link_setting *setting);
struct hwsim_link *hwsim_link_new(const struct hwsim_radio *from,
				  const struct hwsim_radio *to);
void hwsim_link_free(struct hwsim_link *link);
void hwsim_links_forget(struct hwsim_radio *radio);
s32 hwsim_link_level_mb(const struct hwsim_radio *to,
			const struct hwsim_link *link,
			const struct hwsim_ppdu *ppdu);
u64 hwsim_link_power(const struct hwsim_radio *to, struct hwsim_link *link,
		     const struct hwsim_ppdu *ppdu);
bool hwsim_radio_owns(const struct hwsim_radio *radio, const u8 *addr);
struct hwsim_radio *hwsim_radio_owning(const struct hwsim_medium *medium,
				       const struct hwsim_air *air,
				       const u8 *addr);

/* sinr */
u64 hwsim_air_share(struct hwsim_medium *medium, const struct hwsim_ppdu *ppdu,
		    u32 centre_mhz, enum hwsim_phy_width width);
bool hwsim_collided_at(const struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu);
void hwsim_sinr_segment(const struct hwsim_radio *radio,
			struct hwsim_reception *reception);
s32 hwsim_sinr_worst_mb(const struct hwsim_reception *reception, u64 from,
			u64 until);

/* count */
void hwsim_count_sent(struct hwsim_ppdu *ppdu);
void hwsim_count_done(struct hwsim_ppdu *ppdu, const struct hwsim_mpdu *mpdu);
void hwsim_count_missed(struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu, enum hwsim_count why);
void hwsim_count_received(struct hwsim_radio *radio,
			  const struct hwsim_reception *reception, u32 i);
void hwsim_count_approximate(struct hwsim_radio *radio,
			     const struct hwsim_reception *reception);

/* survey */
void hwsim_survey_tune(struct hwsim_radio *radio,
		       struct ieee80211_channel *channel);
void hwsim_survey_busy(struct hwsim_radio *radio, u64 until_ns);
void hwsim_survey_sent(struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu);
void hwsim_survey_received(struct hwsim_radio *radio,
			   const struct hwsim_ppdu *ppdu);
void hwsim_survey_forget(struct hwsim_radio *radio);

/* fault */
void hwsim_fault_judge(struct hwsim_ppdu *ppdu);
void hwsim_fault_forget(struct hwsim_radio *radio);

/* capture */
void hwsim_capture_ppdu(const struct hwsim_ppdu *ppdu);
struct sk_buff *hwsim_control_frame(const struct hwsim_ppdu *ppdu);

/* reception */
void hwsim_receive(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		   struct hwsim_reception *reception);
void hwsim_reception_flip(const struct hwsim_radio *radio,
			  const struct hwsim_reception *reception, u32 i,
			  struct sk_buff *skb);
bool hwsim_radio_takes_damaged(const struct hwsim_radio *radio);

/* ppdu */
struct hwsim_ppdu *hwsim_ppdu_new(struct hwsim_radio *radio,
				  enum hwsim_medium_frame kind,
				  const struct hwsim_phy_rate *rate);
void hwsim_ppdus_forget(struct hwsim_medium *medium);

/* airtime */
void hwsim_air_account(struct hwsim_air *air, u64 until_ns);
void hwsim_air_account_silence(struct hwsim_air *air,
			       const struct hwsim_ppdu *ppdu);

/* sense */
void hwsim_sense_busy(struct hwsim_radio *radio, u64 until_ns);
void hwsim_sense_energy(struct hwsim_radio *radio);
void hwsim_sense_secondary(struct hwsim_radio *radio);
void hwsim_sense_nearby(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu);

/* hear */
void hwsim_hear_begin(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
void hwsim_hear_end(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);

/* delay */
void hwsim_delay_grew(struct hwsim_medium *medium, u32 ns);
void hwsim_delay_shrank(struct hwsim_medium *medium);
void hwsim_delay_overlap(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu);
void hwsim_delay_arrive(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
void hwsim_delay_forget(struct hwsim_radio *radio);

/* air */
void hwsim_air_tune(struct hwsim_radio *radio,
		    struct ieee80211_channel *channel);
void hwsim_air_forget(struct hwsim_radio *radio);
void hwsim_ppdu_send(struct hwsim_ppdu *ppdu, u64 start_ns);

#endif
