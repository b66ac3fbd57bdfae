// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PHY of the hwsim medium: rates, their air time, and the rates of answers.
 *
 * Clauses are those of IEEE 802.11-2020. A rate of HT or VHT is a modulation
 * and coding (Table 19-27 ff.) times streams times data subcarriers, so VHT
 * needs no tables of its own.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include "hwsim_medium_phy.h"

#define DSSS_LONG_PREAMBLE_US	(144 + 48)	/* 16.2.2.2 */
#define DSSS_SHORT_PREAMBLE_US	(72 + 24)	/* 16.2.2.3 */
#define DSSS_HEADER_BITS	48		/* 16.2.3 */

#define OFDM_PREAMBLE_NS	16000		/* short and long training, 17.3.2 */
#define OFDM_SIGNAL_NS		4000
#define OFDM_SIGNAL_BITS	24		/* 17.3.4, BPSK 1/2 */
#define OFDM_SYMBOL_NS		4000
#define OFDM_USEFUL_NS		3200		/* of a symbol, without its guard interval */
#define OFDM_SERVICE_BITS	16
#define OFDM_TAIL_BITS		6		/* of each encoder */
#define OFDM_EXTENSION_NS	6000		/* 18.3.2.4, 19.3.2 */

#define HT_ENCODER_BITS		1080
#define VHT_ENCODER_BITS	2160

#define HT_SIG_NS		8000		/* 19.3.9.4.3 */
#define HT_SIG_BITS		(OFDM_SIGNAL_BITS + 48)
#define HT_STF_NS		4000
#define HT_LTF_NS		4000

#define VHT_SIG_A_NS		8000		/* 21.3.8.3.3 */
#define VHT_SIG_B_NS		4000
#define VHT_STF_NS		4000
#define VHT_LTF_NS		4000

struct modulation {
	u8 coded_bits;		/* per subcarrier and stream */
	u8 numerator;		/* of the coding rate */
	u8 denominator;
	u8 curve;
};

static const u32 dsss_kbps[HWSIM_PHY_NUM_DSSS] = { 1000, 2000, 5500, 11000 };

static const u8 dsss_curves[HWSIM_PHY_NUM_DSSS] = {
	HWSIM_MEDIUM_CURVE_DSSS_1, HWSIM_MEDIUM_CURVE_DSSS_2,
	HWSIM_MEDIUM_CURVE_CCK_5_5, HWSIM_MEDIUM_CURVE_CCK_11,
};

/* Table 17-4, for 48 data subcarriers */
static const struct modulation ofdm_modulations[HWSIM_PHY_NUM_OFDM] = {
	{ 1, 1, 2, HWSIM_MEDIUM_CURVE_BPSK_1_2 },
	{ 1, 3, 4, HWSIM_MEDIUM_CURVE_BPSK_3_4 },
	{ 2, 1, 2, HWSIM_MEDIUM_CURVE_QPSK_1_2 },
	{ 2, 3, 4, HWSIM_MEDIUM_CURVE_QPSK_3_4 },
	{ 4, 1, 2, HWSIM_MEDIUM_CURVE_QAM16_1_2 },
	{ 4, 3, 4, HWSIM_MEDIUM_CURVE_QAM16_3_4 },
	{ 6, 2, 3, HWSIM_MEDIUM_CURVE_QAM64_2_3 },
	{ 6, 3, 4, HWSIM_MEDIUM_CURVE_QAM64_3_4 },
};

/* Tables 19-27 and 21-30 */
static const struct modulation mcs_modulations[HWSIM_PHY_NUM_MCS] = {
	{ 1, 1, 2, HWSIM_MEDIUM_CURVE_BPSK_1_2 },
	{ 2, 1, 2, HWSIM_MEDIUM_CURVE_QPSK_1_2 },
	{ 2, 3, 4, HWSIM_MEDIUM_CURVE_QPSK_3_4 },
	{ 4, 1, 2, HWSIM_MEDIUM_CURVE_QAM16_1_2 },
	{ 4, 3, 4, HWSIM_MEDIUM_CURVE_QAM16_3_4 },
	{ 6, 2, 3, HWSIM_MEDIUM_CURVE_QAM64_2_3 },
	{ 6, 3, 4, HWSIM_MEDIUM_CURVE_QAM64_3_4 },
	{ 6, 5, 6, HWSIM_MEDIUM_CURVE_QAM64_5_6 },
	{ 8, 3, 4, HWSIM_MEDIUM_CURVE_QAM256_3_4 },
	{ 8, 5, 6, HWSIM_MEDIUM_CURVE_QAM256_5_6 },
};

