# SPDX-License-Identifier: MIT
"""Every metric, from what its probes parse."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.metrics.base import MEDIUM, PRINTED, increase, known, load, measures, summary
from lab.probes.base import Occurrence, TimeSeries

from .samples import AP1, AP2, MS, SECOND, STA1, context, ethernet, event, pcap, roam, source, wanted


def test_metrics_are_found_by_their_files() -> None:
    expected = {"goodput", "outage", "rtt", "loss", "retries", "retransmits", "signal", "transfer-time"}
    assert expected <= set(known())
    with pytest.raises(InputError, match='unknown metric "happiness"'):
        load("happiness")


@pytest.mark.parametrize("kind", known())
def test_a_metric_says_what_it_is(kind: str) -> None:
    metric = load(kind)
    assert metric.about and metric.sources() and metric.per and metric.unit in metric.units()
    of = {probe: probe for probe in metric.sources()}
    metric.check(of, metric.unit, None)
    if PRINTED not in metric.takes:  # there, a word is a unit of what is counted
        with pytest.raises(ValueError, match="known: "):
            metric.check(of, "furlong", None)
    with pytest.raises(ValueError, match="known: "):
        metric.check(of, metric.unit, "fortnight")
    with pytest.raises(ValueError, match="is a program"):
        metric.check({"x": None}, metric.unit, None)


@pytest.mark.parametrize("kind", known())
def test_nothing_recorded_gives_no_values(kind: str) -> None:
    metric = load(kind)
    empty = [source(probe) for probe in metric.sources() if probe != MEDIUM]
    computed = metric.compute(wanted(kind, *metric.sources()[:1], unit=metric.unit), context(*empty))
    assert summary(computed.values)["max"] in (None, 0)
    assert metric.compute(wanted(kind, "absent", unit=metric.unit), context()).values == []


def test_goodput_of_curl_is_the_mean_over_the_transfer() -> None:
    received = TimeSeries("received", "B", [2 * SECOND, 3 * SECOND, 4 * SECOND], [0, 1000, 1500])
    values = {"bytes": 1500, "time_total_s": 2.0, "exit_code": 0}
    fetch = source("curl", identifier="fetch", series=[received], values=values)
    computed = load("goodput").compute(wanted("goodput", "fetch", unit="bit/s"), context(fetch))
    assert computed.values == [6000]
    assert computed.series[0].t_ns == [3 * SECOND, 4 * SECOND] and computed.series[0].values == [8000, 4000]
    intervals = wanted("goodput", "fetch", unit="bit/s", per="interval")
    assert load("goodput").compute(intervals, context(fetch)).values == [8000, 4000]


def test_goodput_of_a_curl_that_was_ended_counts_what_arrived() -> None:
    received = TimeSeries("received", "B", [2 * SECOND, 4 * SECOND], [0, 1000])
    fetch = source("curl", identifier="fetch", series=[received], values={"bytes": 1000})
    assert load("goodput").compute(wanted("goodput", "fetch", unit="bit/s"), context(fetch)).values == [4000]


def test_goodput_of_iperf3() -> None:
    rate = TimeSeries("goodput", "bit/s", [SECOND], [5e6])
    up = source("iperf3", series=[rate], values={"bytes": 1_000_000, "seconds": 2.0})
    computed = load("goodput").compute(wanted("goodput", "iperf3", unit="Mbit/s"), context(up))
    assert computed.values == [4e6] and computed.series[0].values == [5e6]


def test_an_interval_beyond_the_end_is_left_out() -> None:
    """The sink counts what arrives while programs are ended, in an interval that the run does not fill."""
    flow = {"packets": 9, "bytes": 900, "lost": 0, "first_ns": 0, "last_ns": 30 * SECOND}
    flow |= {"delay_min_ns": 1, "delay_mean_ns": 2, "delay_max_ns": 3}
    times = [29 * SECOND, 30 * SECOND, 31 * SECOND]
    series = [
        TimeSeries("goodput/load", "bit/s", times, [5e6, 4e6, 1e4]),
        TimeSeries("delay/load", "ms", times, [1.0] * 3),
    ]
    sink = source("udp-sink", series=series, values={"packets": 9, "bytes": 900, "lost": 0, "flows": {"load": flow}})
    for kind, unit in (("goodput", "bit/s"), ("delay", "ms")):
        computed = load(kind).compute(wanted(kind, "udp-sink", unit=unit, per="interval"), context(sink))
        assert computed.series[0].t_ns == times[:2] and len(computed.values) == 2


def test_outage_by_events() -> None:
    events = source("wpa-events", occurrences=roam(10 * SECOND, AP2) + roam(20 * SECOND, AP1))
    computed = load("outage").compute(
        wanted("outage", "wpa-events", unit="ms", per="handoff"),
        context(events, roams_ns=[10 * SECOND, 20 * SECOND]),
    )
    assert computed.values == [10 * MS, 10 * MS]
    first = computed.rows[0]
    assert (first["from"], first["to"], first["at_ns"]) == (None, "ap2", 10 * SECOND)
    assert computed.rows[1]["from"] == "ap2"
    assert (first["scan"], first["authentication"], first["association"]) == (60 * MS, 2 * MS, 3 * MS)
    assert first["first_data"] is None and first["keys"] is None and first["measured"] == "events"


def test_outage_by_data_frames(tmp_path: Path) -> None:
    stamps = [10 * SECOND + t * MS for t in (-5, 1, 59, 85, 90)]
    (tmp_path / "tcpdump.pcap").write_bytes(pcap((stamp, ethernet(STA1)) for stamp in stamps))
    events = source("wpa-events", occurrences=roam(10 * SECOND, AP2), encrypt="wpa2")
    capture = source("tcpdump", raw=tmp_path)
    computed = load("outage").compute(
        wanted("outage", "wpa-events", "tcpdump", unit="ms"),
        context(events, capture, roams_ns=[10 * SECOND], encrypt="wpa2"),
    )
    (row,) = computed.rows
    assert row["outage"] == 26 * MS == computed.values[0] and row["measured"] == "data frames"
    assert row["first_data"] == 15 * MS and row["keys"] == 5 * MS
    assert row["longest_gap"] == 58 * MS, "the scan silenced the station for longer than the handoff"
    assert computed.series[0].name == f"sta1 {row['begin_ns']}" and sum(computed.series[0].values) > 0


def test_a_capture_that_ends_too_early_falls_back_on_events(tmp_path: Path) -> None:
    (tmp_path / "tcpdump.pcap").write_bytes(pcap([(SECOND, ethernet(STA1))]))
    sources = [source("wpa-events", occurrences=roam(10 * SECOND, AP2)), source("tcpdump", raw=tmp_path)]
    computed = load("outage").compute(wanted("outage", "wpa-events", "tcpdump", unit="ms"), context(*sources))
    assert computed.values == [10 * MS] and computed.rows[0]["measured"] == "events"


def test_a_station_that_never_came_back_is_out_until_the_end() -> None:
    events = source("wpa-events", occurrences=[event(5 * SECOND, "disconnected", bssid=AP1)])
    computed = load("outage").compute(wanted("outage", "wpa-events", unit="ms"), context(events))
    assert computed.values == [25 * SECOND] and computed.rows[0]["completed"] is False


def test_the_first_access_point_is_that_of_the_beginning() -> None:
    events = source("wpa-events", occurrences=roam(10 * SECOND, AP2))
    began = dataclasses.replace(context(events), associations={"sta1": AP1})
    computed = load("outage").compute(wanted("outage", "wpa-events", unit="ms"), began)
    assert computed.rows[0]["from"] == "ap1"


def test_outage_wants_events() -> None:
    with pytest.raises(ValueError, match="of: events of association are missing; add a process of wpa-events"):
        load("outage").check({"capture": "tcpdump"}, "ms", "handoff")


def test_counters_begin_anew_with_each_association() -> None:
    samples = [0, 1, 2, 3, 4, 5]
    assert increase(TimeSeries("x", "", [0, 1, 2], [100, 101, 103]), samples) == 3, (
        "what was before the run is left out"
    )
    assert increase(TimeSeries("x", "", [1, 2], [5, 7]), samples) == 7
    assert increase(TimeSeries("x", "", [0, 1, 4, 5], [100, 101, 150, 151]), samples) == 1 + 151, (
        "it was gone in between"
    )
    assert increase(TimeSeries("x", "", [0, 1, 2], [100, 101, 4]), samples) == 1 + 4


def test_retries() -> None:
    counters = [
        TimeSeries("peers", "1", [0, 1, 2, 3], [1, 1, 1, 1]),
        TimeSeries(f"tx_packets/{AP1}", "packets", [0, 1], [10, 30]),
        TimeSeries(f"tx_retries/{AP1}", "frames", [0, 1], [1, 4]),
        TimeSeries(f"tx_failed/{AP1}", "frames", [0, 1], [0, 1]),
        TimeSeries(f"tx_packets/{AP2}", "packets", [2, 3], [10, 30]),
        TimeSeries(f"tx_retries/{AP2}", "frames", [2, 3], [1, 4]),
    ]
    dump = source("station-dump", series=counters)
    computed = load("retries").compute(wanted("retries", "station-dump", unit="frames"), context(dump))
    assert computed.values == [3 + 4]
    assert computed.rows[0] == {"node": "sta1", "peer": "ap1", "frames": 20, "retries": 3, "failed": 1}
    each = load("retries").compute(wanted("retries", "station-dump", unit="frames", per="peer"), context(dump))
    assert each.values == [3, 4]


def test_retransmits() -> None:
    seen = [
        TimeSeries("retransmits/a-b", "segments", [0, 1], [0, 6]),
        TimeSeries("retransmits/c-d", "segments", [1], [2]),
    ]
    sources = [source("ss", series=seen, on="h1"), source("iperf3", values={"retransmits": 5})]
    metric = load("retransmits")
    assert metric.compute(wanted("retransmits", "ss", "iperf3", unit="segments"), context(*sources)).values == [8, 5]
    each = wanted("retransmits", "ss", unit="segments", per="connection")
    assert metric.compute(each, context(*sources)).values == [6, 2]


def test_rtt() -> None:
    replies = source("ping", series=[TimeSeries("rtt", "ms", [0, 1], [1.0, 3.0])])
    tcp = source("ss", series=[TimeSeries("rtt/a-b", "ms", [0], [7.0])])
    computed = load("rtt").compute(wanted("rtt", "ping", "ss", unit="ms"), context(replies, tcp))
    assert computed.values == [1 * MS, 3 * MS, 7 * MS]
    assert [row["source"] for row in computed.rows] == ["ping", "ss a-b"]
    each = wanted("rtt", "ping", "ss", unit="ms", per="process")
    assert load("rtt").compute(each, context(replies, tcp)).values == [2 * MS, 7 * MS]


def test_loss() -> None:
    ping = source("ping", values={"transmitted": 20, "received": 19})
    udp = source("iperf3", values={"packets": 200, "lost": 1})
    computed = load("loss").compute(wanted("loss", "ping", "iperf3", unit="%"), context(ping, udp))
    assert computed.values == [5, 0.5]


FLOWS = {
    "load@sta1": {"packets": 5, "bytes": 5000, "lost": 0, "first_ns": SECOND, "last_ns": 3 * SECOND}
    | {"delay_min_ns": MS, "delay_mean_ns": 2 * MS, "delay_max_ns": 9 * MS},
    "voice": {"packets": 3, "bytes": 300, "lost": 1, "first_ns": SECOND, "last_ns": SECOND}
    | {"delay_min_ns": 3 * MS, "delay_mean_ns": 4 * MS, "delay_max_ns": 5 * MS},
}


def test_flows_of_a_udp_sink() -> None:
    series = [
        TimeSeries("goodput/load@sta1", "bit/s", [SECOND], [8e3]),
        TimeSeries("goodput/voice", "bit/s", [SECOND], [1e3]),
    ]
    series += [
        TimeSeries("delay/load@sta1", "ms", [SECOND], [2]),
        TimeSeries("delay/voice", "ms", [SECOND, 2 * SECOND], [3, 5]),
    ]
    sink = source("udp-sink", identifier="sink", series=series, values={"flows": FLOWS})
    computed = load("goodput").compute(wanted("goodput", "sink", unit="bit/s"), context(sink))
    assert computed.values == [16_000, 0]  # four datagrams in two seconds; three at one moment
    assert [(row["process"], row["bytes"]) for row in computed.rows] == [("load@sta1", 5000), ("voice", 300)]
    assert load("loss").compute(wanted("loss", "sink", unit="%"), context(sink)).values == [0, 25]
    computed = load("delay").compute(wanted("delay", "sink", unit="ms"), context(sink))
    assert computed.values == [2 * MS, 4 * MS]
    assert computed.rows[1] == {"process": "voice", "packets": 3, "mean": 4 * MS, "min": 3 * MS, "max": 5 * MS}
    each = wanted("delay", "sink", unit="ms", per="interval")
    assert load("delay").compute(each, context(sink)).values == [2 * MS, 3 * MS, 5 * MS]
    longest = wanted("delay", "sink", unit="ms", per="longest")
    assert load("delay").compute(longest, context(sink)).values == [9 * MS, 5 * MS]


@pytest.mark.parametrize(
    ("to", "port", "known"), [("10.0.0.1", 9000, True), ("10.0.0.1", 9001, False), ("10.0.0.2", 9000, False)]
)
@pytest.mark.parametrize(("sent", "unanswered", "lost"), [(7, 2, [100]), (0, 40, [100]), (0, 0, [])])
def test_a_flow_of_which_nothing_arrives_is_lost(
    to: str, port: int, known: bool, sent: int, unanswered: int, lost: list[int]
) -> None:
    values = {"sent": sent, "unanswered": unanswered}
    sender = source("udp-sender", identifier="far", values=values, params={"to": to, "port": port})
    other = source("udp-sender", identifier="voice", values={"sent": 4}, params={"to": to, "port": port})
    sink = source("udp-sink", identifier="sink", values={"flows": {"voice": FLOWS["voice"]}})
    given = context(sink, sender, other)
    expected = lost if known else []
    assert load("loss").compute(wanted("loss", "sink", unit="%"), given).values == [25, *expected]
    computed = load("goodput").compute(wanted("goodput", "sink", unit="bit/s"), given)
    assert computed.values == [0] + [0] * len(expected)
    assert [row["process"] for row in computed.rows] == ["voice", "far"][: 1 + len(expected)]


def test_signal() -> None:
    dump = source("station-dump", series=[TimeSeries(f"signal/{AP1}", "dBm", [0, 1], [-40, -44])])
    link = source("link", series=[TimeSeries("signal", "dBm", [0], [-50])])
    computed = load("signal").compute(wanted("signal", "station-dump", "link", unit="dBm"), context(dump, link))
    assert computed.values == [-40, -44, -50]
    assert [series.name for series in computed.series] == ["station-dump ap1", "link"]


def test_hops_and_the_longest_gap() -> None:
    paths = source("mesh", series=[TimeSeries(f"hops/{AP1}", "hops", [0, 1, 5], [1, 2, 2])])
    computed = load("hops").compute(wanted("hops", "mesh", unit="hops"), context(paths))
    assert (computed.values, [series.name for series in computed.series]) == ([1, 2, 2], ["mesh ap1"])
    echo = source("ping", series=[TimeSeries("rtt", "ms", [0, 10, 50, 90, 95], [1] * 5)])
    alone = source("ping", identifier="other", series=[TimeSeries("rtt", "ms", [0], [1])])
    gap = load("longest-gap").compute(wanted("longest-gap", "ping", "other", unit="ms"), context(echo, alone))
    assert gap.rows == [{"process": "ping", "at_ns": 10, "longest_gap": 40}]
    assert gap.values == [40]
    late = [Occurrence(t_ns, "late", {}) for t_ns in (20, 30, 99, 300)]
    ended = source("ping", series=[TimeSeries("rtt", "ms", [10, 50], [1, 1])], occurrences=late)
    dead = source("ping", identifier="dead", occurrences=late)
    gap = load("longest-gap").compute(wanted("longest-gap", "ping", "dead", unit="ms"), context(ended, dead))
    assert [(row["at_ns"], row["longest_gap"]) for row in gap.rows] == [(50, 250), (20, 280)]


@pytest.mark.parametrize(("kind", "quantity"), [("rx-bitrate", "rx_bitrate"), ("tx-bitrate", "tx_bitrate")])
def test_bitrates(kind: str, quantity: str) -> None:
    dump = source("station-dump", series=[TimeSeries(f"{quantity}/{AP1}", "Mbit/s", [0, 1], [54, 5.5])])
    link = source("link", series=[TimeSeries(quantity, "Mbit/s", [0], [6])])
    computed = load(kind).compute(wanted(kind, "station-dump", "link", unit="Mbit/s"), context(dump, link))
    assert computed.values == [54e6, 5.5e6, 6e6]
    assert [(series.name, series.unit) for series in computed.series] == [
        ("station-dump ap1", "bit/s"),
        ("link", "bit/s"),
    ]


def test_transfer_time() -> None:
    times = {"exit_code": 0, "bytes": 9, "time_total_s": 1.5, "time_first_byte_s": 0.25}
    sources = [source("curl", identifier="a", values=times), source("curl", identifier="b", values={"exit_code": 18})]
    computed = load("transfer-time").compute(wanted("transfer-time", "a", "b", unit="s"), context(*sources))
    assert computed.values == [1_500_000_000]


def test_a_summary() -> None:
    assert summary([1.0, 2.0, 6.0]) == {"count": 3, "sum": 9.0, "mean": 3.0, "median": 2.0, "min": 1.0, "max": 6.0}
    assert summary([])["mean"] is None


def test_percentiles() -> None:
    hundred = measures([float(number) for number in range(101)])
    assert [hundred[name] for name in ("p50", "p90", "p95", "p99")] == [50, 90, 95, 99]
    assert (measures([7.0])["p95"], measures([0.0, 10.0])["p95"], measures([])["p95"]) == (7.0, 9.5, None)


def test_what_a_probe_does_not_yield_is_refused_with_those_that_do() -> None:
    with pytest.raises(ValueError) as failure:
        load("delay").check({"fetch": "curl"}, "ms", None)
    assert str(failure.value) == (
        "of: fetch is the probe curl, which yields transfers; this metric needs one-way delays; "
        f"name a process of {', '.join(load('delay').sources())}"
    )


def test_a_metric_takes_a_kind_whichever_probe_yields_it() -> None:
    assert {"curl", "iperf3", "iperf3-server", "udp-sink"} <= set(load("goodput").sources())
    assert "iperf3" not in load("transfer-time").sources(), "a test has no end that somebody waits for"
    assert load("air-share").sources() == ["medium"]


def test_a_flow_that_an_earlier_sink_heard_is_not_lost() -> None:
    params = {"to": "10.0.0.1", "port": 9000}
    sender = source("udp-sender", identifier="voice", values={"sent": 4}, params=params)
    first = source("udp-sink", identifier="first", values={"flows": {"voice": FLOWS["voice"]}})
    second = source("udp-sink", identifier="second", values={"flows": {}})
    computed = load("loss").compute(wanted("loss", "first", "second", unit="%"), context(first, second, sender))
    assert computed.values == [25]
