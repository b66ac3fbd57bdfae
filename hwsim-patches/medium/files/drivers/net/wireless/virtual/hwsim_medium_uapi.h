/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink interface of the 802.11 medium of mac80211_hwsim: generic netlink
 * family "hwsim_medium".
 *
 * A medium is created with NEW and given error curves, fading tables, radios
 * and links. From then on it decides what those radios hear. Levels and gains
 * are in mB (1/100 dB), powers in mBm, times in the unit that the name says.
 */
#ifndef __HWSIM_MEDIUM_UAPI_H
#define __HWSIM_MEDIUM_UAPI_H

#include <linux/types.h>

#define HWSIM_MEDIUM_GENL_NAME		"hwsim_medium"
#define HWSIM_MEDIUM_GENL_VERSION	4

#define HWSIM_MEDIUM_DELAY_MAX_NS	30000	/* 9 km */
#define HWSIM_MEDIUM_POWER_MAX_MBM	10000
#define HWSIM_MEDIUM_NOISE_MIN_MBM	(-11000)	/* kT of 290 K is -101 dBm */
#define HWSIM_MEDIUM_ED_MIN_MBM		(-15000)
#define HWSIM_MEDIUM_DETECT_MIN_MB	(-5000)
#define HWSIM_MEDIUM_MAX_RADIOS		1024	/* of one medium */
#define HWSIM_MEDIUM_MAX_FADINGS	16	/* tables of one medium */
#define HWSIM_MEDIUM_MAX_POINTS		4096	/* of a curve or fading table */
#define HWSIM_MEDIUM_NAME_LEN		32
#define HWSIM_MEDIUM_MAX_MEDIA		64
#define HWSIM_MEDIUM_MAX_FAULTS		1024	/* of a medium, that have not ended */
#define HWSIM_MEDIUM_PAYLOAD_MAX	255	/* bytes that go with an answer */

#define HWSIM_MEDIUM_ACK_BYTES		14
#define HWSIM_MEDIUM_CTS_BYTES		14
#define HWSIM_MEDIUM_RTS_BYTES		20
#define HWSIM_MEDIUM_BA_BYTES		32	/* compressed, 64 bits */
#define HWSIM_MEDIUM_BAR_BYTES		24

/**
 * enum hwsim_medium_curve - error curves, one per modulation and coding
 *
 * A curve is the hazard of one payload bit, -ln(1 - p), over SINR.
 */
enum hwsim_medium_curve {
	HWSIM_MEDIUM_CURVE_DSSS_1,
	HWSIM_MEDIUM_CURVE_DSSS_2,
	HWSIM_MEDIUM_CURVE_CCK_5_5,
	HWSIM_MEDIUM_CURVE_CCK_11,
	HWSIM_MEDIUM_CURVE_BPSK_1_2,
	HWSIM_MEDIUM_CURVE_BPSK_3_4,
	HWSIM_MEDIUM_CURVE_QPSK_1_2,
	HWSIM_MEDIUM_CURVE_QPSK_3_4,
	HWSIM_MEDIUM_CURVE_QAM16_1_2,
	HWSIM_MEDIUM_CURVE_QAM16_3_4,
	HWSIM_MEDIUM_CURVE_QAM64_2_3,
	HWSIM_MEDIUM_CURVE_QAM64_3_4,
	HWSIM_MEDIUM_CURVE_QAM64_5_6,
	HWSIM_MEDIUM_CURVE_QAM256_3_4,
	HWSIM_MEDIUM_CURVE_QAM256_5_6,
	HWSIM_MEDIUM_NUM_CURVES,
};

