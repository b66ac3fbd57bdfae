/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hwsim medium from inside: its state, and who does what.
 *
 *	core	the clock: events in nominal order, and the timer behind them
 *	air	a channel: who hears a transmission, carrier sense, air time
 *	mask	what a transmission puts into other channels
 *	access	contention of one radio: when it may send, what came of it
 *	tx	frames from mac80211 and back: queues, A-MPDU, tx status
 *	ba	BlockAck agreements: what is to be sent again, BlockAckReq
 *	rx	reception: SINR, errors, answers, delivery to mac80211
 *	fault	frames that are lost or damaged on purpose
 *	approx	frames that may arrive damaged
 *	peer	what goes with answers: bytes of a stack above
 *	ps	power save: who dozes, and what is kept for whom
 *	capture	the air as a monitor sees it
 *	radio	a radio and the medium it is on
 *	netlink	control and statistics
 *
 * Locking: everything of a medium and its radios is under medium->lock, taken
 * with softirqs disabled. mac80211 is asked for frames (tx_dequeue) with the
 * lock held, but gets frames and tx statuses only after it was dropped: they
 * are gathered in medium->up, and frames to be freed in medium->discarded.
 * hwsim_media_mutex guards the list of media and a radio's membership, and is
 * taken outside of any medium's lock.
 */
#ifndef __HWSIM_MEDIUM_INT_H
#define __HWSIM_MEDIUM_INT_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <net/mac80211.h>
#include "hwsim_medium.h"
#include "hwsim_medium_ampdu.h"
#include "hwsim_medium_edca.h"
#include "hwsim_medium_errors.h"
#include "hwsim_medium_mask.h"
#include "hwsim_medium_math.h"
#include "hwsim_medium_phy.h"

#define HWSIM_MAX_ADDRESSES	16
#define HWSIM_MAX_QUEUED	64	/* frames of an AC outside mac80211's queues */
#define HWSIM_MAX_OWN		512	/* the driver's may be so many */
#define HWSIM_MAX_APPROX_FLOWS	16
#define HWSIM_SESSION_BITS	5
#define HWSIM_FCS_BYTES		4

#define HWSIM_HALF_MB		301	/* half of a power less: half of a band */

/* interference that is worth mentioning: it raises noise by 0.4 dB */
#define HWSIM_INTERFERENCE	(HWSIM_POWER_NOISE / 10)

struct hwsim_medium;
struct hwsim_ppdu;

/**
 * struct hwsim_event - something that will happen at a nominal time
 * @node: in medium->events
 * @at_ns: when, on the medium's clock
 * @serial: order among events of one time: that of their making
 * @happen: what; the event is out of the tree by then
 */
struct hwsim_event {
	struct rb_node node;
	u64 at_ns;
	u64 serial;
	void (*happen)(struct hwsim_medium *medium, struct hwsim_event *event);
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

/* what the time of a channel goes to, as netlink tells it */
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

/* what happened to frames between two radios, as netlink tells it */
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
 * @from: number of the sending radio
 * @to: number of the receiving radio
 * @snr_mb: signal over the receiver's noise in 20 MHz
 * @fading: table of quantiles that changes it, 0: none
 * @coherence_us: how long one draw of the fading holds, 0: one frame
 */
struct hwsim_link_setting {
	u32 from;
	u32 to;
	s32 snr_mb;
	u32 fading;
	u32 coherence_us;
};

/**
 * struct hwsim_link - from one radio to another
 * @setting: level and fading, from user space
 * @power_mb: the last level that was asked for as a ratio
 * @power: that ratio, 0: none was
 * @errors: stream of what is damaged; of an A-MPDU each MPDU has its number,
 *	whether or not anybody wants to know of it
 * @flips: stream of where: a radio that wants to know shifts no loss by it
 * @fading: stream of the gains
 * @counts: what happened, by access category and &enum hwsim_count
 */
struct hwsim_link {
	struct hwsim_link_setting setting;
	s32 power_mb;
	u64 power;
	struct hwsim_stream errors;
	struct hwsim_stream flips;
	struct hwsim_stream fading;
	u64 counts[IEEE80211_NUM_ACS][HWSIM_NUM_COUNTS];
};

/**
 * struct hwsim_fault - frames to lose or to damage
 * @list: in medium->faults
 * @kind: &enum hwsim_medium_frame
 * @action: &enum hwsim_medium_fault_action
 * @skip: frames of that kind that still pass
 * @count: frames that are still hit
 * @share: chance that one of them is hit, in 2^-32, 0: each is
 * @stream: of these chances
 * @from: the sender, NULL: any
 * @to: whom they are for, NULL: anybody
 * @listener: where they are hit, NULL: where they are for, and of frames for
 *	all wherever they are heard
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
 * @since_ns: up to when time is accounted for
 * @airtimes_ns: by &enum hwsim_airtime
 */
struct hwsim_air {
	struct list_head list;
	u32 freq_mhz;
	struct list_head radios;
	struct list_head ppdus;
	u32 sounding;
	u64 since_ns;
	u64 airtimes_ns[HWSIM_NUM_AIRTIMES];
};

/**
 * struct hwsim_medium - everything that hears each other
 * @list: in hwsim_media
 * @id: number given by user space
 * @seed: of all its random streams
 * @model: name of the error model
 * @capture_mb: how much stronger a frame takes a receiver over
 * @has_capture: whether any does
 * @lock: guards all below, and the radios
 * @timer: wakes the medium for its next event
 * @now_ns: nominal time, CLOCK_MONOTONIC
 * @events: by time and serial
 * @serial: number of the last event
 * @running: events are being processed: whoever changes something need not
 *	arm the timer
 * @airs: channels in use
 * @radios: by slot
 * @num_radios: how many
 * @curves: by &enum hwsim_medium_curve
 * @fadings: by number, 0 is none
 * @shares: of power in other bands that were asked for, by mask, width, offset
 * @faults: in the order of their making
 * @num_faults: that ever were
 * @up: what goes up to mac80211 after the lock is dropped
 * @discarded: frames that are freed then, since that may wake who sent them
 * @idle: woken when a radio has let go of a frame
 */
struct hwsim_medium {
	struct list_head list;
	u32 id;
	u64 seed;
	char model[HWSIM_MEDIUM_NAME_LEN];
	s32 capture_mb;
	bool has_capture;

