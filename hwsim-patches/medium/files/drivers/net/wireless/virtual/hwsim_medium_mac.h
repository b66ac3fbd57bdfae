/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a radio of the hwsim medium does above the air: contention, exchanges of
 * frames, answers, BlockAck, power save.
 *
 *	up		what goes up to mac80211
 *	network		what a radio knows of its network
 *	peer		what goes with answers: bytes of a stack above
 *	mpdu		a frame of mac80211: queues, attempts, its fate
 *	session		BlockAck agreements: who has one
 *	access		contention of one radio: when it may send, what came of it
 *	approx		frames that may arrive damaged
 *	ibss		beacons of an ad hoc network, its time
 *	keep		frames that are kept for stations that doze
 *	ps		power save: who dozes, and who says so
 *	ba		BlockAck: what is to be sent again, BlockAckReq
 *	rx		answers and NAV, delivery to mac80211
 *	tx		frames from mac80211 and back: A-MPDU, tx status
 *	release		frames for stations that ask or wake up
 *	mac		what the air, and access, find behind their operations
 *
 * Each of these calls those before it in this list and in that of
 * hwsim_medium_air.h, and none behind it.
 */
#ifndef __HWSIM_MEDIUM_MAC_H
#define __HWSIM_MEDIUM_MAC_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <net/mac80211.h>
#include "hwsim_medium_air.h"
#include "hwsim_medium_ampdu.h"
#include "hwsim_medium_core.h"
#include "hwsim_medium_edca.h"
#include "hwsim_medium_frame.h"

/* besides mac80211's access categories: beacons of an ad hoc network */
#define HWSIM_AC_IBSS		IEEE80211_NUM_ACS
#define HWSIM_NUM_ACS		(IEEE80211_NUM_ACS + 1)

/* frames of an AC outside mac80211's queues: at most, stop mac80211, go on */
#define HWSIM_MAX_QUEUED	128
#define HWSIM_STOP_QUEUED	64
#define HWSIM_WAKE_QUEUED	32
#define HWSIM_MAX_OWN		512	/* the driver's may be so many */
#define HWSIM_MAX_APPROX_FLOWS	16
#define HWSIM_SESSION_BITS	5
#define HWSIM_RTS_ATTEMPTS	7	/* dot11ShortRetryLimit */
#define HWSIM_LIFETIME_NS	(500 * 1024 * NSEC_PER_USEC)

struct hwsim_ac;

/* where a frame stands in its TXOP */
enum hwsim_place {
	HWSIM_PLACE_FIRST,
	HWSIM_PLACE_RESERVED,	/* the one before it reserves its time */
	HWSIM_PLACE_LATER,	/* that was gone already */
};

/* what mac80211 is told of a BlockAck agreement */
enum hwsim_session_step {
	HWSIM_SESSION_NOTHING,
	HWSIM_SESSION_END,	/* it is to end it */
	HWSIM_SESSION_STARTS,	/* no older frames are left: it may ask for it */
	HWSIM_SESSION_STOPPED,	/* no frames are left that were in it */
};

/* what a radio is doing as a sender */
enum hwsim_stage {
	HWSIM_STAGE_NONE,	/* contends, or has nothing to send */
	HWSIM_STAGE_PROTECT,	/* RTS or CTS on the air, or its CTS awaited */
	HWSIM_STAGE_DATA,	/* data on the air or about to be */
	HWSIM_STAGE_ANSWER,	/* answer awaited */
};

/**
 * struct hwsim_frame_ops - where the frames of an access category come from
 * @build: make the PPDU that it sends; see hwsim_tx_build(). NULL: there is
 *	nothing to send, or not yet: whoever has something then says so by
 *	hwsim_access_ready()
 * @unbuild: that PPDU is not sent after all
 * @reserve: have it reserve the medium for the next one, too
 * @stamp: it starts then
 * @done: its exchange has ended; returns whether anything is to be sent again
 *	because no answer came
 */
struct hwsim_frame_ops {
	struct hwsim_ppdu *(*build)(struct hwsim_radio *radio,
				    struct hwsim_ac *ac, u64 limit_ns,
				    enum hwsim_place place);
	void (*unbuild)(struct hwsim_radio *radio, struct hwsim_ac *ac,
			struct hwsim_ppdu *ppdu);
	void (*reserve)(struct hwsim_ppdu *ppdu, u32 next_us);
	void (*stamp)(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		      u64 start_ns);
	bool (*done)(struct hwsim_radio *radio, struct hwsim_ac *ac,
		     struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer);
};

