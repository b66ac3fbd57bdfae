// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small saturated places in ns-3 3.37, for comparison with the lab's 802.11 medium: how much each station gets when
 * some cannot hear each other, are slower, lose frames, or have another access category.
 *
 *   access point  ~ ~ ~  1 to 7 stations; or two such cells on channels that overlap
 *
 * There are no hosts: packets of 1500 B, the size of UDP with 1472 B of payload, go straight into the queue of a radio
 * and are counted where a radio hands them up. So only the MAC and the PHY matter.
 *
 * Not modelled: rate control, encryption, fading, movement. Every signal is far above the noise; only what a case says
 * causes loss.
 */
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/spectrum-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const std::string OFDM_6 = "OfdmRate6Mbps", OFDM_24 = "OfdmRate24Mbps", OFDM_54 = "OfdmRate54Mbps";
const std::string CCK_11 = "DsssRate11Mbps", DSSS_2 = "DsssRate2Mbps", ERP_54 = "ErpOfdmRate54Mbps";
const std::string ERP_6 = "ErpOfdmRate6Mbps", ERP_24 = "ErpOfdmRate24Mbps";

constexpr double ASSOCIATION_S = 10; /* before the load: beacons only, which take hardly any wall time */
constexpr double WARM_UP_S = 2; /* of load, not counted */
constexpr double DRAIN_S = 2; /* after what is counted: calls still arrive, and new ones keep the queue as it was */
constexpr double NEAR_DB = 50; /* loss between radios that hear each other: 60 dB over the noise of 20 MHz */
constexpr double DEAF_DB = 300; /* the same between those that do not */
constexpr double NOISE_DB = 110; /* loss after which a signal is as strong as the noise of 20 MHz */
constexpr double CELL_DB = 40; /* over the noise, in each of two cells */
constexpr uint32_t PACKET_B = 1500, PAYLOAD_B = 1472; /* of IP, of UDP */
constexpr uint32_t CALL_B = 120; /* of IP: 80 B of G.711 with RTP, UDP and IP */
constexpr uint32_t CALL_QUEUE = 100; /* packets in the access point */
constexpr uint32_t REFILL_QUEUE = 200; /* packets in a saturated radio: more than two windows of BlockAck */
constexpr uint32_t TRIES = 20; /* a frame is dropped after so many */
constexpr uint16_t IPV4 = 0x0800; /* the protocol number in LLC */

struct Station {
	std::string what; /* stations with the same name are averaged */
	std::string rate;
	double loss_db = NEAR_DB; /* between station and access point */
	AcIndex category = AC_BE;
	WifiStandard standard = WIFI_STANDARD_UNSPECIFIED; /* that of the access point */
	uint32_t cell = 0;
};

enum class Load { UPLINK, BOTH_WAYS, CALLS };

struct Place {
	WifiStandard standard;
	std::string channel; /* number, width in MHz, band, index of the primary 20 MHz */
	std::string control_rate; /* of RTS. Responses follow ns-3's basic rates: 2 for 11b; 6, 12 and 24 for 11a */
	std::vector<Station> stations;
	Load load = Load::UPLINK;
	bool qos = true;
	bool hidden = false; /* the stations hear only the access point */
	bool rts = false;
	bool short_guard = false;
	uint32_t streams = 1; /* spatial */
	Time txop_limit = Seconds(0); /* of best effort and voice */
	double capture_db = 0; /* margin of a receiver that leaves a frame for a stronger one; 0: it does not */
	Time capture_window = MicroSeconds(16); /* after the first preamble; ns-3's default */
	double lost = 0; /* share of data frames that arrive broken at the access point */
	std::string cts_rate = ""; /* of CTS-to-self; empty: ns-3 decides */
	std::string basic_rate = ""; /* one more than those of ns-3 */
	double step_db = 0; /* each station sends that much weaker than the one before; then all preambles are detected */
	bool explicit_bar = true; /* ask with a BlockAckReq when a BlockAck is missing; ns-3's default */
	std::string beacon_rate = ""; /* empty: ns-3 decides */
	bool spectrum = false; /* SpectrumWifiPhy, which knows channels that overlap; otherwise YansWifiPhy */
	std::string second_channel = ""; /* of a second cell; empty: there is only one */
	double cross_db = 0; /* signals between the cells, over the noise */

	uint32_t cells() const
	{
		return second_channel.empty() ? 1 : 2;
	}
};