	spinlock_t lock;	/* see above */
	struct hrtimer timer;
	u64 now_ns;
	struct rb_root_cached events;
	u64 serial;
	bool running;
	struct list_head airs;
	struct hwsim_radio *radios[HWSIM_MEDIUM_MAX_RADIOS];
	u32 num_radios;
	struct hwsim_curve *curves[HWSIM_MEDIUM_NUM_CURVES];
	struct hwsim_fading *fadings[HWSIM_MEDIUM_MAX_FADINGS];
	u32 shares[HWSIM_NUM_MASKS][HWSIM_PHY_NUM_WIDTHS][HWSIM_MASK_REACH_MHZ];
	struct list_head faults;
	u32 num_faults;
	struct list_head up;
	struct list_head discarded;
	wait_queue_head_t idle;
};

/**
 * struct hwsim_mpdu - a frame of mac80211 that is to be sent
 * @list: in a queue of its access category or session, or in medium->up
 * @skb: the frame
 * @hw: whose it is
 * @session: BlockAck session it belongs to, or NULL
 * @rates: rates to try, as rate control wants it
 * @tried: attempts with each
 * @stage: index of the rate to try next
 * @attempts: attempts in all
 * @bars: BlockAckReqs for it that were not answered
 * @rts_failures: attempts that ended with a missing CTS
 * @bytes: length with FCS
 * @seq: sequence number
 * @tid: TID
 * @kind: &enum hwsim_medium_frame
 * @to_sta: mac80211 knows its receiver
 * @wants_ack: the receiver is to answer
 * @acked: it has
 * @unknown: no BlockAck came for it: it may have arrived
 * @timestamp: beacon or probe response: its timestamp is set when it is sent
 * @is_own: made by the driver itself: mac80211 does not want its status
 * @no_retry: one attempt only
 * @alone: not one of a queue that has its turn: it is sent again by itself,
 *	even if its receiver dozes
 * @draw: rate control is asked anew before it goes first in an A-MPDU
 * @more_data: others waited behind it when it was taken
 * @pm_set: the medium itself has set its power management bit
 * @naps: radio->naps when it was handed over
 * @rts_rate: index of the rate of RTS or CTS, -1: any
 */
struct hwsim_mpdu {
	struct list_head list;
	struct sk_buff *skb;
	struct ieee80211_hw *hw;
	struct hwsim_session *session;
	struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];
	u8 tried[IEEE80211_TX_MAX_RATES];
	u8 stage;
	u32 attempts;
	u32 bars;
	u32 rts_failures;
	u32 bytes;
	u16 seq;
	u8 tid;
	u8 kind;
	bool to_sta;
	bool wants_ack;
	bool acked;
	bool unknown;
	bool timestamp;
	bool is_own;
	bool no_retry;
	bool alone;
	bool draw;
	bool more_data;
	bool pm_set;
	u32 naps;
	s8 rts_rate;
};