/**
 * struct hwsim_ac - an access category of a radio
 * @edca: its contention
 * @params: as mac80211 set them
 * @queue: frames that mac80211 handed over, and those to be sent again
 * @queued: length of @queue
 * @stopped: queues of mac80211 that have been stopped since it is long, a bit each
 * @txqs: mac80211 has frames in its own queues, or a BlockAck session has some
 *	that are to be sent again
 * @waiting: contends
 * @ready_ns: since when
 * @committed_ns: starts then, whatever begins in between, or HWSIM_NEVER
 * @attempts: transmissions
 * @successes: of those
 * @inside: collisions with another access category
 * @airtime_ns: on the air
 * @acquired_ns: idle time just before that: IFS and slots
 * @answered_ns: from the end of a frame to that of its answer, or to the time-out
 * @rts_unanswered: RTS without CTS
 * @bars_unanswered: BlockAckReqs without BlockAck
 */
struct hwsim_ac {
	struct hwsim_edca edca;
	struct ieee80211_tx_queue_params params;
	struct list_head queue;
	u32 queued;
	u32 stopped;
	bool txqs;
	bool waiting;
	u64 ready_ns;
	u64 committed_ns;
	u64 attempts;
	u64 successes;
	u64 inside;
	u64 airtime_ns;
	u64 acquired_ns;
	u64 answered_ns;
	u64 rts_unanswered;
	u64 bars_unanswered;
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
 * @stopping: mac80211 ends it: its frames have left it, but for its last
 *	BlockAckReq
 * @rate: of its last PPDU
 * @unknown: how many in @retry_queue may have arrived
 * @holes: sequence numbers that were given up, but the recipient was not told
 * @bar_failures: BlockAckReqs of the same purpose since the last answer
 * @silent: it could not be told of @holes: the next answer comes first
 * @retry_queue: frames to be sent again, by sequence number
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
	bool stopping;
	struct hwsim_phy_rate rate;
	u32 unknown;
	struct hwsim_scoreboard holes;
	u32 bar_failures;
	bool silent;
	struct list_head retry_queue;
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
 * @scoreboard: what arrived
 */
struct hwsim_recipient {
	struct hlist_node node;
	u8 addr[ETH_ALEN];
	u8 tid;
	struct hwsim_scoreboard scoreboard;
};

/**
 * struct hwsim_peer - what a radio and another say beside their frames
 * @node: in radio->peers
 * @used: in radio->peers_used
 * @radio: number of the radio
 * @addr: the other
 * @out: goes with each ACK and BlockAck to it
 * @in: came with its last answer that brought any
 * @arrivals: answers that brought some
 * @retries: how often frames to it were sent again
 * @ssns: sequence numbers with which BlockAck agreements begin, by TID
 * @asked: TIDs whose BlockAck agreement has not begun yet
 * @starting: TIDs whose BlockAck agreement waits for older frames, a bit each
 * @stopping: the same for those that end
 * @sleeps: it dozes
 * @sta: the station that last dozed; lives until it is forgotten
 * @kept: frames outside of sessions for it, while it dozes
 * @has_said: bytes or MORE DATA went one way or the other
 * @more_data: its last frame said that more will follow
 */
struct hwsim_peer {
	struct hlist_node node;
	struct list_head used;
	u32 radio;
	u8 addr[ETH_ALEN];
	struct hwsim_payload out;
	struct hwsim_payload in;
	u64 arrivals;
	u32 retries;
	u16 ssns[IEEE80211_NUM_TIDS];
	u16 asked;
	u16 starting;
	u16 stopping;
	bool sleeps;
	struct ieee80211_sta *sta;
	struct list_head kept;
	bool has_said;
	bool more_data;
};

/**
 * struct hwsim_up - something for mac80211
 * @later: in clock->up
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
 * @session: what is to become of the BlockAck agreement with it for @tid
 * @has_tx_info: rate control is to learn how an A-MPDU to it fared:
 * @tx_info: how
 */
struct hwsim_up {
	struct hwsim_later later;
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
	enum hwsim_session_step session;
	bool has_tx_info;
	struct ieee80211_tx_info tx_info;
};

/**
 * struct hwsim_mac - what a radio does above the air
 * @radio: the radio
 * @frames: where its frames come from
 * @latency: stream of latencies
 * @max_ppdu_ns: longest A-MPDU that it sends
 * @retries: attempts of a data frame, 0: as rate control says
 * @latency_ns: a frame takes up to that long into the idle radio
 * @approx_flows: what it sends that may arrive so
 * @more_data: marks data frames behind which others wait
 * @answer_delay_ns: its ACKs and BlockAcks are so much later than SIFS
 * @answer_wait_ns: it waits so much longer for those of others
 * @no_retry_mark: mark of packets that are tried once only, 0: none
 * @has_fixed_rate: unicast data goes at @fixed_rate
 * @fixed_rate: instead of what rate control says
 * @basic_rates: of its network, as &hwsim_phy_response wants them
 * @short_slot: its network uses short slots
 * @only_short_slots: it does in any network
 * @qos: its network has WMM
 * @bssid: of its network
 * @ibss: of the ad hoc network that it is a member of, zero: none
 * @sent_beacon: it sent the last beacon there
 * @dozes: power save: it hears little
 * @awake_for: why it hears more just now
 * @told_asleep: its access point has acknowledged that it dozes
 * @naps: how often it has
 * @eifs_extra_ns: what EIFS adds
 * @next_ns: when it will send if nothing intervenes, or HWSIM_NEVER
 * @next_known: @next_ns and @contends are up to date
 * @contends: an access category has something to send, or counts slots
 * @nav_until_ns: end of what others have reserved
 * @nav_by: who holds the TXOP for which they did
 * @nav_if_heard_ns: end of what an RTS has reserved, if something follows it
 * @eifs_from_ns: since when EIFS counts after a damaged frame, 0: it does not
 * @hold_until_ns: end of its own exchange
 * @answers_at_ns: when its last late answer begins
 * @answer: answer that it is about to send or sends
 * @recipients: its BlockAck agreements as recipient
 * @peers: what it appends to answers and got with them, and what it counts
 * @peers_used: them, by when they were used last, the least recent first
 * @num_peers: how many
 * @num_asleep: how many of them doze
 * @draining: BlockAck agreements that wait for frames outside of them
 * @acs: its access categories, and the beacons of its ad hoc network
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
struct hwsim_mac {
	struct hwsim_radio *radio;
	const struct hwsim_frame_ops *frames;

	struct hwsim_stream latency;

	u32 max_ppdu_ns;
	u32 retries;
	u32 latency_ns;
	struct hwsim_approx_flow approx_flows[HWSIM_MAX_APPROX_FLOWS];
	bool more_data;
	u32 answer_delay_ns;
	u32 answer_wait_ns;
	u32 no_retry_mark;
	bool has_fixed_rate;
	struct hwsim_phy_rate fixed_rate;

	u16 basic_rates;
	bool short_slot;
	bool only_short_slots;
	bool qos;
	u8 bssid[ETH_ALEN];
	u8 ibss[ETH_ALEN];
	bool sent_beacon;
	bool dozes;
	u8 awake_for;
	bool told_asleep;
	u32 naps;
	u32 eifs_extra_ns;

	u64 next_ns;
	bool next_known;
	bool contends;
	u64 nav_until_ns;
	u8 nav_by[ETH_ALEN];
	u64 nav_if_heard_ns;
	u64 eifs_from_ns;
	u64 hold_until_ns;
	u64 answers_at_ns;
	struct hwsim_ppdu *answer;
	DECLARE_HASHTABLE(recipients, HWSIM_SESSION_BITS);
	DECLARE_HASHTABLE(peers, HWSIM_SESSION_BITS);
	struct list_head peers_used;
	u32 num_peers;
	u32 num_asleep;
	u32 draining;

	struct hwsim_ac acs[HWSIM_NUM_ACS];
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
 * hwsim_ac_is_ibss - whether these are beacons of an ad hoc network
 * @radio: a member
 * @ac: an access category, or these beacons
 */
static inline bool hwsim_ac_is_ibss(const struct hwsim_radio *radio,
				    const struct hwsim_ac *ac)
{
	return ac == &radio->mac->acs[HWSIM_AC_IBSS];
}

/* access */
u64 hwsim_access_update(struct hwsim_radio *radio);

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
	if (radio->mac->next_known)
		return radio->mac->next_ns;
	return hwsim_access_update(radio);
}