#define OFDM_DATA_SUBCARRIERS	48
static const u16 ht_data_subcarriers[HWSIM_PHY_NUM_WIDTHS] = {
	52, 108, 234, 468,	/* Tables 19-6, 21-5 */
};

/* long training fields by streams, Tables 19-13 and 21-13 */
static const u8 ht_ltfs[HWSIM_PHY_MAX_STREAMS + 1] = { 0, 1, 2, 4, 4 };

/* OFDM rate whose modulation and coding an MCS has, 10.6.11 (Table 10-10) */
static const u8 mcs_ofdm_reference[HWSIM_PHY_NUM_MCS] = {
	0, 2, 3, 4, 5, 6, 7, 7, 7, 7,
};

/* answered if no basic rate fits: 1, 2, 5.5, 11; 6, 12, 24 (10.6.6.5.2) */
#define MANDATORY_RATES		(0xf | BIT(4) | BIT(6) | BIT(8))

/**
 * hwsim_phy_timing - SIFS, slot and signal extension of a band
 * @is_5ghz: else 2.4 GHz
 * @short_slot: slots of 9 us at 2.4 GHz; they always are at 5 GHz
 *
 * Tables 15-5, 16-4, 17-21 and 18-5.
 */
struct hwsim_phy_timing hwsim_phy_timing(bool is_5ghz, bool short_slot)
{
	return (struct hwsim_phy_timing) {
		.sifs_ns = is_5ghz ? 16000 : 10000,
		.slot_ns = is_5ghz || short_slot ? 9000 : 20000,
		.extension_ns = is_5ghz ? 0 : OFDM_EXTENSION_NS,
	};
}

/*
 * Rates of VHT that do not have whole numbers of bits (Tables 21-30 to 21-61).
 */
static bool is_left_out(const struct hwsim_phy_rate *rate)
{
	switch (rate->width) {
	case HWSIM_PHY_20MHZ:
		return rate->mcs == 9 && rate->streams != 3;
	case HWSIM_PHY_80MHZ:
		return rate->mcs == 6 && rate->streams == 3;
	case HWSIM_PHY_160MHZ:
		return rate->mcs == 9 && rate->streams == 3;
	default:
		return false;
	}
}

/**
 * hwsim_phy_rate_valid - whether a rate exists
 * @rate: the rate
 */
bool hwsim_phy_rate_valid(const struct hwsim_phy_rate *rate)
{
	switch (rate->class) {
	case HWSIM_PHY_DSSS:
		return rate->mcs < HWSIM_PHY_NUM_DSSS && rate->streams == 1 &&
		       rate->width == HWSIM_PHY_20MHZ && !rate->guard;
	case HWSIM_PHY_OFDM:
		return rate->mcs < HWSIM_PHY_NUM_OFDM && rate->streams == 1 &&
		       rate->width == HWSIM_PHY_20MHZ && !rate->guard &&
		       !rate->short_preamble;
	case HWSIM_PHY_HT:
		return !rate->short_preamble && rate->mcs < 8 && rate->streams >= 1 &&
		       rate->streams <= HWSIM_PHY_MAX_STREAMS &&
		       rate->guard <= HWSIM_PHY_GUARD_400NS &&
		       rate->width <= HWSIM_PHY_40MHZ;
	case HWSIM_PHY_VHT:
		return !rate->short_preamble && rate->mcs < HWSIM_PHY_NUM_MCS &&
		       rate->streams >= 1 &&
		       rate->streams <= HWSIM_PHY_MAX_STREAMS &&
		       rate->guard <= HWSIM_PHY_GUARD_400NS &&
		       rate->width < HWSIM_PHY_NUM_WIDTHS &&
		       !is_left_out(rate);
	default:
		return false;
	}
}

static const struct modulation *modulation_of(const struct hwsim_phy_rate *rate)
{
	if (rate->class == HWSIM_PHY_OFDM)
		return &ofdm_modulations[rate->mcs];
	return &mcs_modulations[rate->mcs];
}

/* data bits in a symbol (N_DBPS) */
static u32 bits_per_symbol(const struct hwsim_phy_rate *rate)
{
	const struct modulation *modulation = modulation_of(rate);
	u32 subcarriers = OFDM_DATA_SUBCARRIERS;

	if (rate->class != HWSIM_PHY_OFDM)
		subcarriers = ht_data_subcarriers[rate->width] * rate->streams;
	return subcarriers * modulation->coded_bits * modulation->numerator /
	       modulation->denominator;
}

