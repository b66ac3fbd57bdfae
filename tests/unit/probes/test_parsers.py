# SPDX-License-Identifier: MIT
"""Parsers against output pasted from the tools of Debian 13 (tests/fixtures says from which runs)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.captures import pcap
from lab.probes.base import Delivery, Flow, Parsed, ProbeOutputError, Raw, TimeSeries, load
from lab.probes.base.text import number, seconds, stamp_ns

from .conftest import FIXTURES

Parse = Callable[..., Parsed]
Find = Callable[[Parsed, str], TimeSeries]
SECOND = 1_000_000_000


def test_a_file_that_nobody_could_wait_for_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.probes.base.MOST_LINES", 3)
    raw = Raw(tmp_path, "call")
    raw.path("out").write_text("line\n" * 3)
    assert len(list(raw.lines())) == 3
    raw.path("out").write_text("line\n" * 4)
    with pytest.raises(ProbeOutputError, match=r"^call\.out has 4 lines; none was read: 3 are the limit$"):
        raw.text()


def test_curl(pasted: Parse, series: Find) -> None:
    parsed = pasted("curl", "done")
    assert series(parsed, "received").t_ns == [0, SECOND, 2 * SECOND, 2_345_678_901]
    assert series(parsed, "received").values == [0, 1048576, 2097152, 3000000]
    assert parsed.values["bytes"] == 3000000
    assert parsed.values["sha256"].startswith("35bce4ea")
    assert parsed.values["http_code"] == 200 and parsed.values["exit_code"] == 0 and parsed.values["error"] == ""
    assert parsed.values["time_total_s"] == 0.006407


def test_curl_reports_why_it_failed(pasted: Parse) -> None:
    assert pasted("curl", "not-found").values["http_code"] == 404
    assert "Could not connect" in pasted("curl", "refused").values["error"]


def test_curl_that_was_killed_leaves_what_had_arrived(typed: Parse) -> None:
    parsed = typed("curl", out="", size=f"5 10\nsha256 {'0' * 64} 12\n")
    assert parsed.values == {"sha256": "0" * 64, "bytes": 12}


def test_curl_hash_comes_last(typed: Parse) -> None:
    with pytest.raises(ProbeOutputError, match=r"x\.size:2: comes after the hash"):
        typed("curl", out="", size=f"sha256 {'0' * 64} 12\n5 10\n")


def test_ping(pasted: Parse, series: Find) -> None:
    parsed = pasted("ping", "replies", epoch_ns=1_795_260_956 * SECOND)
    assert series(parsed, "rtt").t_ns[:2] == [978_297_000, 1_180_890_000]
    assert series(parsed, "rtt").values == [0.445, 0.046, 0.034, 0.043]
    assert parsed.values["transmitted"] == 4 and parsed.values["loss_percent"] == 0
    assert parsed.values["rtt_mean_ms"] == 0.142


def test_ping_without_replies(pasted: Parse) -> None:
    parsed = pasted("ping", "lost")
    assert [(item.kind, item.fields["seq"]) for item in parsed.occurrences] == [("late", 1), ("late", 2), ("late", 3)]
    assert parsed.values["loss_percent"] == 100 and not parsed.series


def test_ping_of_a_node_that_cannot_be_reached(pasted: Parse) -> None:
    parsed = pasted("ping", "unreachable")
    assert [(item.kind, item.fields["seq"]) for item in parsed.occurrences[1:]] == [
        ("unreachable", 1),
        ("unreachable", 10),
    ]
    assert (parsed.values["errors"], parsed.values["received"]) == (20, 0)


def test_ping_too_small_to_carry_a_stamp_has_no_times(pasted: Parse) -> None:
    parsed = pasted("ping", "too-small-for-a-stamp")
    assert parsed.values["received"] == 2 and not parsed.series


def test_ping_whose_replies_are_damaged(typed: Parse) -> None:
    """Approximate reception lets them pass; ping counts them as lost and shows their data."""
    lines = (
        "[1.5] 64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=2.5 ms (BAD CHECKSUM!)",
        "wrong data byte #20 should be 0x14 but was 0x15",
        "#16\t10 11 12 13 15 15 16 17 ",
        "[2.5] 64 bytes from 10.0.0.1: icmp_seq=2 ttl=64 time=2.5 ms",
        "--- 10.0.0.1 ping statistics ---",
        "2 packets transmitted, 1 received, +1 corrupted, 50% packet loss, time 1001ms",
    )
    parsed = typed("ping", out="".join(f"{line}\n" for line in lines))
    assert [(occurrence.kind, occurrence.fields) for occurrence in parsed.occurrences] == [("corrupted", {"seq": 1})]
    assert parsed.values["corrupted"] == 1 and parsed.values["received"] == 1
    assert [len(found.values) for found in parsed.series] == [1]


def test_ping_refused_by_a_router(typed: Parse) -> None:
    parsed = typed("ping", out="[1.5] From 10.0.0.1 icmp_seq=2 Destination Host Unreachable\n")
    (unreachable,) = parsed.occurrences
    assert unreachable.kind == "unreachable"
    assert unreachable.fields == {"seq": 2, "by": "10.0.0.1", "why": "Destination Host Unreachable"}


def test_iperf3_tcp(pasted: Parse, series: Find) -> None:
    parsed = pasted("iperf3", "tcp", epoch_ns=1_795_260_945 * SECOND, started_ns=SECOND + 250_000_000)
    goodput = series(parsed, "goodput")
    assert goodput.t_ns[0] == SECOND + 250_000_000 + 500_602_000  # the process's start, within the stamp's second
    assert goodput.values[0] == pytest.approx(20946300.36)
    assert series(parsed, "cwnd").values[0] == 1178694 and series(parsed, "rtt").values[0] == 0.058
    assert sum(series(parsed, "transferred").values) == parsed.values["bytes"] == 5111808
    assert parsed.values["retransmits"] == 0 and parsed.values["protocol"] == "tcp"
    assert parsed.values["goodput_bps"] == pytest.approx(20385413.2)


def test_iperf3_udp(pasted: Parse, series: Find) -> None:
    parsed = pasted("iperf3", "udp")
    assert parsed.values["packets"] == 16 and parsed.values["lost"] == 0 and parsed.values["lost_percent"] == 0
    assert parsed.values["jitter_ms"] == pytest.approx(0.0182756)
    reverse = pasted("iperf3", "udp-reverse")
    assert series(reverse, "lost").values == [0, 0, 0, 0]
    assert series(reverse, "jitter").values[0] == pytest.approx(0.00733301)


def test_iperf3_parallel_streams(pasted: Parse, series: Find) -> None:
    parsed = pasted("iperf3", "tcp-reverse-parallel")
    assert sum(series(parsed, "transferred").values) == pytest.approx(parsed.values["bytes"], rel=0.1)


def test_iperf3_that_did_not_end_well(pasted: Parse) -> None:
    interrupted = pasted("iperf3", "interrupted")
    assert "interrupt" in interrupted.values["error"]
    assert interrupted.values["bytes"] == interrupted.values["sent_bytes"] == 393216
    refused = pasted("iperf3", "refused")
    assert "Connection refused" in refused.values["error"] and not refused.series


def test_iperf3_server(pasted: Parse, series: Find) -> None:
    parsed = pasted("iperf3-server", "one-test")
    assert parsed.values["tests"] == 1 and "error" not in parsed.values
    assert parsed.values["received_bytes"] == 262144 == sum(series(parsed, "transferred").values)


def test_an_iperf3_server_that_is_ended_reports_what_it_had_received(typed: Parse) -> None:
    """Between two tests there is nothing to tell, and nothing is not 0."""
    text = (FIXTURES / "iperf3-server" / "one-test.out").read_text()
    test, end = json.JSONDecoder().raw_decode(text)
    between = typed("iperf3-server", out=text[end:])
    assert between.values == {"tests": 0}
    test["error"] = "interrupt - the server has terminated"
    parsed = typed("iperf3-server", out=json.dumps(test))
    assert (parsed.values["tests"], parsed.values["bytes"], parsed.values["seconds"]) == (1, 262144, 1.001597)
    for values, kinds in ((between.values, [Flow]), (parsed.values, [Delivery, Flow])):
        found = load("iperf3-server").found(Raw(Path(), "x"), Parsed(values=values))
        assert [type(one) for one in found] == kinds


def test_what_an_iperf3_client_does_not_know_is_not_0(pasted: Parse) -> None:
    """Its receiver had no time to report."""
    values = pasted("iperf3", "interrupted").values
    assert "received_bytes" not in values and "goodput_bps" not in values and values["bytes"] == 393216


def test_udp_sink(pasted: Parse, series: Find) -> None:
    parsed = pasted("udp-sink", "two-flows", epoch_ns=1_767_225_600_999_999_744)
    assert series(parsed, "goodput/load@sta1").t_ns == [2_000_000_256, 3_000_000_256, 4_000_000_256]
    assert series(parsed, "goodput/load@sta1").values == [8 * 60352, 8 * 55936, 8 * 36800]
    assert series(parsed, "delay/load@sta2").values[0] == pytest.approx(38.576431)
    assert (parsed.values["packets"], parsed.values["bytes"], parsed.values["lost"]) == (201, 295872, 160)
    assert parsed.values["flows"]["load@sta1"] == {
        "packets": 104,
        "bytes": 153088,
        "lost": 77,
        "first_ns": 1_015_741_696,
        "last_ns": 3_869_019_392,
        "delay_min_ns": 4361984,
        "delay_mean_ns": pytest.approx(33_844_007.4, abs=1),
        "delay_max_ns": 70026752,
    }


INTERVAL = '{{"flow": "load", "end_s": "{end}.5", "packets": 1, "bytes": 1000, "next": {number}, "first_s": "1.0", '
INTERVAL += '"last_s": "1.0", "delay_ns": [1, 1, 1]}}\n'


def test_a_flow_that_pauses_has_a_goodput_of_0(typed: Parse, series: Find) -> None:
    parsed = typed("udp-sink", out=INTERVAL.format(end=1, number=1) + INTERVAL.format(end=4, number=2))
    assert series(parsed, "goodput/load").t_ns == [1_500_000_000, 2_500_000_000, 3_500_000_000, 4_500_000_000]
    assert series(parsed, "goodput/load").values == [8000, 0, 0, 8000]
    assert series(parsed, "delay/load").t_ns == [1_500_000_000, 4_500_000_000]
    with pytest.raises(ProbeOutputError, match=r"out:2: end_s must be closer to the line before"):
        typed("udp-sink", out=INTERVAL.format(end=1, number=1) + INTERVAL.format(end=4_000_000, number=2))


def test_udp_sender(pasted: Parse) -> None:
    assert pasted("udp-sender", "done").values == {"sent": 188}


def test_ss(pasted: Parse, series: Find) -> None:
    parsed = pasted("ss", "loopback")
    which = "127.0.0.1:49340-127.0.0.1:5201"
    assert series(parsed, f"cwnd/{which}").t_ns == [100_000_000, 200_000_000]  # with the state printed, and without
    assert series(parsed, f"cwnd/{which}").values == [18, 18]
    assert series(parsed, f"rtt/{which}").values[0] == 0.112
    assert series(parsed, f"retransmits/{which}").values == [0, 0]
    assert series(parsed, "cwnd/127.0.0.1:5201-127.0.0.1:49328").values == [14]


def test_counters(pasted: Parse, series: Find) -> None:
    parsed = pasted("counters", "veth")
    assert series(parsed, "rx_bytes/v0").values == [516, 516]
    assert series(parsed, "tx_packets/v0").t_ns == [0, SECOND]


def test_tcpdump(pasted: Parse) -> None:
    parsed = pasted("tcpdump", "loopback")
    assert parsed.values["frames"] == 8 and parsed.values["dropped_by_kernel"] == 0
    assert parsed.values["bytes"] == 4 * 98 + 4 * 50
    assert parsed.values["link_type"] == pcap.ETHERNET


def test_a_capture_in_memory() -> None:
    capture = pcap.read((FIXTURES / "tcpdump" / "loopback.pcap").read_bytes())
    assert [len(frame) for _, frame in capture.frames()] == [64] * 4 + [50] * 4
    assert capture.frame(0)[12:14] == b"\x08\x00"
    assert capture.stamp_ns == sorted(capture.stamp_ns)
    assert capture.stamp_ns[0] % 1000 != 0 or capture.stamp_ns[1] % 1000 != 0, "stamps must hold nanoseconds"


def test_a_capture_whose_writer_was_killed() -> None:
    data = (FIXTURES / "tcpdump" / "loopback.pcap").read_bytes()
    assert len(pcap.read(data[:-5])) == 7
    with pytest.raises(pcap.PcapError, match="byte 0"):
        pcap.read(b"not a capture at all, is it?")


def test_numbers_are_read_exactly() -> None:
    assert seconds(1_500_000_000) == "1.5" and seconds(30 * SECOND) == "30" and seconds(1) == "0.000000001"
    assert stamp_ns("1795260956.978297") == 1_795_260_956_978_297_000
    assert number("0.000") == 0 and number("-30") == -30
    for text in ("", "1e9", "nan", "1.", ".5", "٣", "9" * 50):
        with pytest.raises(ValueError, match="not a number"):
            number(text)
    with pytest.raises(ValueError, match="not a time stamp"):
        stamp_ns("1.2.3")


AP1, AP2, STA1 = "02:00:00:00:03:00", "02:00:00:00:04:00", "02:00:00:00:05:00"


def test_ss_has_no_round_trip_times_of_a_control_connection(typed: Parse) -> None:
    """That of iperf3 keeps the estimate of its first exchange; a short request keeps its own."""

    def line(port: int, acked: int, rtt: float) -> str:
        return f"0 0 10.0.0.3:{port} 10.0.0.1:5201 cubic rtt:{rtt}/1 cwnd:10 bytes_acked:{acked} bytes_received:4\n"

    samples = [(0, 0), (185, 10_000), (185, 50_000), (185, 90_000), (185, 130_000), (185, 170_000)]
    out = "".join(
        f"### {number}\n{line(40000, control, 177.7)}{line(40001, data, 120 + number)}"
        for number, (control, data) in enumerate(samples)
    )
    names = {item.name for item in typed("ss", out=out + line(40002, 100, 3)).series}
    assert {name for name in names if name.startswith("rtt/")} == {
        "rtt/10.0.0.3:40001-10.0.0.1:5201",
        "rtt/10.0.0.3:40002-10.0.0.1:5201",
    }
    assert "cwnd/10.0.0.3:40000-10.0.0.1:5201" in names
    alone = "".join(f"### {number}\n{line(40000, control, 177.7)}" for number, (control, _) in enumerate(samples))
    assert "rtt/10.0.0.3:40000-10.0.0.1:5201" in {item.name for item in typed("ss", out=alone).series}


def test_station_dump_of_a_station_that_is_handed_off(pasted: Parse, series: Find) -> None:
    parsed = pasted("station-dump", "handoff")
    assert set(series(parsed, f"signal/{AP1}").values) == {-30}
    assert max(series(parsed, f"signal/{AP1}").t_ns) < min(series(parsed, f"signal/{AP2}").t_ns)
    assert series(parsed, f"tx_retries/{AP1}").unit == "frames"
    assert series(parsed, f"rx_bitrate/{AP2}").values[-1] == 54
    assert series(parsed, "peers").values == [1] * 8
    assert series(parsed, "peers").t_ns[0] < 0, "probes begin before the timeline"


def test_station_dump_of_an_access_point_that_is_left(pasted: Parse, series: Find) -> None:
    parsed = pasted("station-dump", "access-point")
    assert series(parsed, f"rx_packets/{STA1}").values[0] == 4
    assert series(parsed, "peers").values == [1] * 6


def test_a_rate_that_is_not_known_yet_is_no_sample(typed: Parse) -> None:
    parsed = typed("station-dump", out=f"### 0\nStation {AP1} (on sta1-wlan0)\n\ttx bitrate:\t(unknown)\n")
    assert [item.name for item in parsed.series] == ["peers"]


@pytest.mark.parametrize(
    ("probe", "head"),
    [("station-dump", f"Station {AP1} (on sta1-wlan0)"), ("link", f"Connected to {AP1} (on sta1-wlan0)")],
)
@pytest.mark.parametrize("level", ["0 dBm", "0 [0, 0] dBm"])
def test_a_signal_before_the_first_frame_is_no_sample(typed: Parse, probe: str, head: str, level: str) -> None:
    parsed = typed(probe, out=f"### 0\n{head}\n\tsignal:  \t{level}\n### 1\n{head}\n\tsignal:  \t-40 dBm\n")
    (levels,) = [item for item in parsed.series if item.name.startswith("signal")]
    assert (levels.t_ns, levels.values) == ([1], [-40])


def test_link(pasted: Parse, series: Find) -> None:
    parsed = pasted("link", "handoff")
    assert [item.fields["bssid"] for item in parsed.occurrences] == [AP1, AP2]
    assert series(parsed, "connected").values == [1] * 7
    assert series(parsed, "frequency").values[-1] == 2437


def test_link_of_a_station_without_one(typed: Parse, series: Find) -> None:
    parsed = typed("link", out="### 0\nNot connected.\n")
    assert series(parsed, "connected").values == [0] and parsed.occurrences[0].fields == {"bssid": None}


def test_wpa_events(pasted: Parse) -> None:
    parsed = pasted("wpa-events", "open-handoff")
    kinds = ["scan-started", "scan-results", "authenticate", "associate", "associated", "connected", "other"]
    assert [item.kind for item in parsed.occurrences] == kinds
    authenticate = parsed.occurrences[2]
    assert authenticate.t_ns == 3_080_025_856
    assert authenticate.fields["bssid"] == AP2 and authenticate.fields["freq_mhz"] == 2437
    assert authenticate.fields["ssid"] == "campus"
    assert parsed.values == {"connections": 1, "disconnections": 0}
    encrypted = [item.kind for item in pasted("wpa-events", "wpa2-handoff").occurrences]
    assert encrypted.index("associated") < encrypted.index("keys") < encrypted.index("connected")


def test_wpa_events_of_a_station_that_chooses_by_itself(pasted: Parse) -> None:
    parsed = pasted("wpa-events", "walk")
    skipped, done = (item for item in parsed.occurrences if item.kind.endswith("-roam"))
    assert (skipped.kind, skipped.fields["level_dbm"], skipped.fields["selected_dbm"]) == ("skip-roam", -67, -63)
    assert (done.kind, done.fields["level_dbm"], done.fields["selected_dbm"]) == ("do-roam", -71, -55)
    assert (done.fields["bssid"], done.fields["selected"]) == ("02:00:01:00:03:00", "02:00:01:00:04:00")


def test_wpa_events_that_report_trouble(typed: Parse) -> None:
    parsed = typed(
        "wpa-events",
        out=f"-5 <3>CTRL-EVENT-DISCONNECTED bssid={AP1} reason=4 locally_generated=1\n"
        f"7 <3>CTRL-EVENT-ASSOC-REJECT bssid={AP1} status_code=17\n"
        "8 <3>CTRL-EVENT-ASSOC-REJECT status_code=1\n",
    )
    assert [item.t_ns for item in parsed.occurrences] == [-5, 7, 8]
    assert parsed.occurrences[0].fields["reason"] == 4
    assert parsed.occurrences[1].fields["status"] == 17 and parsed.occurrences[2].fields["status"] == 1
    assert parsed.values["disconnections"] == 1


def test_hostapd_events(pasted: Parse) -> None:
    parsed = pasted("hostapd-events", "wpa2-handoff")
    assert [item.kind for item in parsed.occurrences] == ["station-connected", "keys"]
    assert parsed.occurrences[0].fields["station"] == STA1
    assert parsed.values["connections"] == 1


def test_ss_of_a_server_on_a_lossy_link(pasted: Parse, series: Find) -> None:
    parsed = pasted("ss", "download")
    which = "10.0.0.1:80-10.0.0.2:53042"
    assert series(parsed, f"retransmits/{which}").values == [6, 6, 10, 13, 13, 13]
    assert series(parsed, f"retransmitted/{which}").values[-1] == 18824
    assert series(parsed, f"rtt/{which}").values[0] == 15.619


def test_mesh(pasted: Parse, series: Find) -> None:
    gate = "02:00:01:00:05:00"
    parsed = pasted("mesh", "healing")
    assert series(parsed, "paths").values == [0, 2, 2, 2, 2, 2, 3, 3]
    assert set(series(parsed, f"hops/{gate}").values) == {2}
    assert series(parsed, f"path_metric/{gate}").values[-2:] == [15763, 15763]
    hops = [(one.t_ns, one.fields["next_hop"]) for one in parsed.occurrences if one.fields["destination"] == gate]
    assert hops == [(100316416, "02:00:01:00:03:00"), (4100316416, "02:00:01:00:04:00")]


def test_a_path_that_packets_cannot_take_is_none(typed: Parse) -> None:
    row = "02:00:01:00:05:00 02:00:01:00:04:00 m1-wlan0\t3\t15763\t0\t0\t100\t0\t{}\t2\t2\n"
    parsed = typed("mesh", out=f"### 0\n{row.format('0x15')}### 1\n{row.format('0x14')}")
    assert [one.fields["next_hop"] for one in parsed.occurrences] == ["02:00:01:00:04:00", None]
    assert [item.values for item in parsed.series if item.name == "paths"] == [[1, 0]]