/**
 * enum hwsim_medium_cmd - commands
 *
 * They require CAP_NET_ADMIN on the host, from the initial network namespace;
 * SET_PAYLOAD requires it in the network namespace that the radio is in.
 *
 * @HWSIM_MEDIUM_CMD_NEW: create a medium: ID, SEED, optionally MODEL,
 *	CAPTURE_MB
 * @HWSIM_MEDIUM_CMD_DEL: remove a medium without radios: ID
 * @HWSIM_MEDIUM_CMD_SET_CURVE: ID, CURVE, START_MB, STEP_MB, HAZARDS,
 *	optionally BURST, FLIPS
 * @HWSIM_MEDIUM_CMD_SET_FADING: ID, FADING (from 1), QUANTILES
 * @HWSIM_MEDIUM_CMD_ADD_RADIO: ID, RADIO, optionally STREAM, CLOCK_US,
 *	CLOCK_PPB and what SET_RADIO takes. The radio's interfaces must be
 *	down. What it can do is given when it is made: HWSIM_CMD_NEW_RADIO with
 *	%HWSIM_ATTR_STREAMS, %HWSIM_ATTR_DSSS_ONLY.
 * @HWSIM_MEDIUM_CMD_SET_RADIO: RADIO and what is to change: POWER_MBM,
 *	OLDEST_FIRST,
 *	NOISE_MBM, ED_MBM, DETECT_OFDM_MB, DETECT_DSSS_MB, MAX_PPDU_US, RETRIES,
 *	APPROX, RATE, LATENCY_US, MORE_DATA, NO_RETRY_MARK, SHORT_SLOTS,
 *	ANSWER_DELAY_US, ANSWER_WAIT_US, DROP_TAIL, RETRY_APPROX
 * @HWSIM_MEDIUM_CMD_REMOVE_RADIO: back to the stock behaviour: RADIO
 * @HWSIM_MEDIUM_CMD_SET_LINKS: ID, one or more LINK: all at one instant, or
 *	none. A link over which nothing can be heard takes no memory, as if it
 *	had not been set.
 * @HWSIM_MEDIUM_CMD_ADD_FAULT: ID, FAULT_KIND, FAULT_ACTION, FAULT_SKIP,
 *	FAULT_COUNT, optionally FAULT_FROM, FAULT_TO, FAULT_LISTENER,
 *	FAULT_SHARE
 * @HWSIM_MEDIUM_CMD_GET_RADIO: dump: one answer for each access category of a
 *	radio of ID: RADIO, AC, ACCESS
 * @HWSIM_MEDIUM_CMD_GET_LINK: dump: one answer for each access category of a
 *	link of ID that carried something: FROM, TO, AC, COUNTS
 * @HWSIM_MEDIUM_CMD_GET_AIR: dump: one answer for each channel of ID: FREQ_MHZ,
 *	TIME_NS, AIRTIMES
 * @HWSIM_MEDIUM_CMD_SET_PAYLOAD: RADIO, ADDR and PAYLOAD, which goes with each
 *	ACK and BlockAck of that radio to that address from then on; empty: none.
 *	It ends with the station that has that address.
 * @HWSIM_MEDIUM_CMD_GET_PEER: dump: one answer for each address with which a
 *	radio of ID has exchanged payload or MORE DATA: RADIO, ADDR, PAYLOAD
 *	(that came last), ARRIVALS, MORE_DATA (in its last frame)
 */
enum hwsim_medium_cmd {
	HWSIM_MEDIUM_CMD_UNSPEC,
	HWSIM_MEDIUM_CMD_NEW,
	HWSIM_MEDIUM_CMD_DEL,
	HWSIM_MEDIUM_CMD_SET_CURVE,
	HWSIM_MEDIUM_CMD_SET_FADING,
	HWSIM_MEDIUM_CMD_ADD_RADIO,
	HWSIM_MEDIUM_CMD_SET_RADIO,
	HWSIM_MEDIUM_CMD_REMOVE_RADIO,
	HWSIM_MEDIUM_CMD_SET_LINKS,
	HWSIM_MEDIUM_CMD_ADD_FAULT,
	HWSIM_MEDIUM_CMD_GET_RADIO,
	HWSIM_MEDIUM_CMD_GET_LINK,
	HWSIM_MEDIUM_CMD_GET_AIR,
	HWSIM_MEDIUM_CMD_SET_PAYLOAD,
	HWSIM_MEDIUM_CMD_GET_PEER,
};

/**
 * enum hwsim_medium_link_attr - what one radio hears of another
 */