/**
 * hwsim_access_changed - a radio's contention is not what it was
 * @radio: the radio
 */
static inline void hwsim_access_changed(struct hwsim_radio *radio)
{
	radio->mac->next_known = false;
	if (radio->air)
		hwsim_event_touch(&radio->medium->clock,
				  &radio->air->contention);
}

/**
 * hwsim_access_moved - what a radio takes for the end of a busy medium moved
 * @radio: the radio; if it does not contend, this is nothing to it
 */
static inline void hwsim_access_moved(struct hwsim_radio *radio)
{
	if (radio->mac->next_ns != HWSIM_NEVER)
		hwsim_access_changed(radio);
}

/* up */
void hwsim_skb_unsent(struct ieee80211_hw *hw, struct sk_buff *skb);
void hwsim_mpdu_discard(struct hwsim_medium *medium, struct hwsim_mpdu *mpdu);
void hwsim_mpdu_let_go(struct hwsim_radio *radio);
void hwsim_mpdu_drop(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_up_frame(struct hwsim_radio *radio,
		    const struct ieee80211_rx_status *rx_status,
		    struct sk_buff *skb);
void hwsim_up_status(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_up_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		   u32 ampdu, u32 acked);
void hwsim_up_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu);
bool hwsim_up_session(struct hwsim_radio *radio, const u8 *addr, u8 tid,
		      enum hwsim_session_step step);
