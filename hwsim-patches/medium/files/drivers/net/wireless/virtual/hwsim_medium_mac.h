/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The MAC of a radio of the hwsim medium: contention, frame exchanges, answers,
 * BlockAck, power save.
 *
 *	up		delivery to mac80211
 *	network		the networks of a radio's interfaces
 *	peer		peers of an interface, payloads of answers
 *	mpdu		a frame of mac80211: queues, attempts, its fate
 *	session		BlockAck sessions and their queues
 *	access		contention of one radio's access categories
 *	exchange	frame exchanges in the TXOPs that it wins
 *	approx		frames that may arrive damaged
 *	ibss		beacons and time of an ad hoc network
 *	keep		frames that are kept for stations that doze
 *	ps		power save of a station
 *	ba		BlockAck: retransmissions, BlockAckReq
 *	agreement	BlockAck: how agreements begin and end
 *	rx		answers and NAV, delivery to mac80211
 *	rate		rates of a frame
 *	take		frames that are taken over from mac80211
 *	duration	protection, answers, and what they leave of a TXOP
 *	build		PPDUs of frames from the queue whose turn it is
 *	outcome		outcome of a transmission
 *	tx		frames from mac80211: queues, flushes
 *	release		frames for stations that ask or wake up
 *	mac		operations for the air and for access
 *
 * Each file calls only those above it in this list and those of
 * hwsim_medium_air.h.
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

/* in addition to mac80211's access categories: beacons of an ad hoc network */
#define HWSIM_AC_IBSS		IEEE80211_NUM_ACS
#define HWSIM_NUM_ACS		(IEEE80211_NUM_ACS + 1)

/* frames of an AC outside mac80211's queues: limit, stop mac80211, wake it */
#define HWSIM_MAX_QUEUED	128
#define HWSIM_STOP_QUEUED	64
#define HWSIM_WAKE_QUEUED	32
#define HWSIM_MAX_OWN		512	/* limit for the driver's own frames */
#define HWSIM_MAX_APPROX_FLOWS	16
#define HWSIM_SESSION_BITS	5
#define HWSIM_RTS_ATTEMPTS	7	/* dot11ShortRetryLimit */
#define HWSIM_LIFETIME_NS	(500 * 1024 * NSEC_PER_USEC)

struct hwsim_ac;

/* the place of a frame in its TXOP */
enum hwsim_place {
	HWSIM_PLACE_FIRST,
	HWSIM_PLACE_RESERVED,	/* the previous frame reserves its time */
	HWSIM_PLACE_LATER,	/* the previous frame has been sent */
};

/* what mac80211 has to do for a BlockAck agreement */
enum hwsim_session_step {
	HWSIM_SESSION_NOTHING,
	HWSIM_SESSION_END,	/* end it */
	HWSIM_SESSION_STARTS,	/* request it: no older frames are left */
	HWSIM_SESSION_STOPPED,	/* it has ended: none of its frames are left */
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
 * @build: make the PPDU that it sends; see hwsim_tx_build(). NULL: nothing to
 *	send, or not yet, in which case hwsim_access_ready() is called later
 * @unbuild: that PPDU is not sent after all
 * @take: take the next frame out of one of mac80211's queues, if it has one
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
	struct hwsim_mpdu *(*take)(struct hwsim_radio *radio,
				   struct ieee80211_txq *txq);
	void (*reserve)(struct hwsim_ppdu *ppdu, u32 next_us);
	void (*stamp)(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		      u64 start_ns);
	bool (*done)(struct hwsim_radio *radio, struct hwsim_ac *ac,
		     struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer);
};