struct Case {
	std::string name;
	double counted_s;
	Place place;
};

struct Options {
	std::string only; /* empty: all */
	double counted_s; /* 0: that of the case */
	uint32_t seeds;
	std::string frames; /* file for a line about each transmission of the first seed; empty: none */
};

/* Packets of one sender to one receiver. */
struct Flow {
	std::string what;
	Ptr<WifiNetDevice> from, to;
	AcIndex category;
	uint64_t arrived = 0; /* while counting */
	uint64_t sent = 0, delivered = 0; /* of those sent while counting */
	Time delay = Seconds(0); /* sum, of those delivered */
};

/* What the flows share: when counting begins and ends. */
struct Clock {
	Time begin, end;

	bool counts(Time time) const
	{
		return begin <= time && time < end;
	}
};

struct Figure {
	std::string what, quantity;
	double value;
};

using Flows = std::vector<std::shared_ptr<Flow>>;
using Figures = std::vector<Figure>;

[[noreturn]] void fail(int status, const std::string &what)
{
	std::fprintf(stderr, "cases: %s\n", what.c_str());
	std::exit(status);
}

[[noreturn]] void refuse(const std::string &what)
{
	fail(2, what);
}

/* ns-3 sends CTS-to-self at the lowest rate, 1 Mbit/s at 2.4 GHz, and has no attribute for it. */
class CtsAtRate : public WifiDefaultProtectionManager
{
    public:
	static TypeId GetTypeId()
	{
		static TypeId type = TypeId("CtsAtRate")
					     .SetParent<WifiDefaultProtectionManager>()
					     .AddConstructor<CtsAtRate>()
					     .AddAttribute("Rate", "of CTS-to-self", WifiModeValue(),
							   MakeWifiModeAccessor(&CtsAtRate::rate),
							   MakeWifiModeChecker());
		return type;
	}

    protected:
	std::unique_ptr<WifiProtection> GetPsduProtection(const WifiMacHeader &header, uint32_t bytes,
							  const WifiTxVector &how) const override
	{
		auto protection = WifiDefaultProtectionManager::GetPsduProtection(header, bytes, how);

		if (protection->method == WifiProtection::CTS_TO_SELF)
			static_cast<WifiCtsToSelfProtection &>(*protection).ctsTxVector.SetMode(rate);
		return protection;
	}

    private:
	WifiMode rate;
};

NS_OBJECT_ENSURE_REGISTERED(CtsAtRate);

/* ---- the places ---- */

std::string channel_of(uint32_t number)
{
	return "{" + std::to_string(number) + ", 20, BAND_2_4GHZ, 0}";
}

Place place_11a(const std::vector<Station> &stations)
{
	return {WIFI_STANDARD_80211a, "{36, 20, BAND_5GHZ, 0}", OFDM_24, stations};
}

Place hidden(const std::string &rate, bool rts)
{
	Place place = place_11a({{"each station", rate}, {"each station", rate}});

	place.hidden = true;
	place.rts = rts;
	place.control_rate = rate == OFDM_6 ? OFDM_6 : OFDM_24;
	return place;
}

Place capture(double stronger_db, double margin_db, Time window)
{
	Station strong = {"strong station", OFDM_54}, weak = {"weak station", OFDM_54, NEAR_DB + stronger_db};
	Place place = place_11a({strong, weak});

	place.hidden = true;
	place.capture_db = margin_db;
	place.capture_window = window;
	return place;
}

Place anomaly()
{
	Station fast = {"each fast station", OFDM_54};

	return place_11a({{"slow station", OFDM_6}, fast, fast, fast, fast});
}

