// SPDX-License-Identifier: GPL-2.0-only
/*
 * A download over Wi-Fi in ns-3 3.37, for comparison with the lab's own medium: goodput and wall time.
 *
 *   server --- point to point, 500 Mbit/s, 1 ms --- access point  ~ ~ ~  N stations
 *
 * The access point routes; ns-3 cannot bridge a point-to-point link. Every radio hears every other one equally well,
 * and only collisions cause loss.
 *
 * Not modelled: rate control (each mode has one rate), encryption, address resolution (the caches are filled), IPv6.
 * Traces, captures and logs are off, so ns-3 runs at full speed.
 */
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/* One row per --mode. The rates are fixed; ns-3 answers at the highest basic rate below: 2, 24 and 24 Mbit/s. */
struct Mode {
	const char *name;
	WifiStandard standard;
	const char *channel; /* number, width in MHz, band, index of the primary 20 MHz */
	const char *data_rate;
	const char *rts_rate; /* ns-3 requires one, though nothing sends RTS */
	bool qos;
	double capacity_mbps; /* of UDP payload, rounded: only determines the offered load */
};

const Mode MODES[] = {
	{"11b-11", WIFI_STANDARD_80211b, "{1, 22, BAND_2_4GHZ, 0}", "DsssRate11Mbps", "DsssRate2Mbps", false, 6.1},
	{"11a-54", WIFI_STANDARD_80211a, "{36, 20, BAND_5GHZ, 0}", "OfdmRate54Mbps", "OfdmRate24Mbps", false, 30},
	{"11n-150", WIFI_STANDARD_80211n, "{38, 40, BAND_5GHZ, 0}", "HtMcs7", "OfdmRate24Mbps", true, 135},
};

struct Options {
	const Mode *mode;
	uint32_t stations;
	bool tcp;
	double load_s;
	uint64_t seed;
	Time latency;
	uint32_t queue_frames; /* of the access point's radio, below FqCoDel */
	std::string frames; /* file for a line about each transmission; empty: none */
};

struct Network {
	NodeContainer server;
	NodeContainer access_point;
	NodeContainer stations;
	NetDeviceContainer wired; /* the server's, the access point's */
	NetDeviceContainer access_point_radio;
	NetDeviceContainer station_radios;
	Ipv4InterfaceContainer station_addresses;
};

struct Outcome {
	std::vector<double> station_mbps;
	double wall_s;
	uint64_t events;
};

using Sinks = std::vector<Ptr<PacketSink>>;
using Bytes = std::vector<uint64_t>;

constexpr int64_t STATIONS_MAX = 2007; /* association identifiers: IEEE 802.11-2020 9.4.1.8 */

/*
 * Before the load: beacons only, which take hardly any wall time. ns-3's stations all respond to the same beacon,
 * collide, give up and try again later; fifty with A-MPDU need more than 5 s.
 */
constexpr double ASSOCIATION_S = 10;
constexpr double WARM_UP_S = 1; /* of load, not counted: slow start */
constexpr uint16_t PORT = 5001;
constexpr uint32_t UDP_PAYLOAD_B = 1472; /* 1500 B of IP */
constexpr uint32_t TCP_PAYLOAD_B = 1448; /* 1500 B of IP, with time stamps */
constexpr uint32_t TCP_WRITE_B = 10 * TCP_PAYLOAD_B; /* ns-3's 512 B cost a third more wall time at 11n */
constexpr uint32_t SOCKET_BUFFER_B = 4 << 20;
constexpr uint32_t AMPDU_WINDOW = 64; /* MPDUs that one BlockAck acknowledges: IEEE 802.11-2020 10.25.6 */
constexpr double UDP_OVERLOAD = 1.2; /* enough to keep the queue full; more would only cost the wired link's events */

[[noreturn]] void fail(int status, const std::string &what)
{
	std::fprintf(stderr, "download: %s\n", what.c_str());
	std::exit(status);
}

[[noreturn]] void refuse(const std::string &what)
{
	fail(2, what);
}

const Mode *find_mode(const std::string &name)
{
	std::string known;

	for (const Mode &mode : MODES) {
		if (name == mode.name)
			return &mode;
		known += std::string(" ") + mode.name;
	}
	refuse("--mode=" + name + " is unknown; known are" + known);
}