/**
 * struct hwsim_up - something for mac80211
 * @list: in medium->up
 * @hw: whose it is
 * @ops: of that radio
 * @skb: a received frame, or NULL
 * @mpdu: a frame that is done with, or NULL
 * @rx_status: of @skb
 * @has_peer: something is known of a station:
 * @peer: which
 * @tid: TID of what it sent or was sent
 * @tx_us: air time of what it was sent
 * @rx_us: air time of what it sent
 * @end_session: the BlockAck agreement with it for @tid is to end
 * @has_tx_info: rate control is to learn how an A-MPDU to it fared:
 * @tx_info: how
 */
struct hwsim_up {
	struct list_head list;
	struct ieee80211_hw *hw;
	const struct hwsim_medium_ops *ops;
	struct sk_buff *skb;
	struct hwsim_mpdu *mpdu;
	struct ieee80211_rx_status rx_status;
	bool has_peer;
	u8 peer[ETH_ALEN];
	u8 tid;
	u32 tx_us;
	u32 rx_us;
	bool end_session;
	bool has_tx_info;
	struct ieee80211_tx_info tx_info;
};

/**
 * struct hwsim_ppdu - a transmission
 * @event: its start, then its end
 * @list: in air->ppdus once it has started
 * @radio: who sends; NULL if that radio is gone
 * @air: where
 * @start_ns: nominal start
 * @payload_ns: start of the payload
 * @payload_end_ns: its end, before the signal extension
 * @end_ns: end
 * @rate: how it is sent
 * @kind: &enum hwsim_medium_frame
 * @uses: the air, and the exchange that it belongs to
 * @ended: no longer on the air
 * @overlapped: others were on the air meanwhile
 * @disturbed: others were on channels nearby
 * @centre_mhz: of its band
 * @psdu_bytes: length of the PSDU
 * @duration_us: duration field
 * @next_us: of that, what it reserves for the next frame of its TXOP
 * @wanted_ns: since when its sender had it, 0: it follows something after SIFS
 * @deferred_ns: until when energy of other channels kept its sender silent
 * @counting_ns: since when its sender counted slots
 * @wants_answer: its receiver is to answer
 * @answer_kind: by what
 * @protection: what precedes it
 * @protection_rate: how that is sent
 * @tx_rate: @rate in the words of rate control
 * @ac: access category of @mpdus
 * @ra: to whom
 * @ta: from whom, if the frame says so
 * @to: the radio that owns @ra, once it has ended; NULL: none, or several
 * @lost: frames that a fault loses, by their index in @mpdus
 * @damaged: frames that a fault damages
 * @hit_at: the radio where it does, NULL: all
 * @tid: of BA and BAR
 * @ssn: of BA and BAR
 * @bitmap: of BA
 * @payload: what an answer carries besides, or NULL
 * @count: number of MPDUs in @mpdus
 * @offsets: where each starts in the PSDU
 * @mpdus: frames of mac80211 that it carries
 */
struct hwsim_ppdu {
	struct hwsim_event event;
	struct list_head list;
	struct hwsim_radio *radio;
	struct hwsim_air *air;
	u64 start_ns;
	u64 payload_ns;
	u64 payload_end_ns;
	u64 end_ns;
	struct hwsim_phy_rate rate;
	u8 kind;
	u8 uses;
	bool ended;
	bool overlapped;
	bool disturbed;
	u16 centre_mhz;
	u32 psdu_bytes;
	u16 duration_us;
	u16 next_us;
	u64 wanted_ns;
	u64 deferred_ns;
	u64 counting_ns;
	bool wants_answer;
	u8 answer_kind;
	u8 protection;
	struct hwsim_phy_rate protection_rate;
	struct ieee80211_tx_rate tx_rate;
	u8 ac;
	u8 ra[ETH_ALEN];
	u8 ta[ETH_ALEN];
	struct hwsim_radio *to;
	u64 lost;
	u64 damaged;
	struct hwsim_radio *hit_at;
	u8 tid;
	u16 ssn;
	u64 bitmap;
	struct hwsim_payload *payload;
	u32 count;
	u32 offsets[HWSIM_AMPDU_MAX];
	struct hwsim_mpdu *mpdus[HWSIM_AMPDU_MAX];
};

/* where a frame stands in its TXOP */
enum hwsim_place {
	HWSIM_PLACE_FIRST,
	HWSIM_PLACE_RESERVED,	/* the one before it reserves its time */
	HWSIM_PLACE_LATER,	/* that was gone already */
};