Place mixed(const std::string &cts_rate, const std::string &basic_rate)
{
	Station old = {"802.11b station", CCK_11}, young = {"802.11g station", ERP_54};

	old.standard = WIFI_STANDARD_80211b;
	Place place = {WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", CCK_11, {old, young}};
	place.qos = false;
	place.cts_rate = cts_rate;
	place.basic_rate = basic_rate;
	return place;
}

Place ht(uint32_t mcs, uint32_t width_mhz, bool short_guard, uint32_t stations)
{
	const char *channel = width_mhz == 40 ? "{38, 40, BAND_5GHZ, 0}" : "{36, 20, BAND_5GHZ, 0}";
	Station station = {stations == 1 ? "station" : "each station", "HtMcs" + std::to_string(mcs)};
	Place place = {WIFI_STANDARD_80211n, channel, OFDM_24, std::vector<Station>(stations, station)};

	place.short_guard = short_guard;
	place.streams = 1 + mcs / 8;
	return place;
}

/* Five stations that send the same A-MPDU again, without asking which MPDUs arrived. */
Place ht_without_bar()
{
	Place place = ht(7, 20, false, 5);

	place.explicit_bar = false;
	return place;
}

/*
 * Five stations whose collisions are heard as damaged frames, since one of them is slightly stronger: a station that hears one waits
 * EIFS. It is too little for any frame to survive.
 */
Place ht_with_eifs()
{
	Place place = ht(7, 20, false, 5);

	place.step_db = 2;
	return place;
}

/* Two stations that hear only the access point, without RTS: A-MPDUs that overlap, and BlockAckReqs. */
Place ht_hidden()
{
	Place place = ht(7, 20, false, 2);

	place.hidden = true;
	return place;
}

Place voice(bool hidden, Time txop_limit)
{
	Place place = place_11a({{"voice", OFDM_54, NEAR_DB, AC_VO}, {"best effort", OFDM_54, NEAR_DB, AC_BE}});

	place.hidden = hidden;
	place.txop_limit = txop_limit;
	return place;
}

Place lossy(double lost)
{
	Place place = place_11a({{"station", OFDM_54}});

	place.lost = lost;
	return place;
}

Place both_ways()
{
	Place place = place_11a({{"station to access point", OFDM_54}});

	place.load = Load::BOTH_WAYS;
	return place;
}

Place calls(uint32_t count)
{
	Place place = {WIFI_STANDARD_80211b, "{1, 22, BAND_2_4GHZ, 0}", DSSS_2,
		       std::vector<Station>(count, {"uplink", CCK_11})};

	place.load = Load::CALLS;
	place.qos = false;
	return place;
}

/* One saturated station of 802.11g, and no DSSS: not even the beacons. */
Place alone(bool spectrum)
{
	Place place = {WIFI_STANDARD_80211g, channel_of(1), ERP_24, {{"station", ERP_54, NOISE_DB - CELL_DB}}};

	place.qos = false;
	place.beacon_rate = ERP_6;
	place.spectrum = spectrum;
	return place;
}

/* Two of them, each in its own cell: on channel 1, and so many channels above. All are equally strong in the other. */
Place overlap(double cross_db, uint32_t apart)
{
	Place place = alone(true);

	place.stations.push_back(place.stations[0]);
	place.stations[0].what = "cell on channel 1";
	place.stations[1].what = "other cell";
	place.stations[1].cell = 1;
	place.second_channel = channel_of(1 + apart);
	place.cross_db = cross_db;
	return place;
}

const std::vector<Case> CASES = {
	{"hidden-11a-54", 10, hidden(OFDM_54, false)},
	{"hidden-11a-54-rts", 10, hidden(OFDM_54, true)},
	{"hidden-11a-6", 30, hidden(OFDM_6, false)},
	{"hidden-11a-6-rts", 30, hidden(OFDM_6, true)},
	{"capture-11a-54", 60, capture(20, 5, MicroSeconds(16))},
	{"capture-11a-54-30db", 40, capture(30, 5, MicroSeconds(16))},
	{"stays-11a-54", 60, capture(20, 0, MicroSeconds(16))},
	{"stays-11a-54-30db", 40, capture(30, 0, MicroSeconds(16))},
	{"anomaly-11a", 120, anomaly()},
	{"mixed-bg", 40, mixed("", "")},
	{"mixed-bg-cts11", 40, mixed(CCK_11, "")},
	{"mixed-bg-basic11", 40, mixed(CCK_11, CCK_11)},
	{"ht-mcs7-20-lgi", 2, ht(7, 20, false, 1)},
	{"ht-mcs7-20-sgi", 2, ht(7, 20, true, 1)},
	{"ht-mcs7-40-lgi", 2, ht(7, 40, false, 1)},
	{"ht-mcs7-40-sgi", 2, ht(7, 40, true, 1)},
	{"ht-mcs15-20-lgi", 2, ht(15, 20, false, 1)},
	{"ht-mcs15-20-sgi", 2, ht(15, 20, true, 1)},
	{"ht-mcs15-40-lgi", 2, ht(15, 40, false, 1)},
	{"ht-mcs15-40-sgi", 2, ht(15, 40, true, 1)},
	{"ht-five", 15, ht(7, 20, false, 5)},
	{"ht-five-no-bar", 15, ht_without_bar()},
	{"ht-five-eifs", 15, ht_with_eifs()},
	{"ht-hidden", 40, ht_hidden()},
	{"voice-and-best-effort", 20, voice(false, MicroSeconds(1504))},
	{"voice-and-best-effort-hidden", 20, voice(true, MicroSeconds(1504))},
	{"voice-and-best-effort-hidden-1248", 20, voice(true, MicroSeconds(1248))},
	{"voice-and-best-effort-0", 20, voice(false, Seconds(0))},
	{"loss-5", 10, lossy(0.05)},
	{"loss-20", 15, lossy(0.2)},
	{"loss-50", 60, lossy(0.5)},
	{"both-ways", 10, both_ways()},
	{"calls-11b-4", 15, calls(4)},
	{"calls-11b-5", 15, calls(5)},
	{"calls-11b-6", 15, calls(6)},
	{"calls-11b-7", 15, calls(7)},
	{"alone-11g", 12, alone(false)},
	{"alone-11g-spectrum", 12, alone(true)},
	{"overlap-11g-40db-0", 12, overlap(40, 0)},
	{"overlap-11g-40db-1", 12, overlap(40, 1)},
	{"overlap-11g-40db-2", 12, overlap(40, 2)},
	{"overlap-11g-40db-3", 12, overlap(40, 3)},
	{"overlap-11g-40db-4", 12, overlap(40, 4)},
	{"overlap-11g-40db-5", 12, overlap(40, 5)},
	{"overlap-11g-40db-6", 12, overlap(40, 6)},
	{"overlap-11g-30db-0", 12, overlap(30, 0)},
	{"overlap-11g-30db-1", 12, overlap(30, 1)},
	{"overlap-11g-30db-2", 12, overlap(30, 2)},
	{"overlap-11g-30db-3", 12, overlap(30, 3)},
	{"overlap-11g-30db-4", 12, overlap(30, 4)},
	{"overlap-11g-30db-5", 12, overlap(30, 5)},
	{"overlap-11g-30db-6", 12, overlap(30, 6)},
	{"overlap-11g-20db-0", 12, overlap(20, 0)},
	{"overlap-11g-20db-1", 12, overlap(20, 1)},
	{"overlap-11g-20db-2", 12, overlap(20, 2)},
	{"overlap-11g-20db-3", 12, overlap(20, 3)},
	{"overlap-11g-20db-4", 12, overlap(20, 4)},
	{"overlap-11g-20db-5", 12, overlap(20, 5)},
	{"overlap-11g-20db-6", 12, overlap(20, 6)},
};

/* ---- the network ---- */

Options parse(int argc, char **argv)
{
	std::string only, frames, known;
	double counted_s = 0;
	int64_t seeds = 3;
	bool found = false;
	CommandLine line(__FILE__);

	line.AddValue("case", "its name (default: all)", only);
	line.AddValue("seconds", "that are counted, after 2 s of load (default: each case has its own)", counted_s);
	line.AddValue("seeds", "runs of each case", seeds);
	line.AddValue("frames", "a file for a line about each transmission of the first seed; needs --case", frames);
	line.Parse(argc, argv);
	for (const Case &one : CASES) {
		found |= only == one.name;
		known += " " + one.name;
	}
	if (!only.empty() && !found)
		refuse("--case=" + only + " is unknown; known are" + known);
	if (!(counted_s >= 0 && std::isfinite(counted_s)))
		refuse("--seconds must not be negative");
	if (seeds < 1 || seeds > UINT32_MAX)
		refuse("--seeds must be 1 or more");
	if (!frames.empty() && only.empty())
		refuse("--frames needs --case");
	return {only, counted_s, static_cast<uint32_t>(seeds), frames};
}

/* All stand at one point, so that a frame ends for all at the same time and slots begin together. */
void place_nodes(const NodeContainer &nodes)
{
	MobilityHelper mobility;

	mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
	mobility.Install(nodes);
}

/* One of them is used. */
struct Air {
	Ptr<YansWifiChannel> yans;
	Ptr<SpectrumChannel> spectrum;
};

/* Nodes are in the order of the radios. */
Air make_air(const Place &place, const NodeContainer &nodes)
{
	Air air = {CreateObject<YansWifiChannel>(), CreateObject<MultiModelSpectrumChannel>()};
	auto loss = CreateObject<MatrixPropagationLossModel>();
	auto delay = CreateObject<ConstantSpeedPropagationDelayModel>();
	double apart_db = place.cells() > 1 ? NOISE_DB - place.cross_db : NEAR_DB;

	loss->SetDefaultLoss(place.hidden ? DEAF_DB : apart_db);
	for (uint32_t i = 0; i < place.stations.size(); i++)
		loss->SetLoss(nodes.Get(place.stations[i].cell)->GetObject<MobilityModel>(),
			      nodes.Get(place.cells() + i)->GetObject<MobilityModel>(), place.stations[i].loss_db);
	air.yans->SetPropagationLossModel(loss);
	air.yans->SetPropagationDelayModel(delay);
	air.spectrum->AddPropagationLossModel(loss);
	air.spectrum->SetPropagationDelayModel(delay);
	return air;
}

void set_phy(WifiPhyHelper &phy, const Place &place, WifiStandard standard, uint32_t cell, double weaker_db)
{
	const double power_dbm = 16.0206; /* ns-3's default */

	phy.SetErrorRateModel("ns3::NistErrorRateModel");
	if (place.capture_db > 0)
		phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel", "Margin", DoubleValue(place.capture_db),
					 "CaptureWindow", TimeValue(place.capture_window));
	if (place.step_db > 0)
		phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "Threshold", DoubleValue(-20));
	phy.Set("TxPowerStart", DoubleValue(power_dbm - weaker_db));
	phy.Set("TxPowerEnd", DoubleValue(power_dbm - weaker_db));
	/* 802.11b has a width of its own */
	phy.Set("ChannelSettings",
		StringValue(standard == WIFI_STANDARD_80211b ? "{1, 22, BAND_2_4GHZ, 0}" :
			    cell ? place.second_channel : place.channel));
	phy.Set("ShortPlcpPreambleSupported", BooleanValue(false));
	phy.Set("Antennas", UintegerValue(place.streams));
	phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(place.streams));
	phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(place.streams));
}