Options parse(int argc, char **argv)
{
	std::string mode = "11n-150", transport = "tcp", frames;
	int64_t stations = 1, seed = 1, queue = 0;
	double load_s = 12;
	Time latency = Seconds(0);
	CommandLine line(__FILE__);

	line.AddValue("mode", "11b-11, 11a-54 or 11n-150", mode);
	line.AddValue("stations", "how many download at once", stations);
	line.AddValue("transport", "tcp or udp", transport);
	line.AddValue("seconds", "of load, the first of them not counted", load_s);
	line.AddValue("seed", "which random numbers", seed);
	line.AddValue("latency", "a station's host gets what arrives that much later, such as 20us", latency);
	line.AddValue("queue", "frames in the access point's radio, below FqCoDel; 0: 64, at 11n for each station", queue);
	line.AddValue("frames", "a file for a line about each transmission of the load", frames);
	line.Parse(argc, argv);
	if (transport != "tcp" && transport != "udp")
		refuse("--transport=" + transport + " is neither tcp nor udp");
	if (stations < 1 || stations > STATIONS_MAX)
		refuse("--stations must be 1 to " + std::to_string(STATIONS_MAX));
	if (!(load_s > WARM_UP_S && std::isfinite(load_s)))
		refuse("--seconds must be more than the first second, which is not counted");
	if (seed < 0)
		refuse("--seed must not be negative");
	if (latency.IsStrictlyNegative())
		refuse("--latency must not be negative");
	if (queue < 0 || queue > UINT32_MAX)
		refuse("--queue must not be negative, nor beyond 32 bits");
	const Mode *found = find_mode(mode);
	int64_t queue_frames = queue ? queue : AMPDU_WINDOW * (found->qos ? stations : 1);
	return {found, static_cast<uint32_t>(stations), transport == "tcp", load_s, static_cast<uint64_t>(seed),
		latency, static_cast<uint32_t>(queue_frames), frames};
}

/*
 * Linux's defaults, as far as ns-3 supports them. Not MinRto: Linux adds its 200 ms to the round-trip time, while ns-3
 * would use them only as a minimum, and time out needlessly with a long queue.
 */
void configure_tcp()
{
	Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
	Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
	Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
	Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
	Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(TCP_PAYLOAD_B));
	Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
	Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
	Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
	Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(SOCKET_BUFFER_B));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(SOCKET_BUFFER_B));
}

/* that of mac80211. ns-3's 5 ms are for wires; one frame to each of ten stations takes nearly as long at 54 Mbit/s. */
void configure_queues()
{
	Config::SetDefault("ns3::FqCoDelQueueDisc::Target", StringValue("20ms"));
}

YansWifiPhyHelper make_phy(const Mode &mode)
{
	YansWifiChannelHelper channel;
	YansWifiPhyHelper phy;

	channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
	channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel");
	phy.SetChannel(channel.Create());
	phy.SetErrorRateModel("ns3::NistErrorRateModel");
	phy.Set("ChannelSettings", StringValue(mode.channel));
	phy.Set("ShortPlcpPreambleSupported", BooleanValue(false));
	return phy;
}

WifiHelper make_wifi(const Mode &mode)
{
	WifiHelper wifi;

	wifi.SetStandard(mode.standard);
	wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode.data_rate),
				     "ControlMode", StringValue(mode.rts_rate));
	if (mode.standard == WIFI_STANDARD_80211n)
		wifi.ConfigHtOptions("ShortGuardIntervalSupported", BooleanValue(true));
	return wifi;
}

void make_radios(const Mode &mode, Network &network)
{
	YansWifiPhyHelper phy = make_phy(mode);
	WifiHelper wifi = make_wifi(mode);
	WifiMacHelper mac;
	SsidValue ssid(Ssid("bench"));
	BooleanValue qos(mode.qos);
	UintegerValue ampdu_max_b(mode.qos ? 65535 : 0), amsdu_max_b(0);

	mac.SetType("ns3::ApWifiMac", "Ssid", ssid, "QosSupported", qos, "BE_MaxAmpduSize", ampdu_max_b,
		    "BE_MaxAmsduSize", amsdu_max_b, "BeaconInterval", TimeValue(MicroSeconds(102400)));
	network.access_point_radio = wifi.Install(phy, mac, network.access_point);
	mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "QosSupported", qos, "BE_MaxAmpduSize", ampdu_max_b,
		    "BE_MaxAmsduSize", amsdu_max_b);
	network.station_radios = wifi.Install(phy, mac, network.stations);
}