static u32 symbol_ns(const struct hwsim_phy_rate *rate)
{
	static const u16 guards_ns[] = {
		[HWSIM_PHY_GUARD_800NS] = 800, [HWSIM_PHY_GUARD_400NS] = 400,
	};

	return OFDM_USEFUL_NS + guards_ns[rate->guard];
}

/*
 * Convolutional encoders (N_ES): each takes 1080 data bits of a symbol in HT, and
 * 2160 in VHT, which are 300 and 600 Mbit/s with short guard intervals (Tables
 * 19-38, 21-30 to 21-61). All get the same whole number of puncturing blocks.
 */
static u32 encoders(const struct hwsim_phy_rate *rate)
{
	const struct modulation *modulation = modulation_of(rate);
	u32 bits = bits_per_symbol(rate);
	u32 coded = bits * modulation->denominator / modulation->numerator;
	u32 number = DIV_ROUND_UP(bits, rate->class == HWSIM_PHY_VHT ?
				  VHT_ENCODER_BITS : HT_ENCODER_BITS);

	while (coded % (number * modulation->denominator) ||
	       bits % (number * modulation->numerator))
		number++;
	return number;
}

/**
 * hwsim_phy_rate_kbps - data rate
 * @rate: a valid rate
 *
 * Return: kbit/s, rounded down
 */
u32 hwsim_phy_rate_kbps(const struct hwsim_phy_rate *rate)
{
	if (rate->class == HWSIM_PHY_DSSS)
		return dsss_kbps[rate->mcs];
	return div_u64(bits_per_symbol(rate) * 1000000ULL, symbol_ns(rate));
}

/**
 * hwsim_phy_preamble_ns - from the start of a PPDU to its first payload bit
 * @rate: a valid rate
 *
 * Return: ns; preamble, training and PHY header
 */
u32 hwsim_phy_preamble_ns(const struct hwsim_phy_rate *rate)
{
	u32 ltfs_ns;

	switch (rate->class) {
	case HWSIM_PHY_DSSS:
		return NSEC_PER_USEC * (rate->short_preamble && rate->mcs ?
					DSSS_SHORT_PREAMBLE_US :
					DSSS_LONG_PREAMBLE_US);
	case HWSIM_PHY_HT:
		ltfs_ns = HT_LTF_NS * ht_ltfs[rate->streams];
		return OFDM_PREAMBLE_NS + OFDM_SIGNAL_NS + HT_SIG_NS +
		       HT_STF_NS + ltfs_ns;
	case HWSIM_PHY_VHT:
		ltfs_ns = VHT_LTF_NS * ht_ltfs[rate->streams];
		return OFDM_PREAMBLE_NS + OFDM_SIGNAL_NS + VHT_SIG_A_NS +
		       VHT_STF_NS + ltfs_ns + VHT_SIG_B_NS;
	default:
		return OFDM_PREAMBLE_NS + OFDM_SIGNAL_NS;
	}
}

/**
 * hwsim_phy_payload_ns - how long the bits of a PSDU take
 * @rate: a valid rate
 * @psdu_bytes: length of the PSDU
 *
 * 16.3.4, 17.4.3, 19.4.3 (a payload of short guard intervals ends on a
 * boundary of long symbols), 21.4.3.
 *
 * Return: ns, without preamble and signal extension
 */
u32 hwsim_phy_payload_ns(const struct hwsim_phy_rate *rate, u32 psdu_bytes)
{
	u32 tails = 1, symbols, ns;

	if (rate->class == HWSIM_PHY_DSSS)
		return NSEC_PER_USEC * DIV_ROUND_UP(psdu_bytes * 8 * 10,
						    dsss_kbps[rate->mcs] / 100);
	if (rate->class != HWSIM_PHY_OFDM)
		tails = encoders(rate);
	symbols = DIV_ROUND_UP(OFDM_SERVICE_BITS + 8 * psdu_bytes +
			       OFDM_TAIL_BITS * tails, bits_per_symbol(rate));
	ns = symbols * symbol_ns(rate);
	return rate->guard == HWSIM_PHY_GUARD_400NS ? roundup(ns, OFDM_SYMBOL_NS) : ns;
}