/**
 * struct hwsim_ac - an access category of a radio
 * @edca: its contention
 * @network: whose parameters it contends with
 * @queue: frames that mac80211 handed over, and those to be sent again
 * @queued: length of @queue
 * @stopped: queues of mac80211 that were stopped because @queue is long, a bit each
 * @txqs: mac80211 has frames in its own queues, or a BlockAck session has some
 *	that are to be sent again
 * @waiting: contends
 * @ready_ns: when it started to
 * @committed_ns: when it will start, whatever begins before then, or
 *	HWSIM_NEVER
 * @attempts: transmissions
 * @successes: successful ones
 * @inside: collisions with another access category
 * @airtime_ns: on the air
 * @acquired_ns: idle time just before that: IFS and slots
 * @answered_ns: from the end of a frame to that of its answer, or to the time-out
 * @rts_unanswered: RTS without CTS
 * @bars_unanswered: BlockAckReqs without BlockAck
 */
struct hwsim_ac {
	struct hwsim_edca edca;
	struct hwsim_network *network;
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
 * struct hwsim_session - BlockAck agreement, on the originator's side
 * @node: in radio->sessions
 * @txq: where mac80211 keeps its frames; lives until the station is forgotten
 * @own: address of the interface
 * @addr: address of the recipient
 * @tid: the TID
 * @oldest_seq: frames with earlier numbers do not belong to it
 * @last_seq: highest sequence number that mac80211 handed over
 * @max_count: MPDUs that the recipient can hold
 * @max_bytes: longest A-MPDU that the recipient accepts in a PPDU of HT
 * @max_vht_bytes: the same in one of VHT
 * @spacing_ns: least time between MPDUs that it needs
 * @asleep: the recipient dozes
 * @ending: mac80211 has been asked to end it
 * @stopping: mac80211 is ending it: its frames have left it, except for its last
 *	BlockAckReq
 * @rate: of its last PPDU
 * @unknown: how many in @retry_queue may have arrived
 * @holes: sequence numbers that were given up, not yet reported to the recipient
 * @bar_failures: BlockAckReqs of the same purpose since the last answer
 * @silent: @holes could not be reported: wait for another answer first
 * @retry_queue: frames to be sent again, by sequence number
 */
struct hwsim_session {
	struct hlist_node node;
	struct ieee80211_txq *txq;
	u8 own[ETH_ALEN];
	u8 addr[ETH_ALEN];
	u8 tid;
	u16 oldest_seq;
	u16 last_seq;
	u32 max_count;
	u32 max_bytes;
	u32 max_vht_bytes;
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
 * struct hwsim_approx_flow - approximate frames to a peer
 * @own: address of the interface
 * @addr: address of the peer
 * @tid: their TID
 * @until_ns: how long they count as still flowing, 0: the entry is free
 */
struct hwsim_approx_flow {
	u8 own[ETH_ALEN];
	u8 addr[ETH_ALEN];
	u8 tid;
	u64 until_ns;
};

/**
 * struct hwsim_recipient - BlockAck agreement, on the recipient's side
 * @node: in radio->recipients
 * @own: address of the interface
 * @addr: address of the originator
 * @tid: the TID
 * @scoreboard: what arrived
 */
struct hwsim_recipient {
	struct hlist_node node;
	u8 own[ETH_ALEN];
	u8 addr[ETH_ALEN];
	u8 tid;
	struct hwsim_scoreboard scoreboard;
};

/**
 * struct hwsim_peer - a peer of an interface
 * @node: in radio->peers
 * @used: in radio->peers_used
 * @radio: number of the radio
 * @own: address of the interface
 * @addr: address of the peer
 * @out: payload of each ACK and BlockAck to it
 * @in: payload of its last answer that had any
 * @arrivals: answers with payload that arrived from it
 * @retries: how often frames to it were sent again
 * @ssns: sequence numbers with which BlockAck agreements begin, by TID
 * @asked: TIDs whose BlockAck agreement has not begun yet
 * @starting: TIDs whose BlockAck agreement waits for older frames, a bit each
 * @stopping: the same for agreements that end
 * @sleeps: it dozes
 * @sta: the station that last dozed; lives until it is forgotten
 * @kept: frames outside of sessions for it, while it dozes
 * @has_said: payload or MORE DATA has been exchanged with it
 * @more_data: its last frame had MORE DATA set
 */
struct hwsim_peer {
	struct hlist_node node;
	struct list_head used;
	u32 radio;
	u8 own[ETH_ALEN];
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
 * struct hwsim_up - something to deliver to mac80211
 * @later: in clock->up
 * @hw: the radio for mac80211
 * @ops: of that radio
 * @skb: a received frame, or NULL
 * @mpdu: a frame that is completed, or NULL
 * @rx_status: of @skb
 * @has_peer: has a report about a station:
 * @own: address of the interface
 * @peer: address of the station
 * @tid: TID of the frames
 * @tx_us: air time of frames to it
 * @rx_us: air time of frames from it
 * @session: what to do about the BlockAck agreement with it for @tid
 * @has_tx_info: has a report for rate control about an A-MPDU to it:
 * @tx_info: the report
 */
struct hwsim_up {
	struct hwsim_later later;
	struct ieee80211_hw *hw;
	const struct hwsim_medium_ops *ops;
	struct sk_buff *skb;
	struct hwsim_mpdu *mpdu;
	struct ieee80211_rx_status rx_status;
	bool has_peer;
	u8 own[ETH_ALEN];
	u8 peer[ETH_ALEN];
	u8 tid;
	u32 tx_us;
	u32 rx_us;
	enum hwsim_session_step session;
	bool has_tx_info;
	struct ieee80211_tx_info tx_info;
};

/**
 * struct hwsim_network - the network of an interface
 * @list: in radio->networks
 * @vif: the interface, NULL: frames of none
 * @own: its address
 * @bssid: BSSID, zero: none
 * @params: contention parameters as mac80211 set them, by access category
 * @basic_rates: as &hwsim_phy_response wants them
 * @short_slot: it uses short slots
 * @qos: it has WMM
 * @known_asleep: its access point has acknowledged that the radio dozes
 * @naps: how often it has
 * @seq_ctrl: last sequence control that mac80211 left to the radio
 */
struct hwsim_network {
	struct list_head list;
	const struct ieee80211_vif *vif;
	u8 own[ETH_ALEN];
	u8 bssid[ETH_ALEN];
	struct ieee80211_tx_queue_params params[IEEE80211_NUM_ACS];
	u16 basic_rates;
	bool short_slot;
	bool qos;
	bool known_asleep;
	u32 naps;
	u16 seq_ctrl;
};

/**
 * struct hwsim_mac - the MAC of a radio
 * @radio: the radio
 * @frames: where its frames come from
 * @latency: stream of latencies
 * @max_ppdu_ns: longest A-MPDU that it sends
 * @ba_window: largest window of its BlockAck agreements
 * @retries: attempts of a data frame, 0: as rate control says
 * @latency_ns: a frame takes up to that long into the idle radio
 * @approx_flows: approximate frames that it sends
 * @more_data: marks data frames behind which others wait
 * @retry_approx: approximate frames are retried like others
 * @answer_delay_ns: how much later than SIFS its ACKs and BlockAcks are
 * @answer_wait_ns: how much longer it waits for those of others
 * @no_retry_mark: mark of packets that are tried once only, 0: none
 * @has_fixed_rate: unicast data goes at @fixed_rate
 * @fixed_rate: instead of what rate control says
 * @networks: those of its interfaces
 * @no_network: parameters of a radio without interfaces
 * @basic_rates: basic in any of its networks
 * @only_short_slots: it uses short slots in any network
 * @ibss: BSSID of the ad hoc network that it is a member of, zero: none
 * @sent_beacon: it sent the last beacon there
 * @dozes: power save: it receives beacons only
 * @awake_for: why it receives more just now
 * @eifs_extra_ns: what EIFS adds
 * @next_ns: when it will send if nothing intervenes, or HWSIM_NEVER
 * @next_known: @next_ns and @contends are up to date
 * @contends: an access category has something to send, or counts slots
 * @nav_until_ns: end of what others have reserved
 * @nav_by: holder of the TXOP for which they did
 * @nav_if_heard_ns: end of what an RTS has reserved, if something follows it
 * @eifs_from_ns: start of EIFS after a damaged frame, 0: no EIFS
 * @hold_until_ns: end of its own exchange
 * @answers_at_ns: when its last late answer begins
 * @answer: answer that it is about to send or sends
 * @recipients: its BlockAck agreements as recipient
 * @peers: peers of its interfaces
 * @peers_used: @peers, the least recently used one first
 * @num_peers: how many
 * @num_asleep: how many of them doze
 * @draining: BlockAck agreements that wait for frames outside of them
 * @acs: its access categories, and the beacons of its ad hoc network
 * @sessions: its BlockAck agreements as originator
 * @stage: of its exchange
 * @sender: access category of the exchange
 * @frame: the frame of the exchange
 * @ahead: what follows it in the same TXOP, or NULL
 * @timeout: no answer has come
 * @txop_end_ns: end of its transmission opportunity
 * @txop_width: widest PPDU in that: channels beyond were busy before it
 * @held: frames of mac80211 that it holds
 */
struct hwsim_mac {
	struct hwsim_radio *radio;
	const struct hwsim_frame_ops *frames;

