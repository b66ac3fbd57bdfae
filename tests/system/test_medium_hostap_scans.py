# SPDX-License-Identifier: MIT
"""Radios that leave their channel and return: scans, queries before association, measurements."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.air import ACK, BEACON
from tests.system.radios import (
    STATION,
    Boot,
    Played,
    access_point,
    address,
    frames,
    hostapd,
    network,
    play,
    start_access_point,
    start_station,
    until,
    until_said,
    wpa,
)

pytestmark = pytest.mark.guest

PROBE_REQUEST, PROBE_RESPONSE = 0x40, 0x50  # IEEE 802.11-2020 9.2.4.1.3: the first octet of frame control
SCANS = 20
RANDOM_SCANS = 10
UP = "ip link set sta-wlan0 down; iw dev sta-wlan0 set type managed; ip link set sta-wlan0 up"
NETWORKS = {"ap1": 1, "ap2": 1, "ap3": 6}


def look_around(boot: Boot, *commands: tuple[str, str], hidden: str = "") -> Played:
    """Three networks on two channels, and a station that scans."""
    invisible = {"ap3": [hidden]} if hidden else {}
    files = {
        node: access_point(node, f"ssid={node}", f"channel={channel}", *invisible.get(node, []))
        for node, channel in NETWORKS.items()
    }
    starts = [start_access_point(node) for node in NETWORKS]
    return play(boot, {**files, "sta": STATION}, [*starts, ("sta", UP), *commands], pcap="air", seconds=10)


def seen(printed: str) -> set[str]:
    """SSIDs of a scan."""
    return set(re.findall(r"\tSSID: (\S+)", printed))


def test_active_scans_miss_only_answers_that_collide(boot: Boot) -> None:
    """hostapd asks for no acknowledgement of an answer to a broadcast request, so one that collides is not repeated."""
    scan = "iw dev sta-wlan0 scan flush freq 2412 2437; sleep 0.0{}"
    played = look_around(boot, *(("sta", scan.format(number)) for number in range(SCANS)))
    found = [seen(printed) for printed in played.printed[-SCANS:]]
    assert all("ap3" in one and len(one) >= 2 for one in found)
    assert sum(len(one) == len(NETWORKS) for one in found) >= 0.75 * SCANS
    answers = [frame for frame in frames(played) if frame.body[0] == PROBE_RESPONSE]
    assert len(answers) == 2 * SCANS
    acks = [frame for frame in frames(played) if frame.kind == ACK]  # it cannot know that hostapd wants none
    assert len(acks) >= sum(not answer.damaged for answer in answers)
    collided = sum(answer.damaged for answer in answers)
    assert sum(len(one) < len(NETWORKS) for one in found) <= collided < SCANS / 2  # with latency: 0 us, at least SCANS


def test_answers_to_a_random_address_arrive(boot: Boot) -> None:
    """As iwd scans, from another address each time: access points answer to it, and the radio takes that."""
    scan = "iw dev sta-wlan0 scan flush freq 2437 randomise"
    played = look_around(boot, *[("sta", scan)] * RANDOM_SCANS)
    requests = [frame for frame in frames(played, 2437) if frame.body[0] == PROBE_REQUEST]
    senders = {frame.transmitter for frame in requests}
    assert len(senders) == RANDOM_SCANS and address(4) not in {sender.hex(":") for sender in senders}
    answers = [frame for frame in frames(played, 2437) if frame.body[0] == PROBE_RESPONSE]
    acknowledged = [frame.receiver for frame in frames(played, 2437) if frame.kind == ACK]
    assert len(answers) == len(acknowledged) == RANDOM_SCANS
    assert [seen(printed) for printed in played.printed[-RANDOM_SCANS:]] == [{"ap3"}] * RANDOM_SCANS  # not by beacons


def test_a_passive_scan_hears_all_beacons_and_sends_nothing(boot: Boot) -> None:
    played = look_around(boot, ("sta", "iw dev sta-wlan0 scan flush freq 2412 2437 passive"))
    assert seen(played.printed[-1]) == set(NETWORKS)
    assert not [frame for frame in frames(played) + frames(played, 2437) if frame.body[0] == PROBE_REQUEST]


def test_a_hidden_network_answers_to_its_name(boot: Boot) -> None:
    scan = "iw dev sta-wlan0 scan flush freq 2412 2437"
    played = look_around(boot, ("sta", scan), ("sta", f"{scan} ssid ap3"), hidden="ignore_broadcast_ssid=1")
    nameless, named = (seen(printed) for printed in played.printed[-2:])
    assert "ap3" not in nameless and "ap3" in named


def test_an_access_point_scans_and_continues(boot: Boot) -> None:
    """It finds the networks of another channel; its beacons pause meanwhile, and are not sent there."""
    scan = "iw dev ap3-wlan0 scan flush ap-force freq 2412 2437 passive"
    played = look_around(boot, ("ap3", f"sleep 1; {scan}"), ("ap3", "sleep 1"))
    assert seen(played.printed[-2]) == {"ap1", "ap2"}
    assert {frame.transmitter.hex(":") for frame in frames(played) if frame.kind == BEACON} == {address(1), address(2)}
    stamps = [frame.stamp_ns for frame in frames(played, 2437) if frame.kind == BEACON]
    gaps_tu = [round((after - before) / 102.4e6) for before, after in pairwise(stamps)]
    assert len(gaps_tu) > 50 and sorted(gaps_tu)[-3:] in ([1, 1, 2], [1, 1, 3], [1, 2, 2]), gaps_tu


REALMS = [f"nai_realm=0,{'x' * 200}{number}.example.com,21[2:4][5:7]" for number in range(10)]


def test_a_query_before_association_comes_back_in_fragments(boot: Boot) -> None:
    """ANQP: 2 kB of realms are fetched piece by piece, while the station remains on the channel."""
    ap = ["ssid=x", "interworking=1", "internet=1", "venue_group=1", "venue_type=7", "venue_name=eng:Hall", *REALMS]
    commands = [
        *(start_access_point("ap"), start_station("sta"), wpa("sta", "scan freq=2412")),
        until("sta", f"wpa_cli -p /run/own -i sta-wlan0 bss {address(1)} | grep -q ^ssid=x"),
        wpa("sta", f"anqp_get {address(1)} 258,263"),
        until_said("sta", "ANQP-QUERY-DONE"),
    ]
    files = {"ap": access_point("ap", *ap), "sta": f"{STATION}interworking=1\n"}
    played = play(boot, files, commands, pcap="air", seconds=10)
    assert "status_code=0 result=SUCCESS" in played.said["sta"]
    assert "Venue Name" in played.said["sta"] and "NAI Realm list" in played.said["sta"]
    assert max(len(frame.body) for frame in frames(played)) < 1500


BEACON_REQUEST = (
    "5106000064000{}ffffffffffff020100"  # 9.4.2.20.7: class 81, channel 6, 100 TU, mode, any BSSID, detail 1
)
PASSIVE, ACTIVE, TABLE = range(3)


def test_a_station_measures_another_channel_and_follows_a_request(boot: Boot) -> None:
    """802.11k and v: it reports a neighbour at the level that the medium has, and goes there when it is asked to."""
    common = ["ssid=x", "wpa=2", "rsn_pairwise=CCMP", "wpa_key_mgmt=WPA-PSK", "wpa_passphrase=secret-words"]
    support = ["rrm_beacon_report=1", "bss_transition=1"]
    files = {
        "ap": access_point("ap", *common, *support),
        "sta": STATION + network('ssid="x"', "key_mgmt=WPA-PSK", 'psk="secret-words"', "scan_freq=2412 2437"),
        "ap2": access_point("ap2", *common, *support, "channel=6"),
    }
    measure = [
        step
        for number, mode in enumerate((PASSIVE, ACTIVE, TABLE), 1)
        for step in (
            hostapd("ap", f"req_beacon {address(2)} req_mode=00 {BEACON_REQUEST.format(mode)}"),
            until_said("ap", "BEACON-RESP-RX", times=number),
        )
    ]
    neighbour = f"neighbor={address(3)},0x0000,81,6,7,0301ff"
    commands = [
        *(start_access_point("ap"), start_station("sta"), until_said("ap", "EAPOL-4WAY-HS-COMPLETED")),
        *(start_access_point("ap2"), *measure),
        hostapd("ap", f"bss_tm_req {address(2)} pref=1 abridged=1 valid_int=255 {neighbour}"),
        *(until_said("ap2", "EAPOL-4WAY-HS-COMPLETED"), wpa("sta", "status")),
    ]
    snr = [{"between": ["ap", "sta"], "is": "10 dB"}]  # a station stays where it is unless the other one is faster
    played = play(boot, files, commands, medium={"snr": snr}, seconds=20)
    reports = re.findall(r"BEACON-RESP-RX \S+ \w+ (\w\w) (\w+)", played.said["ap"])
    assert {status for status, _ in reports} == {"00"}
    dbm = [(report[30:42], int(report[26:28], 16) / 2 - 110) for _, report in reports]  # BSSID and RCPI, 9.4.2.21.7
    here, there = (address(number).replace(":", "") for number in (1, 3))
    assert dbm.count((there, -54)) == 3 and set(dbm) == {(there, -54), (here, -84)}  # the table has its own network too
    assert (
        f"BSS-TM-RESP {address(2)} status_code=0" in played.said["ap"]
        and f"target_bssid={address(3)}" in played.said["ap"]
    )
    assert f"bssid={address(3)}" in played.printed[-1]


# CoDel would drop a packet that has waited for too long after the scan
DOWNLOAD = """\
name: download
nodes:
  h1: {kind: host, roles: [client]}
  ap1: {kind: ap, ssid: x, mode: g, channel: 1, drop_tail: 1000}
  ap2: {kind: ap, ssid: x, mode: g, channel: 11}
  sta1: {kind: sta, roles: [server]}
  sta2: {kind: sta, roles: [other]}
