// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a monitor of the air sees: every frame of the hwsim medium with a
 * radiotap header and its nominal time, ACK, BlockAck, RTS and CTS included.
 *
 * Frames are captured as sent. One that overlapped others has a bad FCS, and
 * the flag for it, unless its receiver got it intact, which is not known yet
 * with propagation delays. A packet's time stamp is the start of the PPDU,
 * radiotap's TSFT that of the frame's first bit.
 */
#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/unaligned.h>
#include <net/ieee80211_radiotap.h>
#include "hwsim_medium_air.h"

#define HEADER_ROOM	64
#define CONTROL_ROOM	64	/* the longest of them, without payload */
#define BA_FRAGMENT_256	4	/* fragment number: a bitmap of 256 bits (802.11ax-2021) */

/* bandwidth, MCS, guard interval, format, FEC, STBC, and extension streams */
#define MCS_KNOWN	(IEEE80211_RADIOTAP_MCS_HAVE_BW | \
			 IEEE80211_RADIOTAP_MCS_HAVE_MCS | \
			 IEEE80211_RADIOTAP_MCS_HAVE_GI | \
			 IEEE80211_RADIOTAP_MCS_HAVE_FMT | \
			 IEEE80211_RADIOTAP_MCS_HAVE_FEC | \
			 IEEE80211_RADIOTAP_MCS_HAVE_STBC | 0x40)

/* guard interval, bandwidth */
#define VHT_KNOWN	(IEEE80211_RADIOTAP_VHT_KNOWN_GI | \
			 IEEE80211_RADIOTAP_VHT_KNOWN_BANDWIDTH)
#define VHT_CODING_ROOM	8	/* MCS and streams of four users, coding, group, AID */

/* radiotap's numbers of bandwidths */
static const u8 vht_bandwidths[HWSIM_PHY_NUM_WIDTHS] = { 0, 1, 4, 11 };

/* when the first bit of a frame is on the air */
static u64 tsf_us(const struct hwsim_ppdu *ppdu, u32 offset)
{
	u64 ns = ppdu->payload_ns +
		 div_u64(offset * 8ULL * 1000000, hwsim_phy_rate_kbps(&ppdu->rate));

	return ktime_to_us(ktime_mono_to_real(ns_to_ktime(ns)));
}

/* @i: number of the frame within the PPDU */
static bool is_wrong(const struct hwsim_ppdu *ppdu, u32 i)
{
	return ppdu->overlapped && !test_bit(i, ppdu->arrived);
}

/* of a single user, not coded by LDPC; returns the end of the field */
static u32 put_vht(u8 *header, u32 at, const struct hwsim_phy_rate *rate)
{
	at = ALIGN(at, 2);
	put_unaligned_le16(VHT_KNOWN, header + at);
	if (rate->guard == HWSIM_PHY_GUARD_400NS)
		header[at + 2] = IEEE80211_RADIOTAP_VHT_FLAG_SGI;
	header[at + 3] = vht_bandwidths[rate->width];
	header[at + 4] = rate->mcs << 4 | rate->streams;
	return at + 4 + VHT_CODING_ROOM;
}