WifiHelper make_wifi(const Place &place, WifiStandard standard, const std::string &rate)
{
	WifiHelper wifi;

	wifi.SetStandard(standard);
	wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(rate), "ControlMode",
				     StringValue(place.control_rate), "RtsCtsThreshold",
				     UintegerValue(place.rts ? 1000 : 65535), "MaxSsrc", UintegerValue(TRIES),
				     "MaxSlrc", UintegerValue(TRIES));
	if (standard == WIFI_STANDARD_80211n)
		wifi.ConfigHtOptions("ShortGuardIntervalSupported", BooleanValue(place.short_guard));
	return wifi;
}

/* A station, or without one the access point of the cell. */
Ptr<WifiNetDevice> make_radio(const Place &place, const Air &air, Ptr<Node> node, uint32_t cell, const Station *station)
{
	bool own = station && station->standard != WIFI_STANDARD_UNSPECIFIED;
	WifiStandard standard = own ? station->standard : place.standard;
	/* the access point sends at the rate of its first station */
	WifiHelper wifi = make_wifi(place, standard, station ? station->rate : place.stations[0].rate);
	WifiMacHelper mac;

	mac.SetType(station ? "ns3::StaWifiMac" : "ns3::ApWifiMac", "Ssid", SsidValue(Ssid(cell ? "other" : "bench")), "QosSupported",
		    BooleanValue(place.qos), "BE_MaxAmpduSize",
		    UintegerValue(standard == WIFI_STANDARD_80211n ? 65535 : 0), "BE_MaxAmsduSize", UintegerValue(0));
	if (!place.cts_rate.empty())
		mac.SetProtectionManager("CtsAtRate", "Rate", StringValue(place.cts_rate));
	double weaker_db = station ? place.step_db * (station - place.stations.data()) : 0;
	YansWifiPhyHelper yans;
	SpectrumWifiPhyHelper spectrum;
	WifiPhyHelper &phy = place.spectrum ? static_cast<WifiPhyHelper &>(spectrum) : yans;

	yans.SetChannel(air.yans);
	spectrum.SetChannel(air.spectrum);
	set_phy(phy, place, standard, cell, weaker_db);
	return DynamicCast<WifiNetDevice>(wifi.Install(phy, mac, node).Get(0));
}