/*
 * FqCoDel manages only frames that do not fit into the radio's own queue. That queue would hold 500 frames, a second at
 * 11 Mbit/s, and ns-3 drops frames that wait there for half a second. mac80211 keeps its frames in fq_codel until the
 * channel is won; ns-3 cannot, so this queue is short. With A-MPDU it holds one window per station; less would cut
 * aggregates.
 */
void shorten_queue(const Mode &mode, uint32_t frames, const Network &network)
{
	auto radio = DynamicCast<WifiNetDevice>(network.access_point_radio.Get(0));

	radio->GetMac()
		->GetTxopQueue(mode.qos ? AC_BE : AC_BE_NQOS)
		->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, frames));
}

/*
 * All stations stand at one point. ns-3's loss is constant up to the reference distance of 1 m, so every pair of radios
 * has the same signal (63 dB over the noise of 20 MHz) and no frame captures a receiver from another.
 */
void place(const Network &network)
{
	MobilityHelper mobility;
	auto positions = CreateObject<ListPositionAllocator>();

	positions->Add(Vector(0, 0, 0));
	for (uint32_t i = 0; i < network.stations.GetN(); i++)
		positions->Add(Vector(1, 0, 0));
	mobility.SetPositionAllocator(positions);
	mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
	mobility.Install(network.access_point);
	mobility.Install(network.stations);
}

void make_wire(Network &network)
{
	PointToPointHelper wire;

	wire.SetDeviceAttribute("DataRate", StringValue("500Mbps"));
	wire.SetChannelAttribute("Delay", StringValue("1ms"));
	network.wired = wire.Install(network.server.Get(0), network.access_point.Get(0));
}

void route_by_default(const NodeContainer &nodes, Ipv4Address gateway)
{
	Ipv4StaticRoutingHelper routing;

	for (uint32_t i = 0; i < nodes.GetN(); i++)
		routing.GetStaticRouting(nodes.Get(i)->GetObject<Ipv4>())->SetDefaultRoute(gateway, 1);
}

/* Assigning addresses also puts ns-3's default queue, FqCoDel, in front of the queue of each device. */
void make_internet(Network &network)
{
	InternetStackHelper internet;
	Ipv4StaticRoutingHelper routing;
	Ipv4AddressHelper addresses;

	internet.SetRoutingHelper(routing);
	internet.SetIpv6StackInstall(false);
	internet.InstallAll();
	addresses.SetBase("10.1.0.0", "255.255.255.0");
	Ipv4InterfaceContainer wired = addresses.Assign(network.wired);
	addresses.SetBase("10.2.0.0", "255.255.0.0");
	Ipv4InterfaceContainer access_point = addresses.Assign(network.access_point_radio);
	network.station_addresses = addresses.Assign(network.station_radios);
	route_by_default(network.server, wired.GetAddress(1));
	route_by_default(network.stations, access_point.GetAddress(0));
	/* a lost ARP request is repeated only after a second, which is as long as the warm-up */
	Ipv4InterfaceContainer radios(access_point);
	radios.Add(network.station_addresses);
	NeighborCacheHelper().PopulateNeighborCache(radios);
}

Network make_network(const Options &options)
{
	Network network;

	network.server.Create(1);
	network.access_point.Create(1);
	network.stations.Create(options.stations);
	make_wire(network);
	make_radios(*options.mode, network);
	shorten_queue(*options.mode, options.queue_frames, network);
	place(network);
	make_internet(network);
	return network;
}

/*
 * ns-3 passes a frame up as soon as it has ended, before the ACK. TCP's answer is queued at that instant, finds the
 * medium idle, and is sent without a backoff after the ACK. Real hosts are not that fast.
 */
