/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames in the hwsim medium: MPDUs of mac80211, and the transmissions (PPDUs)
 * that carry them.
 */
#ifndef __HWSIM_MEDIUM_FRAME_H
#define __HWSIM_MEDIUM_FRAME_H

#include <net/mac80211.h>
#include "hwsim_medium_ampdu.h"
#include "hwsim_medium_core.h"
#include "hwsim_medium_phy.h"
#include "hwsim_medium_uapi.h"

#define HWSIM_FCS_BYTES		4
#define HWSIM_HEADER_WITH_TA_BYTES	16	/* ACK and CTS have no TA */

struct hwsim_air;
struct hwsim_radio;
struct hwsim_session;

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
 * struct hwsim_mpdu - a frame of mac80211 that is to be sent
 * @list: in a queue of its access category or session
 * @discard: in clock->discarded instead
 * @skb: the frame
 * @hw: the radio for mac80211
 * @session: BlockAck session it belongs to, or NULL
 * @rates: rates to try, as selected by rate control
 * @tried: attempts with each
 * @stage: index of the rate to try next
 * @attempts: attempts in all
 * @bars: unanswered BlockAckReqs for it
 * @since_ns: when mac80211 handed it over
 * @rts_failures: attempts that ended with a missing CTS
 * @bytes: length with FCS
 * @seq: sequence number
 * @tid: TID
 * @kind: &enum hwsim_medium_frame
 * @to_sta: its receiver is a station that mac80211 knows
 * @wants_ack: the receiver is to answer
 * @acked: the receiver has acknowledged it
 * @unknown: no BlockAck came for it: it may have arrived
 * @timestamp: beacon or probe response: its timestamp is set when it is sent
 * @is_own: made by the driver itself: mac80211 does not want its status
 * @no_retry: one attempt only
 * @alone: outside of mac80211's queues: it is sent again by itself, even if its
 *	receiver dozes
 * @reselect: ask rate control again before it is first in an A-MPDU
 * @txq: mac80211's queue that it came from, if @to_sta
 * @pm_set: the medium itself has set its power management bit
 * @naps: network->naps when it was handed over
 */
struct hwsim_mpdu {
	union {
		struct list_head list;
		struct hwsim_later discard;
	};
	struct sk_buff *skb;
	struct ieee80211_hw *hw;
	struct hwsim_session *session;
	struct ieee80211_txq *txq;
	struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];
	u8 tried[IEEE80211_TX_MAX_RATES];
	u8 stage;
	u32 attempts;
	u32 bars;
	u64 since_ns;
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
	bool reselect;
	bool pm_set;
	u32 naps;
};

/* what is in a PSDU */
enum hwsim_format {
	HWSIM_FORMAT_PLAIN,	/* one MPDU, or an answer */
	HWSIM_FORMAT_SINGLE,	/* one MPDU after a delimiter with EOF */
	HWSIM_FORMAT_AMPDU,	/* MPDUs, each after a delimiter */
};

/* what precedes a frame */
enum hwsim_protection {
	HWSIM_PROTECTION_NONE,
	HWSIM_PROTECTION_RTS,
	HWSIM_PROTECTION_CTS,	/* to oneself */
};