/* Of the access point, which tells its stations the limit, and of the stations. */
void set_edca(const Place &place, const NetDeviceContainer &radios)
{
	for (uint32_t i = 0; place.qos && i < radios.GetN(); i++)
		for (AcIndex category : {AC_BE, AC_VO}) {
			auto edca = DynamicCast<WifiNetDevice>(radios.Get(i))->GetMac()->GetQosTxop(category);

			edca->SetTxopLimit(place.txop_limit);
			edca->SetAttribute("UseExplicitBarAfterMissedBlockAck", BooleanValue(place.explicit_bar));
		}
}

/* With the first beacon ns-3 adds its own. Beacons have the rate of the first. */
void add_basic_rates(const Place &place, Ptr<NetDevice> access_point)
{
	auto manager = DynamicCast<WifiNetDevice>(access_point)->GetRemoteStationManager();

	if (!place.beacon_rate.empty())
		manager->AddBasicMode(WifiMode(place.beacon_rate));
	if (!place.basic_rate.empty())
		Simulator::Schedule(Seconds(1), &WifiRemoteStationManager::AddBasicMode, manager,
				    WifiMode(place.basic_rate));
}

/* Breaks data frames, not their ACKs: during the load, the access point receives nothing else. */
void lose_frames(const Place &place, Ptr<NetDevice> access_point)
{
	auto model = CreateObject<RateErrorModel>();

	if (place.lost <= 0)
		return;
	model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
	model->SetRate(place.lost);
	model->AssignStreams(1);
	model->Disable();
	Simulator::Schedule(Seconds(ASSOCIATION_S), &RateErrorModel::Enable, model);
	DynamicCast<WifiNetDevice>(access_point)->GetPhy()->SetPostReceptionErrorModel(model);
}