	struct hwsim_stream latency;

	u32 max_ppdu_ns;
	u16 ba_window;
	u32 retries;
	u32 latency_ns;
	struct hwsim_approx_flow approx_flows[HWSIM_MAX_APPROX_FLOWS];
	bool more_data;
	bool retry_approx;
	u32 answer_delay_ns;
	u32 answer_wait_ns;
	u32 no_retry_mark;
	bool has_fixed_rate;
	struct hwsim_phy_rate fixed_rate;

	struct list_head networks;
	struct hwsim_network no_network;
	u16 basic_rates;
	bool only_short_slots;
	u8 ibss[ETH_ALEN];
	bool sent_beacon;
	bool dozes;
	u8 awake_for;
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
	u8 txop_width;
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
 * hwsim_access_changed - a radio's contention has changed
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
 * hwsim_access_moved - the end of the busy medium has moved for a radio
 * @radio: the radio; nothing is done if it does not contend
 */
static inline void hwsim_access_moved(struct hwsim_radio *radio)
{
	if (radio->mac->next_ns != HWSIM_NEVER)
		hwsim_access_changed(radio);
}

/**
 * hwsim_mpdu_is_own_bar - whether a frame is one of the medium's own
 *	BlockAckReqs
 * @mpdu: the frame; those of mac80211 have no session
 */
static inline bool hwsim_mpdu_is_own_bar(const struct hwsim_mpdu *mpdu)
{
	return mpdu->is_own && mpdu->kind == HWSIM_MEDIUM_FRAME_BAR;
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
bool hwsim_up_session(struct hwsim_radio *radio, const u8 *own, const u8 *addr,
		      u8 tid, enum hwsim_session_step step);
void hwsim_up_forget(struct hwsim_radio *radio);

/* network */
struct hwsim_network *hwsim_network_of(struct hwsim_radio *radio, const u8 *own);
bool hwsim_network_is_joined(const struct hwsim_radio *radio, const u8 *bssid);
void hwsim_networks_wake(struct hwsim_radio *radio);
void hwsim_network_set_timing(struct hwsim_radio *radio);
void hwsim_network_set_edca(struct hwsim_radio *radio);
void hwsim_network_use(struct hwsim_radio *radio, struct hwsim_ac *ac,
		       struct hwsim_network *network);
void hwsim_network_expect(struct hwsim_radio *radio, struct hwsim_ac *ac);
bool hwsim_network_may_follow(struct hwsim_radio *radio,
			      const struct hwsim_ac *ac, const u8 *own);
void hwsim_network_beacon(struct hwsim_radio *radio, const struct sk_buff *skb);
void hwsim_network_add(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif);
void hwsim_network_remove(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
void hwsim_networks_init(struct hwsim_radio *radio);

/* peer */
/**
 * hwsim_peer_is - whether these are the addresses of a peer
 * @peer: the peer
 * @own: address of the interface
 * @addr: address of the peer
 */
static inline bool hwsim_peer_is(const struct hwsim_peer *peer, const u8 *own,
				 const u8 *addr)
{
	return ether_addr_equal(peer->addr, addr) &&
	       ether_addr_equal(peer->own, own);
}

struct hwsim_peer *hwsim_peer_of(struct hwsim_radio *radio, const u8 *own,
				 const u8 *addr);
struct hwsim_peer *hwsim_peer_get(struct hwsim_radio *radio, const u8 *own,
				  const u8 *addr);
int hwsim_peer_set_payload(struct hwsim_radio *radio, const u8 *own,
			   const u8 *addr, const void *data, u32 bytes,
			   struct netlink_ext_ack *extack);
void hwsim_peer_answer(struct hwsim_radio *radio, struct hwsim_ppdu *answer);
void hwsim_peer_answered(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *answer);
void hwsim_peer_more_data(struct hwsim_radio *radio,
			  const struct hwsim_ppdu *ppdu);
void hwsim_peer_retried(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, u32 times);
u32 hwsim_peer_retries(struct hwsim_radio *radio, const u8 *own,
		       const u8 *addr);
bool hwsim_peer_set_ssn(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, u8 tid, u16 ssn);
u16 hwsim_peer_ssn(struct hwsim_radio *radio, const u8 *own, const u8 *addr,
		   u8 tid);
bool hwsim_peer_sleeps(struct hwsim_radio *radio, const u8 *own,
		       const u8 *addr);
struct hwsim_peer *hwsim_peer_set_sleeps(struct hwsim_radio *radio,
					 const u8 *own,
					 struct ieee80211_sta *sta, bool sleeps);
void hwsim_peer_forget(struct hwsim_radio *radio, const u8 *own,
		       const u8 *addr);

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
struct hwsim_session *hwsim_session_of(struct hwsim_radio *radio, const u8 *own,
				       const u8 *addr, u8 tid);
struct hwsim_recipient *hwsim_recipient_of(struct hwsim_radio *radio,
					   const u8 *own, const u8 *addr,
					   u8 tid);
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
void hwsim_access_damaged(struct hwsim_radio *radio);
u64 hwsim_access_contention_ns(struct hwsim_event *event);
struct hwsim_ppdu *hwsim_access_win(struct hwsim_radio *radio);

/* exchange */
void hwsim_exchange_give_back(struct hwsim_radio *radio);
void hwsim_exchange_contend(struct hwsim_clock *clock, struct hwsim_event *event);
void hwsim_exchange_heard(struct hwsim_radio *radio);
void hwsim_exchange_unheard(struct hwsim_radio *radio);
void hwsim_exchange_sent(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu);
bool hwsim_exchange_answered(struct hwsim_radio *radio,
			     const struct hwsim_ppdu *ppdu);
void hwsim_exchange_reset(struct hwsim_radio *radio);
void hwsim_exchange_left(struct hwsim_radio *radio);
void hwsim_exchange_dropped(struct hwsim_radio *radio,
			    const struct hwsim_ppdu *ppdu);

/* approx */
bool hwsim_frame_is_approximate(const struct sk_buff *skb);
bool hwsim_approx_accepts(const struct hwsim_radio *radio,
			  const struct sk_buff *skb);
void hwsim_approx_sent(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu);
bool hwsim_approx_flows(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, u8 tid);

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
void hwsim_ps_mark(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_ps_answered(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu);
void hwsim_ps_announce(const struct hwsim_radio *radio, struct sk_buff *beacon);
void hwsim_ps_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		       const struct hwsim_mpdu *mpdu, bool owned);

/* ba */
void hwsim_session_leave(struct hwsim_mpdu *mpdu);
void hwsim_session_join(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_session_want_turn(struct hwsim_radio *radio,
			     struct hwsim_session *session);
void hwsim_session_retry(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu);
void hwsim_session_took(struct hwsim_session *session, u16 seq);
bool hwsim_holds_plain(struct hwsim_radio *radio, const u8 *own,
		       const u8 *addr, u8 tid);
bool hwsim_session_wants_bar(struct hwsim_radio *radio,
			     const struct hwsim_session *session);
bool hwsim_session_pending(struct hwsim_radio *radio,
			   const struct hwsim_session *session);
struct hwsim_mpdu *hwsim_bar_new(struct hwsim_radio *radio,
				 struct hwsim_session *session);
void hwsim_session_given_up(struct hwsim_session *session, u16 seq);
void hwsim_session_lost(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, const struct hwsim_mpdu *mpdu);
bool hwsim_bar_done(struct hwsim_radio *radio, struct hwsim_ppdu *bar,
		    const struct hwsim_ppdu *answer);
void hwsim_session_sent(struct hwsim_radio *radio,
			struct hwsim_session *session, bool answered);
bool hwsim_session_is_served(const struct hwsim_radio *radio,
			     const struct hwsim_session *session);
void hwsim_sessions_resume(struct hwsim_radio *radio);
void hwsim_sessions_sleep(struct hwsim_radio *radio, const u8 *own,
			  struct ieee80211_sta *sta, bool sleeps);

/* agreement */
void hwsim_sessions_purge(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
bool hwsim_sessions_hold(const struct hwsim_radio *radio,
			 const struct ieee80211_vif *vif);
void hwsim_sessions_drained(struct hwsim_radio *radio);
void hwsim_sessions_forget(struct hwsim_radio *radio, const u8 *own,
			   const u8 *addr);

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

/* rate */
void hwsim_rate_narrow(struct ieee80211_tx_rate *rate, u8 width);
struct hwsim_phy_rate hwsim_rate_of(const struct hwsim_radio *radio,
				    const struct ieee80211_tx_rate *from);
void hwsim_rates_select(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			struct hwsim_mpdu *mpdu);

/* take */
struct hwsim_mpdu *hwsim_mpdu_new(struct hwsim_radio *radio,
				  struct ieee80211_sta *sta,
				  struct sk_buff *skb);
struct hwsim_mpdu *hwsim_tx_dequeue(struct hwsim_radio *radio,
				    struct ieee80211_txq *txq);
struct hwsim_mpdu *hwsim_tx_dequeue_control(struct hwsim_radio *radio,
					    struct ieee80211_txq *txq);

/* duration */
u16 hwsim_answer_us(const struct hwsim_radio *radio,
		    const struct hwsim_ppdu *ppdu, u8 kind);
void hwsim_ppdu_protect(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
			const struct hwsim_mpdu *mpdu, enum hwsim_place place);
u64 hwsim_ppdu_room_ns(const struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu, u32 max_bytes,
		       u64 limit_ns, bool begins);
void hwsim_ppdu_set_duration(const struct hwsim_ppdu *ppdu);
bool hwsim_ppdu_fits(const struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		     u64 limit_ns, enum hwsim_place place);
void hwsim_tx_reserve(struct hwsim_ppdu *ppdu, u32 next_us);

/* build */
void hwsim_tx_stamp(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		    u64 start_ns);
struct hwsim_ppdu *hwsim_tx_build(struct hwsim_radio *radio,
				  struct hwsim_ac *ac, u64 limit_ns,
				  enum hwsim_place place);

/* outcome */
void hwsim_tx_unbuild(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *ppdu);
bool hwsim_tx_done(struct hwsim_radio *radio, struct hwsim_ac *ac,
		   struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer);

/* tx */
void hwsim_tx_forget_sta(struct hwsim_radio *radio, const u8 *own,
			 const u8 *addr);
void hwsim_tx_drop_queued(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif);
void hwsim_tx_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif);

/* mac */
extern const struct hwsim_mac_ops hwsim_mac_ops;
extern const struct hwsim_frame_ops hwsim_frame_ops;

#endif