enum hwsim_medium_link_attr {
	HWSIM_MEDIUM_LINK_ATTR_UNSPEC,
	HWSIM_MEDIUM_LINK_ATTR_FROM,		/* u32: radio that sends */
	HWSIM_MEDIUM_LINK_ATTR_TO,		/* u32: radio that receives */
	HWSIM_MEDIUM_LINK_ATTR_GAIN_MB,		/* s32: of the path, antennas
						 * included: what is received
						 * less what is sent
						 */
	HWSIM_MEDIUM_LINK_ATTR_FADING,		/* u32: table of quantiles that
						 * changes it, 0 or absent: none
						 */
	HWSIM_MEDIUM_LINK_ATTR_COHERENCE_US,	/* u32: how long one draw of it
						 * holds, 0 or absent: one frame
						 */
	HWSIM_MEDIUM_LINK_ATTR_DELAY_NS,	/* u32: propagation delay, 0 or
						 * absent: none; at most
						 * HWSIM_MEDIUM_DELAY_MAX_NS
						 */
	__HWSIM_MEDIUM_LINK_ATTR_END,
	HWSIM_MEDIUM_LINK_ATTR_MAX = __HWSIM_MEDIUM_LINK_ATTR_END - 1,
};

/**
 * enum hwsim_medium_phy - kinds of PHY
 */
enum hwsim_medium_phy {
	HWSIM_MEDIUM_PHY_DSSS,
	HWSIM_MEDIUM_PHY_OFDM,
	HWSIM_MEDIUM_PHY_HT,
	HWSIM_MEDIUM_PHY_VHT,
	HWSIM_MEDIUM_NUM_PHYS,
};

/**
 * enum hwsim_medium_width - channel widths
 */
enum hwsim_medium_width {
	HWSIM_MEDIUM_WIDTH_20_MHZ,
	HWSIM_MEDIUM_WIDTH_40_MHZ,
	HWSIM_MEDIUM_WIDTH_80_MHZ,
	HWSIM_MEDIUM_WIDTH_160_MHZ,
	HWSIM_MEDIUM_NUM_WIDTHS,
};

/**
 * enum hwsim_medium_rate_attr - a rate of the PHY
 */
enum hwsim_medium_rate_attr {
	HWSIM_MEDIUM_RATE_ATTR_UNSPEC,
	HWSIM_MEDIUM_RATE_ATTR_PHY,		/* u8: enum hwsim_medium_phy */
	HWSIM_MEDIUM_RATE_ATTR_MCS,		/* u8: DSSS 0 to 3 (1, 2, 5.5,
						 * 11 Mbit/s), OFDM 0 to 7 (6 to
						 * 54 Mbit/s), HT 0 to 7, VHT 0
						 * to 9
						 */
	HWSIM_MEDIUM_RATE_ATTR_STREAMS,		/* u8: HT, VHT: up to 4; absent:
						 * 1
						 */
	HWSIM_MEDIUM_RATE_ATTR_WIDTH,		/* u8: enum hwsim_medium_width;
						 * absent: 20 MHz
						 */
	HWSIM_MEDIUM_RATE_ATTR_SHORT_GI,	/* flag: HT, VHT: guard interval
						 * of 400 ns
						 */
	HWSIM_MEDIUM_RATE_ATTR_SHORT_PREAMBLE,	/* flag: DSSS */
	__HWSIM_MEDIUM_RATE_ATTR_END,
	HWSIM_MEDIUM_RATE_ATTR_MAX = __HWSIM_MEDIUM_RATE_ATTR_END - 1,
};

/**
 * enum hwsim_medium_frame - kinds of frames, for faults and captures
 */
enum hwsim_medium_frame {
	HWSIM_MEDIUM_FRAME_ANY,
	HWSIM_MEDIUM_FRAME_DATA,
	HWSIM_MEDIUM_FRAME_MGMT,
	HWSIM_MEDIUM_FRAME_BEACON,
	HWSIM_MEDIUM_FRAME_ACK,
	HWSIM_MEDIUM_FRAME_BA,
	HWSIM_MEDIUM_FRAME_BAR,
	HWSIM_MEDIUM_FRAME_RTS,
	HWSIM_MEDIUM_FRAME_CTS,
	HWSIM_MEDIUM_NUM_FRAMES,
};

/**
 * enum hwsim_medium_fault_action - what happens to a frame that a fault hits
 * @HWSIM_MEDIUM_FAULT_LOSE: the receiver does not detect it
 * @HWSIM_MEDIUM_FAULT_DAMAGE: it arrives with a bad FCS
 */
enum hwsim_medium_fault_action {
	HWSIM_MEDIUM_FAULT_LOSE,
	HWSIM_MEDIUM_FAULT_DAMAGE,
};

/**
 * enum hwsim_medium_ac - access categories, as mac80211 numbers them
 */