/* The access points first. Streams of random numbers are numbered, so that a case does not depend on those before it. */
NetDeviceContainer make_radios(const Place &place)
{
	NodeContainer nodes;
	NetDeviceContainer radios;

	Mac48Address::ResetAllocationIndex();
	nodes.Create(place.cells() + place.stations.size());
	place_nodes(nodes);
	Air air = make_air(place, nodes);
	for (uint32_t cell = 0; cell < place.cells(); cell++)
		radios.Add(make_radio(place, air, nodes.Get(cell), cell, nullptr));
	for (uint32_t i = 0; i < place.stations.size(); i++)
		radios.Add(make_radio(place, air, nodes.Get(place.cells() + i), place.stations[i].cell,
				      &place.stations[i]));
	WifiHelper().AssignStreams(radios, 100);
	set_edca(place, radios);
	for (uint32_t cell = 0; cell < place.cells(); cell++)
		add_basic_rates(place, radios.Get(cell));
	lose_frames(place, radios.Get(0));
	return radios;
}

void require_associated(const Place &place, const NetDeviceContainer &radios)
{
	for (uint32_t i = place.cells(); i < radios.GetN(); i++) {
		auto radio = DynamicCast<WifiNetDevice>(radios.Get(i));

		if (!DynamicCast<StaWifiMac>(radio->GetMac())->IsAssociated())
			fail(1, "station " + std::to_string(i) + " is not associated when the load begins");
	}
}

/* ---- the load ---- */

void send(const std::shared_ptr<Flow> &flow, const Clock &clock, uint32_t bytes)
{
	SeqTsHeader stamp; /* of the time at which it is made */
	SocketPriorityTag priority;
	auto packet = Create<Packet>(bytes - stamp.GetSerializedSize());

	packet->AddHeader(stamp);
	priority.SetPriority(flow->category == AC_VO ? 6 : 0);
	packet->AddPacketTag(priority);
	flow->sent += clock.counts(Simulator::Now());
	flow->from->Send(packet, flow->to->GetAddress(), IPV4);
}

void receive(Flow &flow, const Clock &clock, const Packet &packet)
{
	SeqTsHeader stamp;

	packet.PeekHeader(stamp);
	flow.arrived += clock.counts(Simulator::Now());
	if (!clock.counts(stamp.GetTs()))
		return;
	flow.delivered++;
	flow.delay += Simulator::Now() - stamp.GetTs();
}