/**
 * hwsim_phy_duration_ns - air time of a PPDU (TXTIME)
 * @rate: a valid rate
 * @timing: of the band
 * @psdu_bytes: length of the PSDU
 *
 * Return: ns
 */
u32 hwsim_phy_duration_ns(const struct hwsim_phy_rate *rate,
			  const struct hwsim_phy_timing *timing,
			  u32 psdu_bytes)
{
	u32 ns = hwsim_phy_preamble_ns(rate) +
		 hwsim_phy_payload_ns(rate, psdu_bytes);

	return rate->class == HWSIM_PHY_DSSS ? ns : ns + timing->extension_ns;
}

/**
 * hwsim_phy_curve - which error curve the payload follows
 * @rate: a valid rate
 */
enum hwsim_medium_curve hwsim_phy_curve(const struct hwsim_phy_rate *rate)
{
	if (rate->class == HWSIM_PHY_DSSS)
		return dsss_curves[rate->mcs];
	return modulation_of(rate)->curve;
}

/**
 * hwsim_phy_header_curve - which error curve the PHY header follows
 * @rate: a valid rate
 * @bits: set to the length of the header
 */
enum hwsim_medium_curve
hwsim_phy_header_curve(const struct hwsim_phy_rate *rate, u32 *bits)
{
	if (rate->class == HWSIM_PHY_DSSS) {
		*bits = DSSS_HEADER_BITS;
		return rate->short_preamble && rate->mcs ?
			HWSIM_MEDIUM_CURVE_DSSS_2 : HWSIM_MEDIUM_CURVE_DSSS_1;
	}
	*bits = rate->class == HWSIM_PHY_OFDM ? OFDM_SIGNAL_BITS : HT_SIG_BITS;
	return HWSIM_MEDIUM_CURVE_BPSK_1_2;
}

/* highest bit of @set that is neither below @lowest nor above @highest, or -1 */
static int highest_in(u16 set, int lowest, int highest)
{
	set &= GENMASK(highest, lowest);
	return fls(set) - 1;
}

/**
 * hwsim_phy_stream_loss_mb - what a stream has less than the whole signal
 * @rate: a valid rate
 *
 * A sender divides its power among its streams. A receiver with as many antennas
 * separates them by zero forcing, which leaves each, on average over Rayleigh
 * channels, with the SNR of one antenna: a share of the power (Winters, Salz and
 * Gitlin, IEEE Trans. Commun. 42(2), 1994).
 *
 * Return: 1/100 dB
 */
s32 hwsim_phy_stream_loss_mb(const struct hwsim_phy_rate *rate)
{
	static const u16 losses_mb[HWSIM_PHY_MAX_STREAMS + 1] = {
		0, 0, 301, 477, 602,
	};

	return losses_mb[rate->streams];
}

/**
 * hwsim_phy_is_duplicate - whether each 20 MHz of a PPDU holds the same frame
 * @rate: a valid rate
 *
 * Return: true for a non-HT duplicate (19.3.11.12)
 */
bool hwsim_phy_is_duplicate(const struct hwsim_phy_rate *rate)
{
	return rate->class == HWSIM_PHY_OFDM && rate->width != HWSIM_PHY_20MHZ;
}

/**
 * hwsim_phy_needs_delimiters - whether a PSDU is an A-MPDU, even of one MPDU
 * @rate: a valid rate
 *
 * From VHT on, the PHY header does not have the length of the PSDU in bytes, so
 * an S-MPDU follows a delimiter (9.7.1, 10.12.7).
 */
bool hwsim_phy_needs_delimiters(const struct hwsim_phy_rate *rate)
{
	return rate->class >= HWSIM_PHY_VHT;
}

/**
 * hwsim_phy_response - rate of an ACK, CTS or BlockAck
 * @rate: rate of the frame that is answered
 * @basic_rates: the basic rate set
 *
 * The highest basic rate not above that of the frame, within its class, else
 * the highest mandatory one (10.6.6.5.2). HT and VHT frames are answered in
 * OFDM, by the rate whose modulation and coding they have. The answer to a wide
 * frame is as wide: a non-HT duplicate (10.6.6.6, 19.3.11.12).
 *
 * Return: the rate of the answer
 */