enum hwsim_medium_ac {
	HWSIM_MEDIUM_AC_VO,
	HWSIM_MEDIUM_AC_VI,
	HWSIM_MEDIUM_AC_BE,
	HWSIM_MEDIUM_AC_BK,
};

/**
 * enum hwsim_medium_airtime_attr - how the time of a channel is spent
 *
 * Numbers of ns (uint). They add up to the time since the channel was first
 * used.
 */
enum hwsim_medium_airtime_attr {
	HWSIM_MEDIUM_AIRTIME_ATTR_UNSPEC,
	HWSIM_MEDIUM_AIRTIME_ATTR_IDLE,
	HWSIM_MEDIUM_AIRTIME_ATTR_DATA,		/* data frames, retries included */
	HWSIM_MEDIUM_AIRTIME_ATTR_MGMT,		/* beacons and management frames */
	HWSIM_MEDIUM_AIRTIME_ATTR_CONTROL,	/* ACK, BA, BAR, RTS, CTS */
	HWSIM_MEDIUM_AIRTIME_ATTR_IFS,		/* SIFS, AIFS, EIFS, time-outs */
	HWSIM_MEDIUM_AIRTIME_ATTR_BACKOFF,
	HWSIM_MEDIUM_AIRTIME_ATTR_OVERLAP,	/* two or more frames at once */
	HWSIM_MEDIUM_AIRTIME_ATTR_ENERGY,	/* silence that other channels
						 * enforce
						 */
	__HWSIM_MEDIUM_AIRTIME_ATTR_END,
	HWSIM_MEDIUM_AIRTIME_ATTR_MAX = __HWSIM_MEDIUM_AIRTIME_ATTR_END - 1,
};

/**
 * enum hwsim_medium_count_attr - what happened to frames between two radios
 *
 * Numbers of frames (uint). SENT, counted where a frame is sent, is the sum of
 * what is counted where it arrives: DELIVERED, DAMAGED, COLLIDED, LOST, HEADER
 * and AWAY. APPROXIMATE counts some of DAMAGED and COLLIDED once more.
 */
enum hwsim_medium_count_attr {
	HWSIM_MEDIUM_COUNT_ATTR_UNSPEC,
	HWSIM_MEDIUM_COUNT_ATTR_SENT,		/* MPDUs, each attempt */
	HWSIM_MEDIUM_COUNT_ATTR_RETRIES,	/* of those, repetitions */
	HWSIM_MEDIUM_COUNT_ATTR_DELIVERED,	/* correct FCS */
	HWSIM_MEDIUM_COUNT_ATTR_DAMAGED,	/* FCS wrong, nothing else on
						 * the air
						 */
	HWSIM_MEDIUM_COUNT_ATTR_COLLIDED,	/* not delivered, other frames
						 * on the air
						 */
	HWSIM_MEDIUM_COUNT_ATTR_LOST,		/* not detected */
	HWSIM_MEDIUM_COUNT_ATTR_HEADER,		/* PHY header wrong */
	HWSIM_MEDIUM_COUNT_ATTR_AWAY,		/* the receiver was on another
						 * channel
						 */
	HWSIM_MEDIUM_COUNT_ATTR_ACKED,		/* the sender knows of the
						 * delivery
						 */
	HWSIM_MEDIUM_COUNT_ATTR_DROPPED,	/* given up by the sender */
	HWSIM_MEDIUM_COUNT_ATTR_BYTES,		/* in DELIVERED */
	HWSIM_MEDIUM_COUNT_ATTR_APPROXIMATE,	/* handed up with a bad FCS */
	HWSIM_MEDIUM_COUNT_ATTR_REPEATED,	/* MPDUs that were sent more
						 * than once
						 */
	__HWSIM_MEDIUM_COUNT_ATTR_END,
	HWSIM_MEDIUM_COUNT_ATTR_MAX = __HWSIM_MEDIUM_COUNT_ATTR_END - 1,
};

/**
 * enum hwsim_medium_access_attr - channel access of a radio (uint)
 */