void delay_hosts(Time latency, const NetDeviceContainer &radios)
{
	auto receive = [latency](Ptr<NetDevice> radio, Ptr<const Packet> packet, uint16_t protocol,
				 const Address &from) {
		auto stack = radio->GetNode()->GetObject<TrafficControlLayer>();
		Simulator::Schedule(latency, &TrafficControlLayer::Receive, stack, radio, packet, protocol, from,
				    radio->GetAddress(), NetDevice::PACKET_HOST);
		return true;
	};
	for (uint32_t i = 0; i < radios.GetN(); i++)
		radios.Get(i)->SetReceiveCallback(NetDevice::ReceiveCallback(receive));
}

/* The TCP fields of a data frame: address of the station, payload in bytes, sequence and acknowledgement number. */
std::string carried(const Packet &packet, uint32_t sender)
{
	auto copy = packet.Copy();
	LlcSnapHeader snap;
	Ipv4Header ip;
	TcpHeader tcp;
	char text[96];

	if (copy->GetSize() < snap.GetSerializedSize() || !copy->RemoveHeader(snap) ||
	    snap.GetType() != Ipv4L3Protocol::PROT_NUMBER)
		return "\t\t\t";
	copy->RemoveHeader(ip);
	if (ip.GetProtocol() != TcpL4Protocol::PROT_NUMBER)
		return "\t\t\t";
	copy->RemoveHeader(tcp);
	std::snprintf(text, sizeof(text), "%08x\t%u\t%u\t%u", (sender ? ip.GetSource() : ip.GetDestination()).Get(),
		      copy->GetSize(), tcp.GetSequenceNumber().GetValue(), tcp.GetAckNumber().GetValue());
	return text;
}

const char *kind_of(const WifiMacHeader &header)
{
	return header.IsBeacon() ? "beacon" : header.IsData() ? "data" : header.IsAck() ? "ack" : "other";
}

/*
 * One line for each transmission, separated by tabs: start and end in ns, radio (the access point is 0), kind, bytes of
 * the PSDU; for its first MPDU, whether it is a retry, and its TCP fields.
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
		Ptr<WifiPhy> phy = DynamicCast<WifiNetDevice>(radios.Get(i))->GetPhy();
		std::function<void(WifiConstPsduMap, WifiTxVector, double)> log =
			[file, phy, i](WifiConstPsduMap psdus, WifiTxVector how, double) {
				Ptr<const WifiPsdu> psdu = psdus.begin()->second;
				const WifiMacHeader &header = psdu->GetHeader(0);
				int64_t start_ns = Simulator::Now().GetNanoSeconds();
				Time length = WifiPhy::CalculateTxDuration(psdus, how, phy->GetPhyBand());
				std::fprintf(file.get(), "%lld\t%lld\t%u\t%s\t%u\t%d\t%s\n",
					     static_cast<long long>(start_ns),
					     static_cast<long long>(start_ns + length.GetNanoSeconds()), i,
					     kind_of(header), psdu->GetSize(), header.IsRetry(),
					     header.HasData() ? carried(*psdu->GetPayload(0), i).c_str() :
								"\t\t\t");
			};
		phy->TraceConnectWithoutContext("PhyTxPsduBegin",
						Callback<void, WifiConstPsduMap, WifiTxVector, double>(log));
	}
}

/* CBR per station. They start at random times within one interval, so that packets do not all arrive together. */
void start_udp(const Options &options, const Network &network)
{
	double station_bps = UDP_OVERLOAD * options.mode->capacity_mbps * 1e6 / options.stations;
	double interval_s = 8 * UDP_PAYLOAD_B / station_bps;
	auto phase = CreateObject<UniformRandomVariable>();

	for (uint32_t i = 0; i < options.stations; i++) {
		InetSocketAddress to(network.station_addresses.GetAddress(i), PORT);
		OnOffHelper sender("ns3::UdpSocketFactory", to);
		sender.SetConstantRate(DataRate(std::llround(station_bps)), UDP_PAYLOAD_B);
		sender.Install(network.server).Start(Seconds(ASSOCIATION_S + phase->GetValue(0, interval_s)));
	}
}