struct hwsim_phy_rate hwsim_phy_response(const struct hwsim_phy_rate *rate,
					 u16 basic_rates)
{
	struct hwsim_phy_rate response = { .streams = 1 };
	int lowest = 0, highest = rate->mcs, found;

	if (rate->class == HWSIM_PHY_DSSS) {
		response.class = HWSIM_PHY_DSSS;
		response.short_preamble = rate->short_preamble;
	} else {
		response.class = HWSIM_PHY_OFDM;
		response.width = rate->width;
		if (rate->class != HWSIM_PHY_OFDM)
			highest = mcs_ofdm_reference[rate->mcs];
		lowest = HWSIM_PHY_BASIC_OFDM_SHIFT;
		highest += lowest;
	}
	found = highest_in(basic_rates, lowest, highest);
	if (found < 0)
		found = highest_in(MANDATORY_RATES, lowest, highest);
	response.mcs = found - lowest;
	return response;
}

static struct hwsim_phy_rate basic_rate(int bit)
{
	struct hwsim_phy_rate rate = { .class = HWSIM_PHY_DSSS, .streams = 1 };

	rate.mcs = bit;
	if (bit >= HWSIM_PHY_BASIC_OFDM_SHIFT) {
		rate.class = HWSIM_PHY_OFDM;
		rate.mcs -= HWSIM_PHY_BASIC_OFDM_SHIFT;
	}
	return rate;
}

/* the fastest of @basic_rates that is slower than @kbps, or the slowest */
static struct hwsim_phy_rate basic_below(u16 basic_rates, u32 kbps)
{
	struct hwsim_phy_rate found = {}, rate;
	unsigned long bits = basic_rates;
	u32 found_kbps = 0, rate_kbps;
	int bit;

	for_each_set_bit(bit, &bits, HWSIM_PHY_NUM_DSSS + HWSIM_PHY_NUM_OFDM) {
		rate = basic_rate(bit);
		rate_kbps = hwsim_phy_rate_kbps(&rate);
		if (!found_kbps ||
		    (found_kbps >= kbps && rate_kbps < found_kbps) ||
		    (rate_kbps < kbps && rate_kbps > found_kbps)) {
			found = rate;
			found_kbps = rate_kbps;
		}
	}
	return found;
}

/**
 * hwsim_phy_control - rate of an RTS, a CTS-to-self or a BlockAckReq
 * @rate: rate of the frame that it protects, or asks about
 * @basic_rates: the basic rate set
 * @slower: how many basic rates slower
 *
 * One that arrives where the frame would: the rate of the answer to it, if that
 * is a basic one, else the fastest basic rate that is not faster (10.6.6.3).
 *
 * Return: the rate
 */
struct hwsim_phy_rate hwsim_phy_control(const struct hwsim_phy_rate *rate,
					u16 basic_rates, u32 slower)
{
	struct hwsim_phy_rate control = hwsim_phy_response(rate, basic_rates);
	int bit = control.mcs;

	if (!basic_rates)
		return control;
	if (control.class == HWSIM_PHY_OFDM)
		bit += HWSIM_PHY_BASIC_OFDM_SHIFT;
	if (!(basic_rates & BIT(bit)))
		control = basic_below(basic_rates, hwsim_phy_rate_kbps(rate) + 1);
	for (slower = min(slower, HWSIM_PHY_NUM_DSSS + HWSIM_PHY_NUM_OFDM);
	     slower; slower--)
		control = basic_below(basic_rates, hwsim_phy_rate_kbps(&control));
	if (control.class == HWSIM_PHY_OFDM)
		control.width = rate->width;
	return control;
}

/**
 * hwsim_phy_eifs_extra_ns - what EIFS adds to DIFS or AIFS
 * @is_5ghz: else 2.4 GHz
 * @basic_rates: the basic rate set
 * @timing: of the band
 *
 * SIFS and an ACK at the lowest mandatory rate (10.3.2.3.7), whichever of its
 * class are basic ones: 6 Mbit/s, or 1 Mbit/s at 2.4 GHz. A network there whose
 * basic rates are all OFDM is treated as OFDM only.
 *
 * Return: ns
 */
u32 hwsim_phy_eifs_extra_ns(bool is_5ghz, u16 basic_rates,
			    const struct hwsim_phy_timing *timing)
{
	bool ofdm_only = basic_rates &&
			 !(basic_rates & GENMASK(HWSIM_PHY_NUM_DSSS - 1, 0));
	struct hwsim_phy_rate lowest = {
		.class = is_5ghz || ofdm_only ? HWSIM_PHY_OFDM : HWSIM_PHY_DSSS,
		.streams = 1,
	};

	return timing->sifs_ns +
	       hwsim_phy_duration_ns(&lowest, timing, HWSIM_MEDIUM_ACK_BYTES);
}