enum hwsim_medium_access_attr {
	HWSIM_MEDIUM_ACCESS_ATTR_UNSPEC,
	HWSIM_MEDIUM_ACCESS_ATTR_ATTEMPTS,	/* transmissions */
	HWSIM_MEDIUM_ACCESS_ATTR_SUCCESSES,	/* of those */
	HWSIM_MEDIUM_ACCESS_ATTR_INSIDE,	/* collisions with another
						 * access category of the radio
						 */
	HWSIM_MEDIUM_ACCESS_ATTR_AIR_NS,	/* ns on the air */
	HWSIM_MEDIUM_ACCESS_ATTR_ACQUIRE_NS,	/* ns of idle time just before:
						 * IFS and slots
						 */
	HWSIM_MEDIUM_ACCESS_ATTR_ANSWER_NS,	/* ns from there to the ends of
						 * answers, or to time-outs
						 */
	HWSIM_MEDIUM_ACCESS_ATTR_RTS_UNANSWERED,	/* RTS without CTS */
	HWSIM_MEDIUM_ACCESS_ATTR_BAR_UNANSWERED,	/* BlockAckReq without
							 * BlockAck
							 */
	__HWSIM_MEDIUM_ACCESS_ATTR_END,
	HWSIM_MEDIUM_ACCESS_ATTR_MAX = __HWSIM_MEDIUM_ACCESS_ATTR_END - 1,
};