static void put_radiotap(struct sk_buff *skb, const struct hwsim_ppdu *ppdu,
			 u32 i, const s8 *signal_dbm)
{
	const struct hwsim_phy_rate *rate = &ppdu->rate;
	bool is_5ghz = ppdu->air->freq_mhz > 4000;
	u32 present = BIT(IEEE80211_RADIOTAP_TSFT) |
		      BIT(IEEE80211_RADIOTAP_FLAGS) |
		      BIT(IEEE80211_RADIOTAP_CHANNEL);
	u16 channel = is_5ghz ? IEEE80211_CHAN_5GHZ : IEEE80211_CHAN_2GHZ;
	u8 header[HEADER_ROOM] = {}, flags = IEEE80211_RADIOTAP_F_FCS;
	u16 ampdu = IEEE80211_RADIOTAP_AMPDU_LAST_KNOWN;
	u32 at = 8;

	put_unaligned_le64(tsf_us(ppdu, ppdu->offsets[i]), header + at);
	at += 8;
	if (is_wrong(ppdu, i))
		flags |= IEEE80211_RADIOTAP_F_BADFCS;
	if (rate->short_preamble)
		flags |= IEEE80211_RADIOTAP_F_SHORTPRE;
	header[at++] = flags;
	if (rate->class <= HWSIM_PHY_OFDM) {
		present |= BIT(IEEE80211_RADIOTAP_RATE);
		header[at] = hwsim_phy_rate_kbps(rate) / 500;
	}
	at++;	/* the rate, or padding of the channel */
	channel |= rate->class == HWSIM_PHY_DSSS ? IEEE80211_CHAN_CCK :
						   IEEE80211_CHAN_OFDM;
	put_unaligned_le16(ppdu->air->freq_mhz, header + at);
	put_unaligned_le16(channel, header + at + 2);
	at += 4;
	if (signal_dbm) {
		present |= BIT(IEEE80211_RADIOTAP_DBM_ANTSIGNAL);
		header[at++] = *signal_dbm;
	}
	if (rate->class == HWSIM_PHY_HT) {
		present |= BIT(IEEE80211_RADIOTAP_MCS);
		header[at++] = MCS_KNOWN;
		header[at++] = (rate->width ? IEEE80211_RADIOTAP_MCS_BW_40 : 0) |
			       (rate->guard == HWSIM_PHY_GUARD_400NS ?
				IEEE80211_RADIOTAP_MCS_SGI : 0);
		header[at++] = rate->mcs + 8 * (rate->streams - 1);
	}
	if (ppdu->format != HWSIM_FORMAT_PLAIN) {
		present |= BIT(IEEE80211_RADIOTAP_AMPDU_STATUS);
		at = ALIGN(at, 4);
		put_unaligned_le32((u32)ppdu->event.serial, header + at);
		if (i + 1 == ppdu->count)
			ampdu |= IEEE80211_RADIOTAP_AMPDU_IS_LAST;
		if (ppdu->format == HWSIM_FORMAT_SINGLE)
			ampdu |= IEEE80211_RADIOTAP_AMPDU_EOF |
				 IEEE80211_RADIOTAP_AMPDU_EOF_KNOWN;
		put_unaligned_le16(ampdu, header + at + 4);
		at += 8;	/* number, flags, CRC, reserved */
	}
	if (rate->class == HWSIM_PHY_VHT) {
		present |= BIT(IEEE80211_RADIOTAP_VHT);
		at = put_vht(header, at, rate);
	}
	put_unaligned_le16(at, header + 2);
	put_unaligned_le32(present, header + 4);
	memcpy(skb_push(skb, at), header, at);
}

/* the FCS, or a wrong one */
static void put_fcs(struct sk_buff *skb, bool wrong)
{
	u32 fcs = ~crc32_le(~0, skb->data, skb->len);

	put_unaligned_le32(wrong ? ~fcs : fcs, skb_put(skb, HWSIM_FCS_BYTES));
}

/* @skb: frame @i of a transmission, or NULL if memory ran out */
static void emit(const struct hwsim_ppdu *ppdu, u32 i, struct sk_buff *skb,
		 const s8 *signal_dbm)
{
	if (skb) {
		put_fcs(skb, is_wrong(ppdu, i));
		put_radiotap(skb, ppdu, i, signal_dbm);
		/* a copy of a TCP packet has a time of another clock */
		skb_set_delivery_time(skb, ktime_mono_to_real(ns_to_ktime(ppdu->start_ns)),
				      SKB_CLOCK_REALTIME);
	}
	ppdu->radio->ops->capture(skb);
}

/* starting sequence control and bitmap of a BlockAck (9.3.1.8.2) */
static void put_bitmap(struct sk_buff *skb, const struct hwsim_scoreboard *board)
{
	u16 fragment = board->bits > HWSIM_BA_BITS ? BA_FRAGMENT_256 : 0;
	u64 words[HWSIM_BA_BITS_MAX / 64];
	u32 i;

	put_unaligned_le16(IEEE80211_SN_TO_SEQ(board->start) | fragment,
			   skb_put(skb, 2));
	bitmap_to_arr64(words, board->bitmap, board->bits);
	for (i = 0; i < board->bits / 64; i++)
		put_unaligned_le64(words[i], skb_put(skb, 8));
}