links: [{between: [h1, ap1]}]
medium: {snr: [{between: [ap2, sta1], is: -20 dB}, {between: [ap2, sta2], is: -20 dB}]}
"""
SCAN = "  - {at: 2 s, exec: sta1, run: [iw, dev, sta1-wlan0, scan]}\n"
WHILE_SCANNING = """\
name: while-scanning
roles: {server: 1, client: 1, other: 1}
duration: 20 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: other, run: {probe: udp-sink}, as: other-sink, ready: {listening: udp/9000}}
  - {on: client, at: 1 s, run: {probe: udp-sender, to: "{server.ip}", every: 5 ms, count: 1000}, as: load}
  - {on: client, at: 1 s, run: {probe: udp-sender, to: "{other.ip}", every: 5 ms, count: 1000}, as: other-load}
timeline:
"""


@pytest.mark.parametrize("seed", [1, 2, 20, 29])  # the frame in which the station says that it leaves may collide
def test_a_scan_during_a_download_loses_nothing(boot: Boot, seed: int) -> None:
    """The access point keeps the frames of the station that scans, 111 ms for each passive channel, and no others."""
    ran = boot(DOWNLOAD, WHILE_SCANNING + SCAN, seed=seed)
    scanning, other = ran.flows("sink")["load"], ran.flows("other-sink")["other-load"]
    assert [(flow["packets"], flow["lost"]) for flow in (scanning, other)] == [(1000, 0)] * 2
    assert 110e6 < scanning["delay_max_ns"] < 200e6 and other["delay_max_ns"] < 50e6


def test_of_what_waits_for_a_scan_codel_drops_some(boot: Boot) -> None:
    """At 6 Mbit/s the queue remains long for more than 100 ms; nothing else is lost."""
    topology = DOWNLOAD.replace("drop_tail: 1000", "rate: 6 Mbit/s")
    dump = "  - {at: 15 s, exec: ap1, run: [iw, dev, ap1-wlan1, station, dump, -v]}\n"
    ran = boot(topology, WHILE_SCANNING + SCAN + dump)
    queue, _ = re.findall(r"TXQs:\n.*\n((?:\t\t\d.*\n)+)", ran.outputs()[-1])
    dropped = sum(int(line.split()[4]) for line in queue.splitlines())
    assert ran.flows("sink")["load"]["lost"] == dropped > 0


CATEGORIES = (0, 32, 160, 192)  # type of service of best effort, background, video, voice
UPLOAD = """\
name: while-away
roles: {server: 1, client: 1, other: 0..}
duration: 20 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
""" + "".join(
    f'  - {{on: client, at: 1 s, run: {{probe: udp-sender, to: "{{server.ip}}", every: 20 ms, count: COUNT, '
    f"size: 1000 B, tos: {tos}}}, as: load{tos}}}\n"
    for tos in CATEGORIES
)


@pytest.mark.parametrize("mode", ["g", "n"])
@pytest.mark.parametrize("count", [120, 133])
def test_what_a_station_sends_while_it_scans_waits_for_its_return(boot: Boot, mode: str, count: int) -> None:
    """Also the last packets of each category, behind which nothing comes."""
    host, station = "host, roles: [{}]", "sta1: {{kind: sta, roles: [{}]}}"
    topology = DOWNLOAD.replace("mode: g", f"mode: {mode}").replace(host.format("client"), host.format("server"))
    topology = topology.replace(station.format("server"), station.format("client"))
    ran = boot(topology, UPLOAD.replace("COUNT", str(count)) + "timeline:\n" + SCAN)
    assert [(flow["packets"], flow["lost"]) for flow in ran.flows().values()] == [(count, 0)] * len(CATEGORIES)


@pytest.mark.parametrize("mode", ["g", "n"])
def test_who_leaves_for_another_channel_says_so_first(boot: Boot, mode: str) -> None:
    """As for a scan, also for a query before association: the access point keeps what comes meanwhile."""
    leave = '  - {{at: {} ms, exec: sta1, run: [iw, dev, sta1-wlan0, offchannel, "2437", "60"]}}\n'
    leaves = "".join(leave.format(at_ms) for at_ms in range(2000, 4000, 200))
    ran = boot(DOWNLOAD.replace("mode: g", f"mode: {mode}"), WHILE_SCANNING + leaves)
    flows = ran.flows("sink")["load"], ran.flows("other-sink")["other-load"]
    assert [(flow["packets"], flow["lost"]) for flow in flows] == [(1000, 0)] * 2
    assert 60e6 < flows[0]["delay_max_ns"] < 100e6