enum hwsim_medium_attr {
	HWSIM_MEDIUM_ATTR_UNSPEC,
	HWSIM_MEDIUM_ATTR_PAD,
	HWSIM_MEDIUM_ATTR_ID,			/* u32 */
	HWSIM_MEDIUM_ATTR_SEED,			/* u64 */
	HWSIM_MEDIUM_ATTR_MODEL,		/* string: name of the error model */
	HWSIM_MEDIUM_ATTR_CAPTURE_MB,		/* s32: a frame this much stronger
						 * captures a receiver; absent: none
						 * does
						 */
	HWSIM_MEDIUM_ATTR_CURVE,		/* u32: enum hwsim_medium_curve */
	HWSIM_MEDIUM_ATTR_START_MB,		/* s32: SINR of the first point */
	HWSIM_MEDIUM_ATTR_STEP_MB,		/* u32: from point to point */
	HWSIM_MEDIUM_ATTR_HAZARDS,		/* u64[]: in 2^-60, never rising */
	HWSIM_MEDIUM_ATTR_BURST,		/* u32: mean wrong bits of an error
						 * event in 1/256; absent: 1
						 */
	HWSIM_MEDIUM_ATTR_FADING,		/* u32 */
	HWSIM_MEDIUM_ATTR_QUANTILES,		/* s32[]: gains in mB, rising */
	HWSIM_MEDIUM_ATTR_RADIO,		/* u32: index of the hwsim radio */
	HWSIM_MEDIUM_ATTR_STREAM,		/* u64: its name in random streams */
	HWSIM_MEDIUM_ATTR_NOISE_MBM,		/* s32: noise in 20 MHz */
	HWSIM_MEDIUM_ATTR_ED_MBM,		/* s32: energy that counts as busy */
	HWSIM_MEDIUM_ATTR_DETECT_OFDM_MB,	/* s32: SINR that detects preambles */
	HWSIM_MEDIUM_ATTR_DETECT_DSSS_MB,	/* s32 */
	HWSIM_MEDIUM_ATTR_MAX_PPDU_US,		/* u32: longest A-MPDU */
	HWSIM_MEDIUM_ATTR_RETRIES,		/* u32: attempts of a data frame; 0:
						 * as rate control says
						 */
	HWSIM_MEDIUM_ATTR_APPROX,		/* u8: deliver damaged frames */
	HWSIM_MEDIUM_ATTR_LINK,			/* nest, one for each link: enum
						 * hwsim_medium_link_attr
						 */
	HWSIM_MEDIUM_ATTR_FAULT_KIND,		/* u32: enum hwsim_medium_frame */
	HWSIM_MEDIUM_ATTR_FAULT_ACTION,		/* u32 */
	HWSIM_MEDIUM_ATTR_FAULT_SKIP,		/* u32: frames that pass before */
	HWSIM_MEDIUM_ATTR_FAULT_COUNT,		/* u32: frames that are hit */
	HWSIM_MEDIUM_ATTR_FAULT_FROM,		/* u32: radio; absent: any */
	HWSIM_MEDIUM_ATTR_FAULT_TO,		/* u32: radio that they are for;
						 * absent: any
						 */
	HWSIM_MEDIUM_ATTR_FREQ_MHZ,		/* u32 */
	HWSIM_MEDIUM_ATTR_TIME_NS,		/* u64: nominal, CLOCK_MONOTONIC */
	HWSIM_MEDIUM_ATTR_FROM,			/* u32: radio */
	HWSIM_MEDIUM_ATTR_TO,			/* u32: radio */
	HWSIM_MEDIUM_ATTR_COUNTS,		/* nest: enum
						 * hwsim_medium_count_attr
						 */
	HWSIM_MEDIUM_ATTR_AIRTIMES,		/* nest: enum
						 * hwsim_medium_airtime_attr
						 */
	HWSIM_MEDIUM_ATTR_ACCESS,		/* nest: enum
						 * hwsim_medium_access_attr
						 */
	HWSIM_MEDIUM_ATTR_RATE,			/* nest: enum hwsim_medium_rate_attr,
						 * of unicast data, instead of rate
						 * control's; empty: rate control's
						 * again
						 */
	HWSIM_MEDIUM_ATTR_LATENCY_US,		/* u32: a frame takes up to that long
						 * from its host into an idle radio,
						 * uniformly distributed
						 */
	HWSIM_MEDIUM_ATTR_ADDR,			/* 6 bytes: a MAC address */
	HWSIM_MEDIUM_ATTR_PAYLOAD,		/* up to 255 bytes */
	HWSIM_MEDIUM_ATTR_ARRIVALS,		/* u64: answers with payload */
	HWSIM_MEDIUM_ATTR_MORE_DATA,		/* u8: data frames indicate whether
						 * more are queued
						 */
	HWSIM_MEDIUM_ATTR_NO_RETRY_MARK,	/* u32: packets with this mark
						 * (SO_MARK) are tried once; 0: none
						 */
	HWSIM_MEDIUM_ATTR_FAULT_LISTENER,	/* u32: radio at which they are hit,
						 * if not their receiver
						 */
	HWSIM_MEDIUM_ATTR_FAULT_SHARE,		/* u32: chance of each to be hit, in
						 * 2^-32; absent: each is
						 */
	HWSIM_MEDIUM_ATTR_FLIPS,		/* u64[]: as HAZARDS, of error events in
						 * damaged frames; absent: HAZARDS
						 */
	HWSIM_MEDIUM_ATTR_CLOCK_US,		/* u32: its TSF less the time of day */
	HWSIM_MEDIUM_ATTR_CLOCK_PPB,		/* s32: how much faster it runs, up to
						 * 100 ppm (11.1.3.10)
						 */
	HWSIM_MEDIUM_ATTR_AC,			/* u8: enum hwsim_medium_ac */
	HWSIM_MEDIUM_ATTR_SHORT_SLOTS,		/* u8: slots of 9 us whatever the
						 * network says, as some radios have
						 * in an IBSS at 2.4 GHz
						 */
	HWSIM_MEDIUM_ATTR_ANSWER_DELAY_US,	/* u32: how much later than SIFS its
						 * ACKs and BlockAcks are
						 */
	HWSIM_MEDIUM_ATTR_ANSWER_WAIT_US,	/* u32: how much longer it waits for
						 * answers
						 */
	HWSIM_MEDIUM_ATTR_DROP_TAIL,		/* u32: how many packets mac80211
						 * queues for it before it drops
						 * new ones; 0: FQ-CoDel
						 */
	HWSIM_MEDIUM_ATTR_OLDEST_FIRST,		/* u8: the station whose packet has
						 * waited longest is served next;
						 * 0: stations take turns
						 */
	HWSIM_MEDIUM_ATTR_POWER_MBM,		/* s32: transmit power, unless
						 * mac80211 allows less; absent: 20
						 * dBm
						 */
	HWSIM_MEDIUM_ATTR_OWN_ADDR,		/* 6 bytes: address of the interface
						 * whose peer has ADDR; absent:
						 * the radio's first one
						 */
	HWSIM_MEDIUM_ATTR_RETRY_APPROX,		/* u8: frames with partial checksum
						 * coverage are retried like others;
						 * 0: they are tried once
						 */
	__HWSIM_MEDIUM_ATTR_END,
	HWSIM_MEDIUM_ATTR_MAX = __HWSIM_MEDIUM_ATTR_END - 1,
};

#endif