void count_arrivals(const Flows &flows, const Clock &clock, const NetDeviceContainer &radios)
{
	for (uint32_t i = 0; i < radios.GetN(); i++) {
		std::map<Address, std::shared_ptr<Flow>> senders;

		for (const auto &flow : flows)
			if (flow->to == radios.Get(i))
				senders[flow->from->GetAddress()] = flow;
		auto count = [senders, clock](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &from) {
			auto found = senders.find(from);

			if (found != senders.end())
				receive(*found->second, clock, *packet);
			return true;
		};
		radios.Get(i)->SetReceiveCallback(NetDevice::ReceiveCallback(count));
	}
}

Ptr<WifiMacQueue> queue_of(const Place &place, const Flow &flow)
{
	return flow.from->GetMac()->GetTxopQueue(place.qos ? flow.category : AC_BE_NQOS);
}

/*
 * Keeps a queue full. The longest that a queue of one window lasts is more than the interval. A station that is no
 * longer associated drops what it is given, so the number is limited.
 */
void refill(const std::shared_ptr<Flow> &flow, const Clock &clock, Ptr<WifiMacQueue> queue)
{
	for (uint32_t left = 2 * REFILL_QUEUE; left && queue->GetNPackets() < REFILL_QUEUE; left--)
		send(flow, clock, PACKET_B);
	Simulator::Schedule(MilliSeconds(2), [=] { refill(flow, clock, queue); });
}

void talk(const std::shared_ptr<Flow> &flow, const Clock &clock)
{
	send(flow, clock, CALL_B);
	Simulator::Schedule(MilliSeconds(10), [=] { talk(flow, clock); });
}

Flows make_flows(const Place &place, const NetDeviceContainer &radios)
{
	Flows flows;

	for (uint32_t i = 0; i < place.stations.size(); i++) {
		const Station &one = place.stations[i];
		auto access_point = DynamicCast<WifiNetDevice>(radios.Get(one.cell));
		auto station = DynamicCast<WifiNetDevice>(radios.Get(place.cells() + i));

		flows.push_back(std::make_shared<Flow>(Flow{one.what, station, access_point, one.category}));
		if (place.load == Load::BOTH_WAYS)
			flows.push_back(std::make_shared<Flow>(
				Flow{"access point to station", access_point, station, one.category}));
		if (place.load == Load::CALLS)
			flows.push_back(
				std::make_shared<Flow>(Flow{"downlink", access_point, station, one.category}));
	}
	return flows;
}

/* All begin at random times within one interval of a call. */
void start(const Place &place, const Flows &flows, const Clock &clock)
{
	auto phase = CreateObject<UniformRandomVariable>();

	phase->SetStream(2);
	for (const auto &flow : flows) {
		Time begin = Seconds(ASSOCIATION_S + phase->GetValue(0, 0.01));
		Ptr<WifiMacQueue> queue = queue_of(place, *flow);

		queue->SetMaxDelay(Seconds(1000)); /* ns-3 drops what waits for half a second */
		if (place.load == Load::CALLS) {
			queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, CALL_QUEUE));
			Simulator::Schedule(begin, [=] { talk(flow, clock); });
		} else {
			Simulator::Schedule(begin, [=] { refill(flow, clock, queue); });
		}
	}
}

/*
 * One line for each transmission, separated by tabs: start in µs, radio (the access points first, from 0), kind, rate, preamble,
 * number of MPDUs, bytes of the PSDU, Duration in µs.
 */
void log_frames(const std::string &path, const NetDeviceContainer &radios)
{
	std::shared_ptr<std::FILE> file(std::fopen(path.c_str(), "w"), [](std::FILE *opened) {
		if (opened)
			std::fclose(opened);
	});

	if (!file)
		refuse("--frames=" + path + " cannot be written");
	for (uint32_t i = 0; i < radios.GetN(); i++) {
		std::function<void(WifiConstPsduMap, WifiTxVector, double)> log =
			[file, i](WifiConstPsduMap psdus, WifiTxVector how, double) {
				Ptr<const WifiPsdu> psdu = psdus.begin()->second;
				const WifiMacHeader &header = psdu->GetHeader(0);

				std::fprintf(file.get(), "%.3f\t%u\t%s%s\t%s\t%s\t%zu\t%u\t%.0f\n",
					     Simulator::Now().GetNanoSeconds() / 1e3, i, header.GetTypeString(),
					     header.IsRetry() ? " retry" : "", how.GetMode().GetUniqueName().c_str(),
					     how.GetPreambleType() == WIFI_PREAMBLE_SHORT ? "short" : "long",
					     psdu->GetNMpdus(), psdu->GetSize(),
					     header.GetDuration().GetNanoSeconds() / 1e3);
			};
		DynamicCast<WifiNetDevice>(radios.Get(i))
			->GetPhy()
			->TraceConnectWithoutContext("PhyTxPsduBegin",
						     Callback<void, WifiConstPsduMap, WifiTxVector, double>(log));
	}
}