/**
 * hwsim_control_frame - an ACK, BlockAck, RTS or CTS as bytes
 * @ppdu: the transmission
 *
 * Return: the frame, without FCS but with room for it and for a radiotap
 *	header, or NULL
 */
struct sk_buff *hwsim_control_frame(const struct hwsim_ppdu *ppdu)
{
	u32 payload = ppdu->payload ? ppdu->payload->bytes : 0;
	struct sk_buff *skb = alloc_skb(HEADER_ROOM + CONTROL_ROOM + payload +
					HWSIM_FCS_BYTES, GFP_ATOMIC);
	static const u16 types[HWSIM_MEDIUM_NUM_FRAMES] = {
		[HWSIM_MEDIUM_FRAME_ACK] = IEEE80211_STYPE_ACK,
		[HWSIM_MEDIUM_FRAME_BA] = IEEE80211_STYPE_BACK,
		[HWSIM_MEDIUM_FRAME_RTS] = IEEE80211_STYPE_RTS,
		[HWSIM_MEDIUM_FRAME_CTS] = IEEE80211_STYPE_CTS,
	};
	u16 control;

	if (!skb)
		return NULL;
	skb_reserve(skb, HEADER_ROOM);
	put_unaligned_le16(IEEE80211_FTYPE_CTL | types[ppdu->kind],
			   skb_put(skb, 2));
	put_unaligned_le16(ppdu->duration_us, skb_put(skb, 2));
	skb_put_data(skb, ppdu->ra, ETH_ALEN);
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS ||
	    ppdu->kind == HWSIM_MEDIUM_FRAME_BA)
		skb_put_data(skb, ppdu->ta, ETH_ALEN);
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_BA) {
		control = IEEE80211_BAR_CTRL_CBMTID_COMPRESSED_BA |
			  ppdu->tid << IEEE80211_BAR_CTRL_TID_INFO_SHIFT;
		put_unaligned_le16(control, skb_put(skb, 2));
		put_bitmap(skb, &ppdu->ba);
	}
	if (payload)
		skb_put_data(skb, ppdu->payload->data, payload);
	return skb;
}

/* signal at a frame's receiver; false if it has no single receiver */
static bool signal_of(const struct hwsim_ppdu *ppdu, s8 *signal_dbm)
{
	const struct hwsim_radio *to = ppdu->to;
	const struct hwsim_link *link;
	s32 level_mbm;

	if (!to || to->air != ppdu->air)
		return false;
	link = hwsim_link_of(ppdu->radio, to);
	if (!link)
		return false;
	level_mbm = hwsim_link_level_mb(to, link, ppdu) + to->noise_mbm;
	*signal_dbm = clamp(DIV_ROUND_CLOSEST(level_mbm, 100), S8_MIN, S8_MAX);
	return true;
}

/**
 * hwsim_capture_ppdu - capture a transmission that has ended
 * @ppdu: the transmission
 */
void hwsim_capture_ppdu(const struct hwsim_ppdu *ppdu)
{
	const s8 *signal_dbm;
	s8 level_dbm;
	u32 i;

	if (!ppdu->radio || !ppdu->radio->ops->captured())
		return;
	signal_dbm = signal_of(ppdu, &level_dbm) ? &level_dbm : NULL;
	for (i = 0; i < ppdu->count; i++)
		emit(ppdu, i, skb_copy_expand(ppdu->mpdus[i]->skb, HEADER_ROOM,
					      HWSIM_FCS_BYTES, GFP_ATOMIC),
		     signal_dbm);
	if (ppdu->kind < HWSIM_MEDIUM_FRAME_ACK ||
	    ppdu->kind == HWSIM_MEDIUM_FRAME_BAR)
		return;
	emit(ppdu, 0, hwsim_control_frame(ppdu), signal_dbm);
}
