// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rates of a frame: those of rate control or a fixed one, as rates of the PHY.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

static const u16 width_flags[HWSIM_PHY_NUM_WIDTHS] = {
	[HWSIM_PHY_40MHZ] = IEEE80211_TX_RC_40_MHZ_WIDTH,
	[HWSIM_PHY_80MHZ] = IEEE80211_TX_RC_80_MHZ_WIDTH,
	[HWSIM_PHY_160MHZ] = IEEE80211_TX_RC_160_MHZ_WIDTH,
};

static u8 width_of(const struct ieee80211_tx_rate *rate)
{
	u8 width = HWSIM_PHY_160MHZ;

	while (width && !(rate->flags & width_flags[width]))
		width--;
	return width;
}

/**
 * hwsim_rate_narrow - limit the width of a rate
 * @rate: a rate of rate control
 * @width: the limit, &enum hwsim_phy_width
 */
void hwsim_rate_narrow(struct ieee80211_tx_rate *rate, u8 width)
{
	struct hwsim_phy_rate vht = { .class = HWSIM_PHY_VHT, .width = width };
	u8 wide = width_of(rate);

	if (wide <= width)
		return;
	rate->flags &= ~width_flags[wide];
	rate->flags |= width_flags[width];
	if (!(rate->flags & IEEE80211_TX_RC_VHT_MCS))
		return;
	/* MCS 9 does not exist in all widths */
	vht.mcs = ieee80211_rate_get_vht_mcs(rate);
	vht.streams = ieee80211_rate_get_vht_nss(rate);
	while (!hwsim_phy_rate_valid(&vht) && vht.mcs)
		vht.mcs--;
	ieee80211_rate_set_vht(rate, vht.mcs, vht.streams);
}

static struct hwsim_phy_rate legacy_rate(const struct hwsim_radio *radio, int idx)
{
	static const u16 dsss[] = { 10, 20, 55, 110 };
	static const u16 ofdm[] = { 60, 90, 120, 180, 240, 360, 480, 540 };
	struct ieee80211_supported_band *band =
		radio->hw->wiphy->bands[radio->channel->band];
	struct hwsim_phy_rate rate = { .streams = 1 };
	u16 bitrate;
	int i;

	idx = clamp(idx, 0, band->n_bitrates - 1);
	bitrate = band->bitrates[idx].bitrate;
	for (i = 0; i < ARRAY_SIZE(dsss); i++) {
		if (dsss[i] != bitrate)
			continue;
		rate.class = HWSIM_PHY_DSSS;
		rate.mcs = i;
		return rate;
	}
	rate.class = HWSIM_PHY_OFDM;
	for (i = 0; i < ARRAY_SIZE(ofdm); i++)
		if (ofdm[i] <= bitrate)
			rate.mcs = i;
	return rate;
}

/**
 * hwsim_rate_of - convert a rate of rate control to one of the PHY
 * @radio: the sender
 * @from: the rate
 *
 * Return: the rate; the lowest one if the PHY lacks it
 */
struct hwsim_phy_rate hwsim_rate_of(const struct hwsim_radio *radio,
				    const struct ieee80211_tx_rate *from)
{
	struct hwsim_phy_rate rate = { .streams = 1 };

	if (!(from->flags & (IEEE80211_TX_RC_MCS | IEEE80211_TX_RC_VHT_MCS))) {
		rate = legacy_rate(radio, from->idx);
		rate.short_preamble =
			from->flags & IEEE80211_TX_RC_USE_SHORT_PREAMBLE;
		return rate;
	}
	if (from->flags & IEEE80211_TX_RC_VHT_MCS) {
		rate.class = HWSIM_PHY_VHT;
		rate.mcs = ieee80211_rate_get_vht_mcs(from);
		rate.streams = ieee80211_rate_get_vht_nss(from);
	} else {
		rate.class = HWSIM_PHY_HT;
		rate.mcs = from->idx % 8;
		rate.streams = from->idx / 8 + 1;
	}
	if (from->flags & IEEE80211_TX_RC_SHORT_GI)
		rate.guard = HWSIM_PHY_GUARD_400NS;
	rate.width = width_of(from);
	return hwsim_phy_rate_valid(&rate) ? rate : legacy_rate(radio, 0);
}