void start_tcp(const Options &options, const Network &network)
{
	for (uint32_t i = 0; i < options.stations; i++) {
		InetSocketAddress to(network.station_addresses.GetAddress(i), PORT);
		BulkSendHelper sender("ns3::TcpSocketFactory", to);
		sender.SetAttribute("MaxBytes", UintegerValue(0)); /* no end */
		sender.SetAttribute("SendSize", UintegerValue(TCP_WRITE_B));
		sender.Install(network.server).Start(Seconds(ASSOCIATION_S));
	}
}

Sinks make_sinks(const Options &options, const Network &network)
{
	InetSocketAddress any(Ipv4Address::GetAny(), PORT);
	PacketSinkHelper receiver(options.tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory", any);
	ApplicationContainer receivers = receiver.Install(network.stations);
	Sinks sinks;

	for (uint32_t i = 0; i < receivers.GetN(); i++)
		sinks.push_back(DynamicCast<PacketSink>(receivers.Get(i)));
	return sinks;
}

/*
 * Payload that has arrived, including data that TCP still holds back behind a hole. When counting begins, slow start has
 * just lost segments: at 11 Mbit/s, ten stations hold back 195 of the 377 that the air had carried by then.
 */
Bytes received(const Sinks &sinks)
{
	Bytes bytes;

	for (const auto &sink : sinks) {
		uint64_t arrived = sink->GetTotalRx();

		for (const auto &socket : sink->GetAcceptedSockets())
			arrived += DynamicCast<TcpSocketBase>(socket)->GetRxBuffer()->Size();
		bytes.push_back(arrived);
	}
	return bytes;
}

void require_associated(const NetDeviceContainer &radios)
{
	for (uint32_t i = 0; i < radios.GetN(); i++) {
		auto radio = DynamicCast<WifiNetDevice>(radios.Get(i));
		if (!DynamicCast<StaWifiMac>(radio->GetMac())->IsAssociated())
			fail(1, "station " + std::to_string(i) + " is not associated when the load begins");
	}
}

Outcome run(const Options &options, const Network &network)
{
	Sinks sinks = make_sinks(options, network);
	Bytes before;
	Outcome outcome;

	Simulator::Schedule(Seconds(ASSOCIATION_S), [&] { require_associated(network.station_radios); });
	Simulator::Schedule(Seconds(ASSOCIATION_S + WARM_UP_S), [&] { before = received(sinks); });
	Simulator::Stop(Seconds(ASSOCIATION_S + options.load_s));
	auto started = std::chrono::steady_clock::now();
	Simulator::Run();
	outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
	outcome.events = Simulator::GetEventCount();
	Bytes after = received(sinks);
	for (std::size_t i = 0; i < sinks.size(); i++)
		outcome.station_mbps.push_back(8e-6 * (after[i] - before[i]) / (options.load_s - WARM_UP_S));
	return outcome;
}

void print(const Options &options, const Outcome &outcome)
{
	double goodput_mbps = 0;
	std::string each;
	char number[32];

	for (double mbps : outcome.station_mbps) {
		goodput_mbps += mbps;
		std::snprintf(number, sizeof(number), "%s%.4f", each.empty() ? "" : ", ", mbps);
		each += number;
	}
	std::printf("{\"mode\": \"%s\", \"stations\": %u, \"transport\": \"%s\", \"goodput_mbps\": %.4f, "
		    "\"per_station_mbps\": [%s], \"wall_s\": %.4f, \"events\": %llu}\n",
		    options.mode->name, options.stations, options.tcp ? "tcp" : "udp", goodput_mbps, each.c_str(),
		    outcome.wall_s, static_cast<unsigned long long>(outcome.events));
}

} // namespace

int main(int argc, char **argv)
{
	/* before the command line, which can override any attribute of ns-3 */
	configure_tcp();
	configure_queues();
	Options options = parse(argc, argv);

	RngSeedManager::SetRun(options.seed); /* independent streams for each run; the streams of two seeds could overlap */
	Network network = make_network(options);
	if (options.latency.IsStrictlyPositive())
		delay_hosts(options.latency, network.station_radios);
	if (!options.frames.empty()) {
		NetDeviceContainer radios(network.access_point_radio);
		radios.Add(network.station_radios);
		log_frames(options.frames, radios);
	}
	if (options.tcp)
		start_tcp(options, network);
	else
		start_udp(options, network);
	print(options, run(options, network));
	Simulator::Destroy();
	return 0;
}