/* ---- the figures ---- */

/* Those of flows with the same name are averaged, in the order of the first of each. */
Figures measured(const Place &place, const Flows &flows, double counted_s)
{
	std::vector<std::string> names;
	std::map<std::string, Flows> groups;
	Figures figures;

	for (const auto &flow : flows) {
		if (groups[flow->what].empty())
			names.push_back(flow->what);
		groups[flow->what].push_back(flow);
	}
	for (const std::string &name : names) {
		double arrived = 0, sent = 0, delivered = 0, delay_s = 0, count = groups[name].size();

		for (const auto &flow : groups[name]) {
			arrived += flow->arrived;
			sent += flow->sent;
			delivered += flow->delivered;
			delay_s += flow->delay.GetSeconds();
		}
		if (place.load == Load::CALLS) {
			figures.push_back({name, "lost_share", 1 - delivered / sent});
			figures.push_back({name, "delay_ms", 1e3 * delay_s / delivered});
		} else {
			figures.push_back({name, "ip_mbps", 8e-6 * PACKET_B * arrived / count / counted_s});
			figures.push_back({name, "payload_mbps", 8e-6 * PAYLOAD_B * arrived / count / counted_s});
		}
	}
	return figures;
}

Figures run(const Place &place, double counted_s, uint32_t seed, const std::string &frames)
{
	Time begin = Seconds(ASSOCIATION_S + WARM_UP_S);
	Clock clock = {begin, begin + Seconds(counted_s)};

	RngSeedManager::SetRun(seed); /* independent streams for each run; the streams of two seeds could overlap */
	NetDeviceContainer radios = make_radios(place);
	Flows flows = make_flows(place, radios);
	count_arrivals(flows, clock, radios);
	start(place, flows, clock);
	if (!frames.empty())
		log_frames(frames, radios);
	Simulator::Schedule(Seconds(ASSOCIATION_S), [&] { require_associated(place, radios); });
	Simulator::Stop(clock.end + Seconds(place.load == Load::CALLS ? DRAIN_S : 0));
	Simulator::Run();
	Figures figures = measured(place, flows, counted_s);
	Simulator::Destroy();
	return figures;
}

/* Mean and standard deviation over the seeds, one line for each name. */
void print(const Case &one, const std::vector<Figures> &runs)
{
	std::size_t count = runs[0].size(), seeds = runs.size();

	for (std::size_t i = 0; i < count; i++) {
		const Figure &figure = runs[0][i];
		bool first = !i || runs[0][i - 1].what != figure.what;
		bool last = i + 1 == count || runs[0][i + 1].what != figure.what;
		double sum = 0, squares = 0;

		for (const Figures &figures : runs)
			sum += figures[i].value;
		for (const Figures &figures : runs)
			squares += std::pow(figures[i].value - sum / seeds, 2);
		if (first)
			std::printf("{\"case\": \"%s\", \"what\": \"%s\", \"seeds\": %zu", one.name.c_str(),
				    figure.what.c_str(), seeds);
		std::printf(", \"%s\": {\"mean\": %.4f, \"sd\": %.4f}", figure.quantity.c_str(), sum / seeds,
			    seeds > 1 ? std::sqrt(squares / (seeds - 1)) : 0);
		if (last)
			std::printf("}\n");
	}
	std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	Options options = parse(argc, argv);

	for (const Case &one : CASES) {
		double counted_s = options.counted_s > 0 ? options.counted_s : one.counted_s;
		std::vector<Figures> runs;

		if (!options.only.empty() && options.only != one.name)
			continue;
		for (uint32_t seed = 1; seed <= options.seeds; seed++)
			runs.push_back(run(one.place, counted_s, seed, seed == 1 ? options.frames : ""));
		print(one, runs);
	}
	return 0;
}