/**
 * struct hwsim_ppdu - a transmission
 * @event: its start, then its end
 * @list: in air->ppdus once it has started
 * @radio: the sender; NULL if that radio is gone
 * @air: where
 * @start_ns: nominal start
 * @payload_ns: start of the payload
 * @payload_end_ns: its end, before the signal extension
 * @end_ns: end
 * @rate: its rate
 * @power_mbm: its transmit power
 * @kind: &enum hwsim_medium_frame
 * @format: &enum hwsim_format
 * @uses: references by the air, by its exchange, and by each radio that it is
 *	still on its way to
 * @ended: no longer on the air where it was sent
 * @delayed: each receiver has its own events for it
 * @overlapped: others were on the air at the same time
 * @disturbed: others were on nearby channels
 * @centre_mhz: of its band
 * @psdu_bytes: length of the PSDU
 * @duration_us: duration field
 * @next_us: of that, what it reserves for the next frame of its TXOP
 * @wanted_ns: when its sender had it, 0: it follows another frame after SIFS
 * @deferred_ns: end of its sender's deferral to energy of other channels
 * @counting_ns: when its sender started to count slots
 * @wants_answer: its receiver is to answer
 * @answer_kind: kind of that answer
 * @protection: what precedes it
 * @protection_rate: rate of that
 * @tx_rate: @rate in the format of rate control
 * @ac: access category of @mpdus
 * @basic_rates: of the sender's network, for what precedes and answers it
 * @ra: receiver address
 * @ta: transmitter address, zero if the frame has none
 * @to: the radio that owns @ra, once it has ended; NULL: none, or several
 * @arrived: frames that @to has received with a correct FCS, by their index in
 *	@mpdus; bit 0 for an answer
 * @lost: frames that a fault loses, by their index in @mpdus
 * @damaged: frames that a fault damages
 * @hit_at: the radio where it does, NULL: all
 * @tid: of BA and BAR
 * @ba: of BA, and which bitmap the BA has that answers it
 * @payload: what an answer carries besides, or NULL
 * @is_sync: SYNC: its sender has not heard the last answer, and gave up
 * @is_reset: RESET: its sender could not restore a TCP ACK
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
	s32 power_mbm;
	u8 kind;
	u8 format;
	u32 uses;
	bool ended;
	bool delayed;
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
	u16 basic_rates;
	u8 ra[ETH_ALEN];
	u8 ta[ETH_ALEN];
	struct hwsim_radio *to;
	DECLARE_BITMAP(arrived, HWSIM_AMPDU_MAX);
	DECLARE_BITMAP(lost, HWSIM_AMPDU_MAX);
	DECLARE_BITMAP(damaged, HWSIM_AMPDU_MAX);
	struct hwsim_radio *hit_at;
	u8 tid;
	struct hwsim_scoreboard ba;
	struct hwsim_payload *payload;
	bool is_sync;
	bool is_reset;
	u32 count;
	u32 offsets[HWSIM_AMPDU_MAX];
	struct hwsim_mpdu *mpdus[HWSIM_AMPDU_MAX];
};

/**
 * hwsim_is_response - whether a transmission carries no frame of mac80211
 * @ppdu: the transmission; if so, an ACK, BlockAck, RTS or CTS
 */
static inline bool hwsim_is_response(const struct hwsim_ppdu *ppdu)
{
	return ppdu->kind == HWSIM_MEDIUM_FRAME_ACK ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_BA ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_CTS ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_RTS;
}

/**
 * hwsim_is_acknowledgment - whether a transmission says what was received
 * @ppdu: the transmission
 */
static inline bool hwsim_is_acknowledgment(const struct hwsim_ppdu *ppdu)
{
	return ppdu->kind == HWSIM_MEDIUM_FRAME_ACK ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_BA;
}

/**
 * hwsim_mpdu_sender - the address that a frame is sent from
 * @mpdu: the frame
 *
 * Return: its TA, or NULL if it has none
 */
static inline const u8 *hwsim_mpdu_sender(const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	return ieee80211_hdrlen(hdr->frame_control) >= HWSIM_HEADER_WITH_TA_BYTES ?
	       hdr->addr2 : NULL;
}

/**
 * hwsim_mpdu_is_between - whether a frame is from one address to another
 * @mpdu: the frame
 * @own: address of the interface that sends it
 * @addr: address of the receiver
 */
static inline bool hwsim_mpdu_is_between(const struct hwsim_mpdu *mpdu,
					 const u8 *own, const u8 *addr)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	const u8 *sender = hwsim_mpdu_sender(mpdu);

	return ether_addr_equal(hdr->addr1, addr) && sender &&
	       ether_addr_equal(sender, own);
}

void hwsim_ppdu_put(struct hwsim_ppdu *ppdu);

#endif