/* what precedes a frame */
enum hwsim_protection {
	HWSIM_PROTECTION_NONE,
	HWSIM_PROTECTION_RTS,
	HWSIM_PROTECTION_CTS,	/* to oneself */
};

/* what a radio is doing as a sender */
enum hwsim_stage {
	HWSIM_STAGE_NONE,	/* contends, or has nothing to send */
	HWSIM_STAGE_PROTECT,	/* RTS or CTS on the air, or its CTS awaited */
	HWSIM_STAGE_DATA,	/* data on the air or about to be */
	HWSIM_STAGE_ANSWER,	/* answer awaited */
};

/**
 * struct hwsim_ac - an access category of a radio
 * @edca: its contention
 * @params: as mac80211 set them
 * @queue: frames that mac80211 handed over, and those to be sent again
 * @queued: length of @queue
 * @txqs: mac80211 has frames in its own queues, or a BlockAck session has some
 *	that are to be sent again
 * @waiting: contends
 * @ready_ns: since when
 * @committed_ns: starts then, whatever begins in between, or HWSIM_NEVER
 * @attempts: transmissions
 * @successes: of those
 * @inside: collisions with another access category
 * @airtime_ns: on the air
 */
struct hwsim_ac {
	struct hwsim_edca edca;
	struct ieee80211_tx_queue_params params;
	struct list_head queue;
	u32 queued;
	bool txqs;
	bool waiting;
	u64 ready_ns;
	u64 committed_ns;
	u64 attempts;
	u64 successes;
	u64 inside;
	u64 airtime_ns;
};

/**
 * struct hwsim_session - BlockAck agreement as its originator
 * @node: in radio->sessions
 * @txq: where mac80211 keeps its frames; lives until the station is forgotten
 * @addr: the recipient
 * @tid: the TID
 * @oldest_seq: frames that were numbered earlier do not belong to it
 * @last_seq: highest sequence number that mac80211 handed over
 * @max_count: MPDUs that the recipient can hold
 * @max_bytes: longest A-MPDU that it can take
 * @spacing_ns: least time between MPDUs that it needs
 * @asleep: the recipient dozes
 * @ending: mac80211 has been asked to end it
 * @rate: of its last PPDU
 * @unknown: how many in @again may have arrived
 * @holes: sequence numbers that were given up, but the recipient was not told
 * @bar_failures: attempts to tell
 * @silent: all were in vain: the next answer comes first
 * @again: frames to be sent again, by sequence number
 */
struct hwsim_session {
	struct hlist_node node;
	struct ieee80211_txq *txq;
	u8 addr[ETH_ALEN];
	u8 tid;
	u16 oldest_seq;
	u16 last_seq;
	u32 max_count;
	u32 max_bytes;
	u32 spacing_ns;
	bool asleep;
	bool ending;
	struct hwsim_phy_rate rate;
	u32 unknown;
	struct hwsim_board holes;
	u32 bar_failures;
	bool silent;
	struct list_head again;
};

/**
 * struct hwsim_approx_flow - approximate frames to somebody
 * @addr: to whom
 * @tid: their TID
 * @until_ns: how long they count as still flowing, 0: the entry is free
 */
struct hwsim_approx_flow {
	u8 addr[ETH_ALEN];
	u8 tid;
	u64 until_ns;
};

/**
 * struct hwsim_recipient - BlockAck agreement as its recipient
 * @node: in radio->recipients
 * @addr: the originator
 * @tid: the TID
 * @board: what arrived
 */
struct hwsim_recipient {
	struct hlist_node node;
	u8 addr[ETH_ALEN];
	u8 tid;
	struct hwsim_board board;
};

/**
 * struct hwsim_payload - bytes that go with an answer
 * @bytes: how many
 * @data: the bytes
 */
struct hwsim_payload {
	u32 bytes;
	u8 data[HWSIM_MEDIUM_PAYLOAD_MAX];
};

/**
 * struct hwsim_peer - what a radio and another say beside their frames
 * @node: in radio->peers
 * @radio: number of the radio
 * @addr: the other
 * @out: goes with each ACK and BlockAck to it
 * @in: came with its last answer that brought any
 * @arrivals: answers that brought some
 * @retries: how often frames to it were sent again
 * @ssns: sequence numbers with which BlockAck agreements begin, by TID
 * @sleeps: it dozes
 * @sta: the station that last dozed; lives until it is forgotten
 * @kept: frames outside of sessions for it, while it dozes
 * @has_said: bytes or MORE DATA went one way or the other
 * @more_data: its last frame said that more will follow
 */