void hwsim_up_forget(struct hwsim_radio *radio);

/* network */
void hwsim_network_set_timing(struct hwsim_radio *radio);
void hwsim_network_set_edca(struct hwsim_radio *radio);
void hwsim_network_beacon(struct hwsim_radio *radio, const struct sk_buff *skb);

/* peer */
struct hwsim_peer *hwsim_peer_of(struct hwsim_radio *radio, const u8 *addr);
struct hwsim_peer *hwsim_peer_get(struct hwsim_radio *radio, const u8 *addr);
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
bool hwsim_peer_set_ssn(struct hwsim_radio *radio, const u8 *addr, u8 tid,
			u16 ssn);
u16 hwsim_peer_ssn(struct hwsim_radio *radio, const u8 *addr, u8 tid);
bool hwsim_peer_sleeps(struct hwsim_radio *radio, const u8 *addr);
struct hwsim_peer *hwsim_peer_set_sleeps(struct hwsim_radio *radio,
					 struct ieee80211_sta *sta, bool sleeps);
void hwsim_peer_forget(struct hwsim_radio *radio, const u8 *addr);

/* mpdu */
void hwsim_queue_first(struct hwsim_ac *ac, struct hwsim_mpdu *mpdu);
bool hwsim_ac_pending(const struct hwsim_ac *ac);
bool hwsim_ac_may_send(const struct hwsim_radio *radio,
		       const struct hwsim_ac *ac);
bool hwsim_txq_holds_frames(struct ieee80211_txq *txq);
void hwsim_mpdu_set_more_data(struct hwsim_mpdu *mpdu, bool more_data);
bool hwsim_mpdu_is_exhausted(const struct hwsim_radio *radio,
			     const struct hwsim_mpdu *mpdu);
void hwsim_mpdu_give_up(struct hwsim_mpdu *mpdu);
void hwsim_mpdu_done(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		     struct hwsim_mpdu *mpdu);

/* session */
u32 hwsim_session_hash(const u8 *addr, u8 tid);
struct hwsim_session *hwsim_session_of(struct hwsim_radio *radio,
				       const u8 *addr, u8 tid);
struct hwsim_recipient *hwsim_recipient_of(struct hwsim_radio *radio,
					   const u8 *addr, u8 tid);
struct hwsim_ac *hwsim_ac_of_tid(struct hwsim_radio *radio, u8 tid);
void hwsim_session_put_back(struct hwsim_session *session,
			    struct hwsim_mpdu *mpdu);
struct hwsim_mpdu *hwsim_session_take(struct hwsim_session *session);

/* access */
void hwsim_access_ready(struct hwsim_radio *radio, struct hwsim_ac *ac,
			u64 at_ns);
void hwsim_access_tbtt(struct hwsim_radio *radio, u64 at_ns);
void hwsim_access_spared(struct hwsim_radio *radio, u64 at_ns);
void hwsim_access_busy(struct hwsim_radio *radio, u64 until_ns);
void hwsim_access_give_back(struct hwsim_radio *radio);
void hwsim_access_damaged(struct hwsim_radio *radio);
void hwsim_access_heard(struct hwsim_radio *radio);
void hwsim_access_unheard(struct hwsim_radio *radio);
void hwsim_access_sent(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
bool hwsim_access_answered(struct hwsim_radio *radio,
			   const struct hwsim_ppdu *ppdu);
void hwsim_access_reset(struct hwsim_radio *radio);
void hwsim_access_left(struct hwsim_radio *radio);
void hwsim_access_dropped(struct hwsim_radio *radio,
			  const struct hwsim_ppdu *ppdu);
u64 hwsim_access_contention_ns(struct hwsim_event *event);
void hwsim_access_contend(struct hwsim_clock *clock, struct hwsim_event *event);

/* approx */
bool hwsim_frame_is_approximate(const struct sk_buff *skb);
bool hwsim_approx_accepts(const struct hwsim_radio *radio,
			  const struct sk_buff *skb);
void hwsim_approx_sent(struct hwsim_radio *radio, const u8 *addr,
		       const struct hwsim_mpdu *mpdu);
bool hwsim_approx_flows(struct hwsim_radio *radio, const u8 *addr, u8 tid);

/* ibss */
u64 hwsim_timestamp_ns(const struct hwsim_ppdu *ppdu);
bool hwsim_ibss_is_beacon(const struct hwsim_radio *radio,
			  const struct sk_buff *skb);
void hwsim_ibss_received(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *ppdu);

/* keep */
bool hwsim_mpdu_can_wait(const struct hwsim_mpdu *mpdu);
u8 hwsim_kept_tid(const struct hwsim_mpdu *mpdu);
struct hwsim_mpdu *hwsim_kept_first(const struct hwsim_peer *peer, u8 tid);
bool hwsim_keeps_any(struct hwsim_radio *radio, const struct hwsim_peer *peer,
		     u8 tid);
void hwsim_keep_announce(struct hwsim_radio *radio, const struct hwsim_peer *peer,
			 struct ieee80211_sta *sta, u8 tid);
bool hwsim_keep(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu,
		bool first);
void hwsim_keep_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif);

