# SPDX-License-Identifier: MIT
"""flow-send and flow-sink: the arguments of flow, and how its lines are parsed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.errors import InputError
from lab.probes import base as probes
from lab.probes.base import Delay, Delivery, Flow, Parsed, ProbeOutputError, Raw, Target, TimeSeries, load
from tests.unit.plan.conftest import WORKLOAD, Plans

from ...probes._results import Order, Variation

TARGET = Target("h2", "h2-eth0", None, "10.0.0.2/8")
EPOCH_NS = 1767225600_999999744  # of the run that left the fixtures
MS, SECOND = 10**6, 10**9
Pasted = Callable[..., Parsed]
Find = Callable[[Parsed, str], TimeSeries]


def argv(probe: str, **params: Any) -> str:
    found = load(probe)
    filled = found.defaults(params)
    found.check(filled)
    found.check_target(TARGET, filled)
    return " ".join(found.argv(TARGET, filled, "/lab/raw/x"))


def test_the_arguments_of_a_sink() -> None:
    assert argv("flow-sink", protocol="tcp") == "flow sink --protocol tcp --port 5001 --every-ms 1000"
    assert argv("flow-sink", protocol="udp", port=7, every=5 * MS, buffer=4096, compare=True) == (
        "flow sink --protocol udp --port 7 --every-ms 5 --buffer-bytes 4096 --compare"
    )
    assert argv("flow-sink", protocol="dccp", service=42, coverage=1).endswith(
        "--every-ms 1000 --service 42 --coverage 1"
    )


def test_the_arguments_of_a_sender() -> None:
    assert argv("flow-send", protocol="tcp", to="10.0.0.1") == (
        "flow send --protocol tcp --to 10.0.0.1 --port 5001 --duration-ms 10000 --packet-bytes 1424 --every-ms 1000"
    )
    assert argv("flow-send", protocol="tcp", to="h", congestion="veno", segment=536, state=100 * MS).endswith(
        "--every-ms 1000 --state-ms 100 --congestion veno --segment-bytes 536"
    )
    assert argv("flow-send", protocol="udp", to="h", rate=10**6, packet=512, buffer=9000).endswith(
        "--packet-bytes 512 --rate-bit-s 1000000 --every-ms 1000 --buffer-bytes 9000"
    )
    assert argv("flow-send", protocol="udp", to="h", per_packet=MS, per_byte=30).endswith(
        "--packet-bytes 1424 --per-packet-ns 1000000 --per-byte-ns 30 --every-ms 1000"
    )
    assert argv("flow-send", protocol="dccp", to="h", ccid=3).endswith("--ccid 3 --service 1 --coverage 0")


@pytest.mark.parametrize(
    ("probe", "params", "complaint"),
    [
        ("flow-sink", {"protocol": "sctp"}, 'protocol: "sctp" is not valid; write tcp, udp or dccp'),
        ("flow-sink", {"protocol": "udp", "coverage": 1}, "coverage: is for protocol: dccp; remove this"),
        ("flow-sink", {"protocol": "udp", "service": 7}, "service: is for protocol: dccp; remove this"),
        ("flow-sink", {"protocol": "udp", "every": 1_500_000}, "every: must be whole milliseconds"),
        ("flow-send", {"protocol": "TCP", "to": "h"}, 'protocol: "TCP" is not valid; write tcp, udp or dccp'),
        ("flow-send", {"protocol": "udp", "to": "h", "ccid": 3}, "ccid: is for protocol: dccp; remove this"),
        ("flow-send", {"protocol": "dccp", "to": "h", "congestion": "bbr"}, "congestion: is for protocol: tcp; remove"),
        ("flow-send", {"protocol": "dccp", "to": "h", "segment": 536}, "segment: is for protocol: tcp; remove this"),
        ("flow-send", {"protocol": "tcp", "to": "h", "service": 2}, "service: is for protocol: dccp; remove this"),
        ("flow-send", {"protocol": "tcp", "to": "h", "state": MS + 1}, "state: must be whole milliseconds"),
        ("flow-send", {"protocol": "tcp", "to": "h", "duration": MS + 1}, "duration: must be whole milliseconds"),
        ("flow-send", {"protocol": "udp", "to": "h"}, "rate: is missing; without it, or per_packet:, a sender of UDP"),
    ],
)
def test_what_makes_no_sense_is_refused(probe: str, params: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        argv(probe, **params)


def test_a_radio_makes_a_sender_of_udp_wait() -> None:
    found = load("flow-send")
    station = Target("sta1", "sta1-wlan0", "sta1-wlan0", "10.0.0.2/8", medium=True)
    found.check_target(station, found.defaults({"protocol": "udp", "to": "h"}))


def test_the_report_of_a_sink(pasted: Pasted, series: Find) -> None:
    parsed = pasted("flow-sink", "dccp", epoch_ns=EPOCH_NS)
    values = parsed.values
    assert (values["packets"], values["bytes"], values["lost"], values["sent"]) == (1055, 1_055_000, 17, 1072)
    assert (values["out_of_order"], values["duplicates"], values["damaged"], values["wrong_bits"]) == (0, 0, 0, 0)
    assert (values["delay_min_ns"], values["delay_max_ns"]) == (8_327_936, 119_378_432)
    assert values["delay_mean_ns"] == 92_864_051.7 and values["pause_ns"] == 12_093_184
    goodput = series(parsed, "goodput")
    assert goodput.t_ns == [1_025_620_480, 2_025_620_480]  # not the third, which the end cut off
    assert goodput.values == [456 * 8000, 471 * 8000] and goodput.unit == "bit/s"
    assert series(parsed, "lost").values == [16, 1] and series(parsed, "out_of_order").values == [0, 0]
    assert series(parsed, "delay").values == pytest.approx([82.6993735, 109.218046])
    assert series(parsed, "delay_change").values == pytest.approx([2.07822994, 3.16843156])


def test_intervals_of_another_length(pasted: Pasted, series: Find) -> None:
    parsed = pasted("flow-sink", "dccp", epoch_ns=EPOCH_NS, params={"every": 500 * MS})
    assert series(parsed, "goodput").values == [2 * 456 * 8000, 2 * 471 * 8000]


def test_the_three_readings_of_jitter(pasted: Pasted) -> None:
    values = pasted("flow-sink", "dccp", epoch_ns=EPOCH_NS).values
    assert values["jitter_packets_ns"] == pytest.approx((2_078_229.94 + 3_168_431.56) / 2)
    assert values["jitter_intervals_ns"] == pytest.approx(109_218_046 - 82_699_373.5)
    assert values["jitter_smoothed_ns"] == pytest.approx((3_136_806.67 + 3_219_017.24) / 2)


def test_what_metrics_get_of_a_sink(pasted: Pasted) -> None:
    parsed = pasted("flow-sink", "dccp", epoch_ns=EPOCH_NS)
    flow, delivery, delay, variation, order = load("flow-sink").found(Raw(Path(), "x"), parsed)
    assert isinstance(flow, Flow) and flow == Flow("x", 1072, 17)
    assert isinstance(delivery, Delivery) and (delivery.bytes, delivery.duration_ns) == (1_055_000, 2_263_947_008)
    assert delivery.in_duration == 1_054_000  # all but one, which began the time
    assert delivery.rate is not None and delivery.rate.name == "x" and len(delivery.rate.values) == 2
    assert isinstance(delay, Delay) and isinstance(order, Order) and order == Order("x", 1055, 0)
    assert isinstance(variation, Variation)
    assert variation.packets_ns == parsed.values["jitter_packets_ns"]
    assert variation.over_time.values == pytest.approx([2.07822994, 3.16843156])


def test_the_report_of_a_sender(pasted: Pasted, series: Find) -> None:
    parsed = pasted("flow-send", "dccp", epoch_ns=EPOCH_NS)
    assert parsed.values == {
        "packets": 1072, "bytes": 1_072_000, "refused": 286, "errors": 0, "start_ns": 25_620_480
    }  # fmt: skip
    assert series(parsed, "sent").values == [517 * 8000, 457 * 8000, 98 * 8000]
    assert series(parsed, "refused").values == [123, 115, 48]
    assert series(parsed, "cwnd").values == [3, 41, 46, 51, 28]
    assert series(parsed, "ssthresh").values == [40, 40, 40, 27]  # the first was not set
    assert series(parsed, "in_flight").values == [1, 41, 46, 51, 28]
    assert series(parsed, "rtt").values == [0, 110, 96, 107, 107] and series(parsed, "rtt").unit == "ms"


STATE_3 = {"x_bit_s": 8, "x_recv_bit_s": 7, "x_calc_bit_s": 6, "p_ppm": 12_500, "rtt_us": 1500, "rto_us": 9000}


def test_the_state_of_ccid_3(typed: Pasted, series: Find) -> None:
    parsed = typed("flow-send", out=json.dumps({"kind": "state", "t_s": "1.5", **STATE_3}))
    found = {one.name: (one.values[0], one.unit) for one in parsed.series}
    assert found["allowed_rate"] == (8, "bit/s") and found["receive_rate"] == (7, "bit/s")
    assert found["equation_rate"] == (6, "bit/s") and found["loss_event_rate"] == (1.25, "%")
    assert found["rtt"] == (1.5, "ms") and found["rto"] == (9, "ms")


def end(**changes: Any) -> dict[str, Any]:
    """The last line of a sink of which nothing arrived."""
    counts = dict.fromkeys(("packets", "bytes", "lost", "out_of_order", "duplicates", "damaged", "wrong_bits"), 0)
    delays = dict.fromkeys(("delay_mean_ns", "delay_min_ns", "delay_max_ns", "delay_change_ns"))
    return {"kind": "end", "t_s": "9", **counts, **delays, "jitter_ns": 0, "foreign": 0, **changes}


def test_a_flow_of_which_nothing_arrived(typed: Pasted) -> None:
    parsed = typed("flow-sink", out=json.dumps(end(lost=12, sent=12)))
    assert (parsed.values["sent"], parsed.values["delay_min_ns"], parsed.values["jitter_packets_ns"]) == (
        12,
        None,
        None,
    )
    assert list(load("flow-sink").found(Raw(Path(), "x"), parsed)) == [Flow("x", 12, 12), Delivery("x", 0, 0)]


def test_no_flow_at_all(typed: Pasted) -> None:
    for parsed in (typed("flow-sink", out=json.dumps(end())), typed("flow-sink", out="")):
        assert list(load("flow-sink").found(Raw(Path(), "x"), parsed)) == [Delivery("x", 0, 0)]


def test_ends_that_were_killed_have_what_they_printed(pasted: Pasted, tmp_path: Path, series: Find) -> None:
    fixtures = Path(__file__).parents[1] / "fixtures"
    for probe, name, values in (("flow-sink", "goodput", 3), ("flow-send", "sent", 3)):
        lines = (fixtures / probe / "dccp.out").read_text().splitlines()
        (tmp_path / "x.out").write_text("\n".join(lines[:-1]))
        parsed = load(probe).parse(Raw(tmp_path, "x"))
        assert "packets" not in parsed.values and len(series(parsed, name).values) == values


def test_a_connection_that_broke(typed: Pasted) -> None:
    line = {"kind": "end", "t_s": "3", "packets": 1, "bytes": 2, "refused": 3, "errors": 0, "start_s": "1"}
    assert typed("flow-send", out=json.dumps(line | {"error": "EPIPE"})).values["broke"] == "EPIPE"
    assert "broke" not in typed("flow-send", out=json.dumps(line)).values


ARRIVED = {"kind": "arrived", "t_s": "1", "bytes": 1, "lost": 0, "out_of_order": 0, "delay_mean_ns": 1,
           "delay_change_ns": None, "jitter_ns": 0.5}  # fmt: skip


@pytest.mark.parametrize(
    ("probe", "line", "complaint"),
    [
        ("flow-sink", "arrived", "not JSON"),
        ("flow-sink", '"arrived"', "'kind' is missing"),
        ("flow-sink", {"kind": "arrived"}, "'t_s' is missing"),
        ("flow-sink", {"kind": 1, "t_s": "1"}, "kind: must be a string"),
        ("flow-sink", ARRIVED | {"t_s": "1e9"}, "t_s: '1e9' is not a time stamp"),
        ("flow-sink", ARRIVED | {"bytes": "1"}, "bytes: must be a number"),
        ("flow-sink", ARRIVED | {"bytes": 1.5}, "bytes: must be a whole number"),
        ("flow-sink", ARRIVED | {"delay_mean_ns": "x"}, "delay_mean_ns: must be a number"),
        ("flow-sink", ARRIVED | {"jitter_ns": None}, "jitter_ns: must be a number"),
        ("flow-sink", end(lost=None), "lost: must be a number"),
        ("flow-sink", end(sent="all"), "sent: must be a number"),
        ("flow-sink", end(first_s="1"), "'start_s' is missing"),
        ("flow-send", {"kind": "sent", "t_s": "1", "bytes": 1}, "'refused' is missing"),
        ("flow-send", {"kind": "state", "t_s": "1", "cwnd": "wide"}, "cwnd: must be a number"),
        ("flow-send", {"kind": "end", "t_s": "1", "packets": 1}, "'bytes' is missing"),
    ],
)
def test_a_garbled_line_is_refused_with_its_place(typed: Pasted, probe: str, line: object, complaint: str) -> None:
    text = line if isinstance(line, str) else json.dumps(line)
    with pytest.raises(ProbeOutputError, match=rf"^x\.out:2: {complaint}"):
        typed(probe, out='{"kind": "listening", "t_s": "1"}\n' + text)


def test_its_program_is_part_of_the_stack(plans: Plans) -> None:
    assert {name for name in probes.known() if probes.load(name).stack == "dccp"} == {"flow-send", "flow-sink"}
    text = "processes:\n  - {on: client, run: {probe: flow-sink, protocol: tcp}}\n"
    reported = "the program of flow-sink is part of the stack dccp, but this workload has no stack; write stack: dccp"
    with pytest.raises(InputError, match=reported):
        plans(workload=WORKLOAD + text)
    assert plans(workload=f"{WORKLOAD}stack: dccp\n{text}").processes[0].probe == "flow-sink"