struct hwsim_peer {
	struct hlist_node node;
	u32 radio;
	u8 addr[ETH_ALEN];
	struct hwsim_payload out;
	struct hwsim_payload in;
	u64 arrivals;
	u32 retries;
	u16 ssns[IEEE80211_NUM_TIDS];
	bool sleeps;
	struct ieee80211_sta *sta;
	struct list_head kept;
	bool has_said;
	bool more_data;
};

/**
 * struct hwsim_radio - one radio of mac80211_hwsim
 * @hw: the radio for mac80211
 * @ops: the driver
 * @registered: in the list of all radios
 * @index: its number
 * @medium: the medium it is on, or NULL
 * @slot: its number there
 * @stream: its name in random streams
 * @latency: stream of latencies
 * @choices: stream of choices among equal frames
 * @links: what it hears, by slot of the sender
 * @noise_mbm: noise in 20 MHz
 * @ed_mbm: energy that counts as busy
 * @detect_ofdm_mb: SINR at which a preamble is noticed
 * @detect_dsss_mb: the same for DSSS
 * @max_ppdu_ns: longest A-MPDU that it sends
 * @retries: attempts of a data frame, 0: as rate control says
 * @latency_ns: a frame takes up to that long into the idle radio
 * @approx: hands up frames with a wrong FCS
 * @approx_flows: what it sends that may arrive so
 * @more_data: marks data frames behind which others wait
 * @dsss_only: a radio of 802.11b
 * @all_bitrates: number of rates that it has otherwise
 * @has_ht: whether it is one of 802.11n otherwise
 * @no_retry_mark: mark of packets that are tried once only, 0: none
 * @has_fixed_rate: unicast data goes at @fixed_rate
 * @fixed_rate: instead of what rate control says
 * @channel: where it listens, or NULL
 * @width: how wide it listens there: wider frames are not understood
 * @centre_mhz: of the band in which it does
 * @timing: of its band and network
 * @basic_rates: of its network, as &hwsim_phy_response wants them
 * @short_slot: its network uses short slots
 * @qos: its network has WMM
 * @bssid: of its network
 * @dozes: power save: it hears little
 * @awake_for: why it hears more just now
 * @told_asleep: its access point has acknowledged that it dozes
 * @naps: how often it has
 * @eifs_extra_ns: what EIFS adds
 * @addresses: of its interfaces
 * @num_addresses: how many
 * @filter: what mac80211 wants besides frames that are for it (FIF_...)
 * @air: channel it is tuned to, or NULL
 * @tuned: in air->radios
 * @next_ns: when it will send if nothing intervenes, or HWSIM_NEVER
 * @next_known: @next_ns and @contends are up to date
 * @contends: an access category has something to send, or counts slots
 * @busy_until_ns: end of all that it hears
 * @energy_until_ns: end of what energy detection alone has noticed
 * @secondary_until_ns: end of energy in its secondary channel
 * @nav_until_ns: end of what others have reserved
 * @nav_by: who holds the TXOP for which they did
 * @nav_if_heard_ns: end of what an RTS has reserved, if something follows it
 * @eifs_from_ns: since when EIFS counts after a damaged frame, 0: it does not
 * @hold_until_ns: end of its own exchange
 * @locked: transmission that it receives
 * @locked_mb: level of that
 * @rivals: frames that began together with it, at its level, it included
 * @sending: its own transmission on the air
 * @answer: answer that it is about to send or sends
 * @recipients: its BlockAck agreements as recipient
 * @peers: what it appends to answers and got with them, and what it counts
 * @num_peers: how many
 * @num_asleep: how many of them doze
 * @acs: its access categories
 * @sessions: its BlockAck agreements as originator
 * @stage: of its exchange
 * @sender: access category of the exchange
 * @frame: what the exchange is about
 * @ahead: what follows it in the same TXOP, or NULL
 * @timeout: no answer has come
 * @txop_end_ns: end of its transmission opportunity
 * @txop_is_narrow: its secondary channel was busy before that
 * @seq_ctrl: last sequence control that mac80211 left to the radio
 * @held: frames of mac80211 that it holds
 */
struct hwsim_radio {
	struct ieee80211_hw *hw;
	const struct hwsim_medium_ops *ops;
	struct list_head registered;
	u32 index;

	struct hwsim_medium *medium;
	u32 slot;
	u64 stream;
	struct hwsim_stream latency;
	struct hwsim_stream choices;
	struct hwsim_link **links;