/* ps */
bool hwsim_ps_listens(const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu);
void hwsim_ps_mark(const struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_ps_answered(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu);
void hwsim_ps_announce(const struct hwsim_radio *radio, struct sk_buff *beacon);
void hwsim_ps_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		       const struct hwsim_mpdu *mpdu, bool owned);

/* ba */
void hwsim_session_join(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_session_retry(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_session_took(struct hwsim_session *session, u16 seq);
bool hwsim_session_wants_bar(struct hwsim_radio *radio,
			     const struct hwsim_session *session);
bool hwsim_session_pending(struct hwsim_radio *radio,
			   const struct hwsim_session *session);
struct hwsim_mpdu *hwsim_bar_new(struct hwsim_radio *radio,
				 struct hwsim_session *session);
void hwsim_session_given_up(struct hwsim_session *session, u16 seq);
void hwsim_session_lost(struct hwsim_radio *radio, const u8 *addr,
			const struct hwsim_mpdu *mpdu);
bool hwsim_bar_done(struct hwsim_radio *radio, struct hwsim_ppdu *bar,
		    const struct hwsim_ppdu *answer);
void hwsim_session_sent(struct hwsim_radio *radio,
			struct hwsim_session *session, bool answered);
void hwsim_sessions_purge(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
bool hwsim_sessions_hold(const struct hwsim_radio *radio,
			 const struct ieee80211_vif *vif);
bool hwsim_session_is_served(const struct hwsim_radio *radio,
			     const struct hwsim_session *session);
void hwsim_sessions_resume(struct hwsim_radio *radio);
void hwsim_sessions_sleep(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			  bool sleeps);
void hwsim_sessions_drained(struct hwsim_radio *radio);
void hwsim_sessions_forget(struct hwsim_radio *radio, const u8 *addr);

/* rx */
void hwsim_rx(struct hwsim_radio *radio,
	      const struct hwsim_reception *reception);

/**
 * hwsim_ac_unqueued - a frame has been taken from the queue of an AC
 * @radio: the radio
 * @ac: the AC
 */
static inline void hwsim_ac_unqueued(struct hwsim_radio *radio,
				     struct hwsim_ac *ac)
{
	unsigned long stopped = ac->stopped;
	int queue;

	if (--ac->queued > HWSIM_WAKE_QUEUED || !stopped)
		return;
	ac->stopped = 0;
	for_each_set_bit(queue, &stopped, BITS_PER_TYPE(ac->stopped))
		radio->ops->wake_queue(radio->hw, queue);
}

/* tx */
void hwsim_tx_stamp(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		    u64 start_ns);
struct hwsim_mpdu *hwsim_tx_dequeue(struct hwsim_radio *radio,
				    struct ieee80211_txq *txq);
struct hwsim_ppdu *hwsim_tx_build(struct hwsim_radio *radio,
				  struct hwsim_ac *ac, u64 limit_ns,
				  enum hwsim_place place);
void hwsim_tx_reserve(struct hwsim_ppdu *ppdu, u32 next_us);
void hwsim_tx_unbuild(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *ppdu);
bool hwsim_tx_done(struct hwsim_radio *radio, struct hwsim_ac *ac,
		   struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer);
void hwsim_tx_forget_sta(struct hwsim_radio *radio, const u8 *addr);
void hwsim_tx_drop_queued(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
void hwsim_tx_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif);

/* mac */
extern const struct hwsim_mac_ops hwsim_mac_ops;
extern const struct hwsim_frame_ops hwsim_frame_ops;

#endif