/*
 * Apply mac80211's decision about protection to the fixed rate: it was made for
 * the rates of rate control.
 */
static void protect_fixed(const struct hwsim_radio *radio,
			  struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);

	if (info->control.use_rts)
		mpdu->rates[0].flags |= IEEE80211_TX_RC_USE_RTS_CTS;
	else if (info->control.use_cts_prot &&
		 radio->mac->fixed_rate.class != HWSIM_PHY_DSSS)
		mpdu->rates[0].flags |= IEEE80211_TX_RC_USE_CTS_PROTECT;
}

/* convert the fixed rate to one of rate control */
static void fix_rate(const struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_supported_band *band =
		radio->hw->wiphy->bands[radio->channel->band];
	const struct hwsim_phy_rate *fixed = &radio->mac->fixed_rate;
	struct ieee80211_tx_rate *rate = &mpdu->rates[0];
	u32 bitrate = hwsim_phy_rate_kbps(fixed) / 100;
	int i;

	rate->count = radio->hw->conf.short_frame_max_tx_count;
	mpdu->rates[1].idx = -1;
	rate->flags = fixed->guard == HWSIM_PHY_GUARD_400NS ?
		      IEEE80211_TX_RC_SHORT_GI : 0;
	rate->flags |= width_flags[fixed->width];
	switch (fixed->class) {
	case HWSIM_PHY_HT:
		rate->idx = fixed->mcs + 8 * (fixed->streams - 1);
		rate->flags |= IEEE80211_TX_RC_MCS;
		break;
	case HWSIM_PHY_VHT:
		ieee80211_rate_set_vht(rate, fixed->mcs, fixed->streams);
		rate->flags |= IEEE80211_TX_RC_VHT_MCS;
		break;
	default:
		if (fixed->short_preamble)
			rate->flags |= IEEE80211_TX_RC_USE_SHORT_PREAMBLE;
		for (i = 0; i < band->n_bitrates; i++)
			if (band->bitrates[i].bitrate == bitrate)
				rate->idx = i;
	}
	protect_fixed(radio, mpdu);
}

/*
 * Let rate control select rates again, except for a probe that was not sent yet.
 */
static void forget_rates(struct hwsim_mpdu *mpdu)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);
	bool probes = info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE;
	int i = 0;

	if (probes && !mpdu->attempts)
		i = 1;
	else
		info->flags &= ~IEEE80211_TX_CTL_RATE_CTRL_PROBE;
	for (; i < IEEE80211_TX_MAX_RATES; i++)
		info->control.rates[i].idx = -1;
}

/**
 * hwsim_rates_select - the rates to try, as rate control wants them now
 * @radio: the sender
 * @sta: the receiver, or NULL
 * @mpdu: the frame; gets the rates
 */
void hwsim_rates_select(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			struct hwsim_mpdu *mpdu)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);

	if (mpdu->reselect)
		forget_rates(mpdu);
	if (mpdu->reselect || ieee80211_hw_check(radio->hw, SUPPORTS_RC_TABLE))
		ieee80211_get_tx_rates(info->control.vif, sta, mpdu->skb,
				       mpdu->rates, ARRAY_SIZE(mpdu->rates));
	else
		memcpy(mpdu->rates, info->control.rates, sizeof(mpdu->rates));
	if (radio->mac->has_fixed_rate && mpdu->wants_ack &&
	    mpdu->kind == HWSIM_MEDIUM_FRAME_DATA)
		fix_rate(radio, mpdu);
	memset(mpdu->tried, 0, sizeof(mpdu->tried));
	mpdu->stage = 0;
	mpdu->reselect = false;
}