	s32 noise_mbm;
	s32 ed_mbm;
	s32 detect_ofdm_mb;
	s32 detect_dsss_mb;
	u32 max_ppdu_ns;
	u32 retries;
	u32 latency_ns;
	bool approx;
	struct hwsim_approx_flow approx_flows[HWSIM_MAX_APPROX_FLOWS];
	bool more_data;
	bool dsss_only;
	int all_bitrates;
	bool has_ht;
	u32 no_retry_mark;
	bool has_fixed_rate;
	struct hwsim_phy_rate fixed_rate;

	struct ieee80211_channel *channel;
	enum hwsim_phy_width width;
	u32 centre_mhz;
	struct hwsim_phy_timing timing;
	u16 basic_rates;
	bool short_slot;
	bool qos;
	u8 bssid[ETH_ALEN];
	bool dozes;
	u8 awake_for;
	bool told_asleep;
	u32 naps;
	u32 eifs_extra_ns;
	struct {
		u8 addr[ETH_ALEN];
		u32 uses;
	} addresses[HWSIM_MAX_ADDRESSES];
	u32 num_addresses;
	unsigned int filter;

	struct hwsim_air *air;
	struct list_head tuned;
	u64 next_ns;
	bool next_known;
	bool contends;
	u64 busy_until_ns;
	u64 energy_until_ns;
	u64 secondary_until_ns;
	u64 nav_until_ns;
	u8 nav_by[ETH_ALEN];
	u64 nav_if_heard_ns;
	u64 eifs_from_ns;
	u64 hold_until_ns;
	struct hwsim_ppdu *locked;
	s32 locked_mb;
	u32 rivals;
	struct hwsim_ppdu *sending;
	struct hwsim_ppdu *answer;
	DECLARE_HASHTABLE(recipients, HWSIM_SESSION_BITS);
	DECLARE_HASHTABLE(peers, HWSIM_SESSION_BITS);
	u32 num_peers;
	u32 num_asleep;

	struct hwsim_ac acs[IEEE80211_NUM_ACS];
	DECLARE_HASHTABLE(sessions, HWSIM_SESSION_BITS);
	enum hwsim_stage stage;
	struct hwsim_ac *sender;
	struct hwsim_ppdu *frame;
	struct hwsim_ppdu *ahead;
	struct hwsim_event timeout;
	u64 txop_end_ns;
	bool txop_is_narrow;
	u16 seq_ctrl;
	u32 held;
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
	return to->links[from->slot];
}

/* core */
extern struct mutex hwsim_media_mutex;
void hwsim_event_add(struct hwsim_medium *medium, struct hwsim_event *event,
		     u64 at_ns);
void hwsim_event_cancel(struct hwsim_medium *medium, struct hwsim_event *event);
u64 hwsim_run_events(struct hwsim_medium *medium, u64 until_ns);
u64 hwsim_medium_enter(struct hwsim_medium *medium)
	__acquires(&medium->lock);
void hwsim_medium_leave(struct hwsim_medium *medium)
	__releases(&medium->lock);
struct hwsim_medium *hwsim_medium_new(u32 id, u64 seed);
void hwsim_medium_free(struct hwsim_medium *medium);
void hwsim_mpdu_discard(struct hwsim_medium *medium, struct hwsim_mpdu *mpdu);
void hwsim_mpdu_let_go(struct hwsim_radio *radio);
void hwsim_discarded_free(struct list_head *discarded);
void hwsim_up_frame(struct hwsim_radio *radio,
		    const struct ieee80211_rx_status *rx_status,
		    struct sk_buff *skb);
void hwsim_up_status(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_up_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		   u32 ampdu, u32 acked);
bool hwsim_up_end_session(struct hwsim_radio *radio, const u8 *addr, u8 tid);
void hwsim_up_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu);

/* air */
s32 hwsim_link_level_mb(const struct hwsim_medium *medium,
			const struct hwsim_link *link, u64 at_ns);
u64 hwsim_link_power(const struct hwsim_medium *medium, struct hwsim_link *link,
		     u64 at_ns);
u64 hwsim_air_share(struct hwsim_medium *medium, const struct hwsim_ppdu *ppdu,
		    u32 centre_mhz, enum hwsim_phy_width width);
void hwsim_air_tune(struct hwsim_radio *radio,
		    struct ieee80211_channel *channel);
void hwsim_air_account(struct hwsim_air *air, u64 until_ns);
void hwsim_air_forget(struct hwsim_radio *radio);
struct hwsim_ppdu *hwsim_ppdu_new(struct hwsim_radio *radio,
				  enum hwsim_medium_frame kind,
				  const struct hwsim_phy_rate *rate);
void hwsim_ppdu_put(struct hwsim_ppdu *ppdu);
void hwsim_ppdu_send(struct hwsim_ppdu *ppdu, u64 start_ns);

/* access */
u64 hwsim_access_update(struct hwsim_radio *radio);
void hwsim_access_ready(struct hwsim_radio *radio, struct hwsim_ac *ac,
			u64 at_ns);
void hwsim_access_grant(struct hwsim_radio *radio);
void hwsim_access_busy(struct hwsim_radio *radio, u64 until_ns);
void hwsim_access_damaged(struct hwsim_radio *radio);
void hwsim_access_heard(struct hwsim_radio *radio);
void hwsim_access_unheard(struct hwsim_radio *radio);
void hwsim_access_sent(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
bool hwsim_access_answered(struct hwsim_radio *radio,
			   const struct hwsim_ppdu *ppdu);
void hwsim_access_reset(struct hwsim_radio *radio);

/**
 * hwsim_access_next - when a radio will send if nothing intervenes
 * @radio: the radio
 *
 * Asked of every radio of a channel after each event, so it is remembered.
 *
 * Return: nominal ns, or HWSIM_NEVER
 */
static inline u64 hwsim_access_next(struct hwsim_radio *radio)
{
	return radio->next_known ? radio->next_ns : hwsim_access_update(radio);
}

/**
 * hwsim_access_changed - a radio's contention is not what it was
 * @radio: the radio
 */
static inline void hwsim_access_changed(struct hwsim_radio *radio)
{
	radio->next_known = false;
}

/**
 * hwsim_access_moved - what a radio takes for the end of a busy medium moved
 * @radio: the radio; if it does not contend, this is nothing to it
 */
static inline void hwsim_access_moved(struct hwsim_radio *radio)
{
	if (radio->next_ns != HWSIM_NEVER)
		radio->next_known = false;
}

/* tx */
struct hwsim_ppdu *hwsim_tx_build(struct hwsim_radio *radio,
				  struct hwsim_ac *ac, u64 limit_ns,
				  enum hwsim_place place);
void hwsim_tx_stamp(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		    u64 start_ns);
void hwsim_tx_reserve(struct hwsim_ppdu *ppdu, u32 next_us);
void hwsim_tx_unbuild(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *ppdu);
void hwsim_queue_first(struct hwsim_ac *ac, struct hwsim_mpdu *mpdu);
bool hwsim_tx_pending(const struct hwsim_ac *ac);
void hwsim_skb_unsent(struct ieee80211_hw *hw, struct sk_buff *skb);
bool hwsim_tx_done(struct hwsim_radio *radio, struct hwsim_ac *ac,
		   struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer);
void hwsim_tx_drop_queued(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
void hwsim_tx_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif);
struct hwsim_mpdu *hwsim_tx_dequeue(struct hwsim_radio *radio,
				    struct ieee80211_txq *txq);
bool hwsim_txq_holds_frames(struct ieee80211_txq *txq);
void hwsim_mpdu_set_more_data(struct hwsim_mpdu *mpdu, bool more_data);
void hwsim_tx_forget_sta(struct hwsim_radio *radio, const u8 *addr);
void hwsim_mpdu_give_up(struct hwsim_mpdu *mpdu);
void hwsim_mpdu_done(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		     struct hwsim_mpdu *mpdu);
void hwsim_mpdu_drop(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
bool hwsim_mpdu_is_exhausted(const struct hwsim_radio *radio,
			     const struct hwsim_mpdu *mpdu);

/* ba */
struct hwsim_session *hwsim_session_of(struct hwsim_radio *radio,
				       const u8 *addr, u8 tid);
void hwsim_session_join(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_session_put_back(struct hwsim_session *session,
			    struct hwsim_mpdu *mpdu);
void hwsim_session_again(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
struct hwsim_mpdu *hwsim_session_take(struct hwsim_session *session);
void hwsim_session_given_up(struct hwsim_session *session, u16 seq);
void hwsim_session_sent(struct hwsim_radio *radio,
			struct hwsim_session *session, bool answered);
void hwsim_session_took(struct hwsim_session *session, u16 seq);
bool hwsim_session_wants_bar(struct hwsim_radio *radio,
			     const struct hwsim_session *session);
bool hwsim_session_pending(struct hwsim_radio *radio,
			   const struct hwsim_session *session);
struct hwsim_mpdu *hwsim_bar_new(struct hwsim_radio *radio,
				 struct hwsim_session *session);
bool hwsim_bar_done(struct hwsim_radio *radio, struct hwsim_ppdu *bar,
		    const struct hwsim_ppdu *answer);
bool hwsim_sessions_hold(const struct hwsim_radio *radio,
			 const struct ieee80211_vif *vif);
void hwsim_sessions_resume(struct hwsim_radio *radio);
void hwsim_sessions_purge(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
void hwsim_sessions_sleep(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			  bool sleeps);
bool hwsim_session_is_served(const struct hwsim_radio *radio,
			     const struct hwsim_session *session);
struct hwsim_ac *hwsim_ac_of_tid(struct hwsim_radio *radio, u8 tid);
struct hwsim_recipient *hwsim_recipient_of(struct hwsim_radio *radio,
					   const u8 *addr, u8 tid);

/* rx */
bool hwsim_radio_owns(const struct hwsim_radio *radio, const u8 *addr);
void hwsim_rx(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
void hwsim_rx_missed(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
struct sk_buff *hwsim_control_frame(const struct hwsim_ppdu *ppdu);
void hwsim_capture_ppdu(const struct hwsim_ppdu *ppdu);
bool hwsim_is_response(const struct hwsim_ppdu *ppdu);
void hwsim_count_sent(struct hwsim_ppdu *ppdu);
void hwsim_count_done(struct hwsim_ppdu *ppdu, const struct hwsim_mpdu *mpdu);

/* approx */
bool hwsim_frame_is_approximate(const struct sk_buff *skb);
bool hwsim_approx_accepts(const struct hwsim_radio *radio,
			  const struct sk_buff *skb);
void hwsim_approx_sent(struct hwsim_radio *radio, const u8 *addr,
		       const struct hwsim_mpdu *mpdu);
bool hwsim_approx_flows(struct hwsim_radio *radio, const u8 *addr, u8 tid);

/* fault */
void hwsim_fault_judge(struct hwsim_ppdu *ppdu);
void hwsim_fault_forget(struct hwsim_radio *radio);

/* peer */
int hwsim_peer_set_payload(struct hwsim_radio *radio, const u8 *addr,
			   const void *data, u32 bytes,
			   struct netlink_ext_ack *extack);
void hwsim_peer_answer(struct hwsim_radio *radio, struct hwsim_ppdu *answer);
void hwsim_peer_answered(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *answer);
void hwsim_peer_more_data(struct hwsim_radio *radio,
			  const struct hwsim_ppdu *ppdu);
void hwsim_peer_retried(struct hwsim_radio *radio, const u8 *addr, u32 times);
u32 hwsim_peer_retries(struct hwsim_radio *radio, const u8 *addr);
void hwsim_peer_forget(struct hwsim_radio *radio, const u8 *addr);

bool hwsim_peer_sleeps(struct hwsim_radio *radio, const u8 *addr);
struct hwsim_peer *hwsim_peer_set_sleeps(struct hwsim_radio *radio,
					 struct ieee80211_sta *sta,
					 bool sleeps);
bool hwsim_peer_set_ssn(struct hwsim_radio *radio, const u8 *addr, u8 tid,
			u16 ssn);
u16 hwsim_peer_ssn(struct hwsim_radio *radio, const u8 *addr, u8 tid);
struct hwsim_peer *hwsim_peer_of(struct hwsim_radio *radio, const u8 *addr);

/* ps */
bool hwsim_ps_is_deaf(const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu);
void hwsim_ps_mark(const struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_ps_announce(const struct hwsim_radio *radio, struct sk_buff *beacon);
void hwsim_ps_answered(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu);
void hwsim_ps_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		       const struct hwsim_mpdu *mpdu, bool owned);
bool hwsim_ps_keeps(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu,
		    bool first);
void hwsim_ps_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif);

/* radio */
struct hwsim_radio *hwsim_radio_by_index(u32 index);
struct hwsim_radio *hwsim_radio_owning(const struct hwsim_medium *medium,
				       const struct hwsim_air *air,
				       const u8 *addr);
int hwsim_radio_attach(struct hwsim_radio *radio, struct hwsim_medium *medium,
		       u64 stream, struct netlink_ext_ack *extack);
void hwsim_radio_detach(struct hwsim_radio *radio);
int hwsim_radio_set_dsss_only(struct hwsim_radio *radio, bool dsss_only,
			      struct netlink_ext_ack *extack);
void hwsim_radio_beacon(struct hwsim_radio *radio, const struct sk_buff *skb);

#endif
