# SPDX-License-Identifier: MIT
"""Rates, RTS thresholds, widths and guard intervals of a plan: what a radio sends with, and what its network lacks."""

from __future__ import annotations

import json

import pytest

from lab.errors import InputError
from lab.shared.types import Plan, Radio
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"


def topology(*nodes: str, medium: str = "{}") -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + f"medium: {medium}\n"


def rates(plan: Plan) -> dict[str, list[int] | None]:
    assert plan.medium is not None
    assert Plan.from_json(plan.to_json()) == plan
    return {radio.node: radio.attributes.get("rate") for radio in plan.medium.radios}


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


def test_rates_of_b_g_and_a(plans: Plans) -> None:
    plan = plans(
        topology(
            "ap1: {kind: ap, ssid: campus, rate: 54 Mbit/s}",
            "sta1: {kind: sta, rate: 5.5 Mbit/s}",
            "sta2: {kind: sta, rate: 6 Mbit/s}",
            "sta3: {kind: sta}",
        ),
        WORKLOAD,
    )
    assert rates(plan) == {
        "ap1": [1, 7, 1, 0, 0, 0],
        "sta1": [0, 2, 1, 0, 0, 0],
        "sta2": [1, 0, 1, 0, 0, 0],
        "sta3": None,
    }


def test_an_mcs_takes_width_and_guard_interval_from_its_network(plans: Plans) -> None:
    plan = plans(
        topology(
            "ap1: {kind: ap, ssid: campus, mode: n, channel: 36, width: 40 MHz, guard_interval: short, rate: MCS 7}",
            "sta1: {kind: sta, rate: MCS 31, streams: 4}",
        ),
        WORKLOAD,
    )
    assert rates(plan) == {"ap1": [2, 7, 1, 1, 1, 0], "sta1": [2, 7, 4, 1, 1, 0]}
    assert radio(plan, "ap1").ht40_secondary == "+" and radio(plan, "sta1").ht40_secondary is None


def test_a_station_may_be_narrower_than_its_network(plans: Plans) -> None:
    wide = "ap1: {kind: ap, ssid: campus, mode: n, channel: 36, width: 40 MHz}"
    plan = plans(topology(wide, "sta1: {kind: sta, rate: MCS 7, width: 20 MHz}"), WORKLOAD)
    assert rates(plan)["sta1"] == [2, 7, 1, 0, 0, 0]
    assert (radio(plan, "sta1").width_mhz, radio(plan, "sta1").without_ht40) == (20, True)
    plan = plans(topology(wide, "sta1: {kind: sta, width: 40 MHz}"), WORKLOAD)
    assert (radio(plan, "sta1").width_mhz, radio(plan, "sta1").without_ht40) == (40, False)
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, mode: n}", "sta1: {kind: sta, width: 40 MHz}") == (
        "t.yaml:4  nodes.sta1.width: campus is 20 MHz wide; write width: 40 MHz at its access points, or remove this"
    )


def test_streams(plans: Plans) -> None:
    n = "ap1: {kind: ap, ssid: campus, mode: n}"
    assert refusal(plans, n, "sta1: {kind: sta, rate: MCS 16}") == (
        "t.yaml:4  nodes.sta1.rate: MCS 16 has 3 spatial streams; write streams: 3, as at its peers, or a lower MCS"
    )
    assert refusal(plans, n, "sta1: {kind: sta, rate: MCS 8, streams: 1}") == (
        "t.yaml:4  nodes.sta1.rate: MCS 8 has 2 spatial streams; write streams: 2, as at its peers, or a lower MCS"
    )
    assert refusal(plans, "ap1: {kind: ap, ssid: campus}", "sta1: {kind: sta, streams: 1}") == (
        "t.yaml:4  nodes.sta1.streams: only mode n has spatial streams; write mode: n, or remove this"
    )
    assert (
        refusal(plans, n, "sta1: {kind: sta, streams: 5}") == "t.yaml:4  nodes.sta1.streams: must be at most 4, not 5"
    )


def test_a_station_sends_what_all_of_its_network_can_take(plans: Plans) -> None:
    plan = plans(
        topology(
            "ap1: {kind: ap, ssid: campus, mode: n, channel: 40, width: 40 MHz, guard_interval: short, rate: MCS 8}",
            "ap2: {kind: ap, ssid: campus, mode: n, channel: 6}",
            "sta1: {kind: sta, rate: MCS 8}",
        ),
        WORKLOAD,
    )
    assert rates(plan) == {"ap1": [2, 0, 2, 1, 1, 0], "ap2": None, "sta1": [2, 0, 2, 0, 0, 0]}
    assert radio(plan, "ap1").ht40_secondary == "-"


def test_what_is_not_said_is_not_in_the_plans_file(plans: Plans) -> None:
    plan = plans(topology("ap1: {kind: ap, ssid: campus}", medium="perfect"), WORKLOAD)
    (node,) = json.loads(plan.to_json())["nodes"]
    unsaid = {"basic_rates", "width_mhz", "ht40_secondary", "short_gi", "wmm", "settings"}
    assert not unsaid & set(node["radio"])


def test_an_rts_threshold(plans: Plans) -> None:
    plan = plans(topology("ap1: {kind: ap, ssid: campus, rts_threshold: 0 B}", "sta1: {kind: sta}"), WORKLOAD)
    assert Plan.from_json(plan.to_json()) == plan
    assert (radio(plan, "ap1").settings, radio(plan, "sta1").settings) == ({"rts_threshold": 0}, {})


def test_wmm(plans: Plans) -> None:
    for keys, wanted in (("wmm: true", True), ("wmm: false", False), ("mode: n", False), ("mode: n, wmm: true", False)):
        plan = plans(topology(f"ap1: {{kind: ap, ssid: campus, {keys}}}", medium="perfect"), WORKLOAD)
        assert radio(plan, "ap1").wmm is wanted


def test_basic_rates(plans: Plans) -> None:
    plan = plans(topology("ap1: {kind: ap, ssid: campus, basic_rates: [1 Mbit/s, 11Mbps, 1 Mbit/s]}"), WORKLOAD)
    assert Plan.from_json(plan.to_json()) == plan
    assert radio(plan, "ap1").basic_rates == ["1 Mbit/s", "11 Mbit/s"]


def test_latency_and_statistics(plans: Plans) -> None:
    text = topology("ap1: {kind: ap, ssid: campus}", medium="{latency: 0 us, statistics: 100 ms}")
    medium = plans(text, WORKLOAD).medium
    assert medium is not None and (medium.radios[0].latency_us, medium.statistics_ns) == (0, 100_000_000)
    medium = plans(topology("ap1: {kind: ap, ssid: campus}"), WORKLOAD).medium
    assert medium is not None and (medium.radios[0].latency_us, medium.statistics_ns) == (100, 1_000_000_000)


def refusal(plans: Plans, *nodes: str, medium: str = "{}") -> str:
    return refused(plans, topology(*nodes, medium=medium), WORKLOAD)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("approximate: 1", 'approximate: must be true or false, not "1"'),
        ("approximate_retries: 0", 'approximate_retries: must be true or false, not "0"'),
        ('fifo: "yes"', 'fifo: must be true or false, not "yes"'),
        ("streams: true", 'streams: must be a whole number, not "true"'),
        ("rts_threshold: -1 B", 'rts_threshold: "-1 B" is too small; the minimum is 0 B'),
        ("answer_delay: 1.5 us", "answer_delay: 1.5 us is not a whole number of us; write 1 us or 2 us"),
    ],
)
def test_a_setting_takes_only_what_it_can_be(plans: Plans, key: str, wrong: str) -> None:
    """Not 1 for true, which other keys refuse, and not a part of a unit, which the kernel would not get."""
    assert refusal(plans, f"ap1: {{kind: ap, ssid: campus, mode: n, {key}}}") == f"t.yaml:3  nodes.ap1.{wrong}"


def test_what_cannot_be(plans: Plans) -> None:
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, rate: 54 Mbit/s}", medium="perfect") == (
        "t.yaml:3  nodes.ap1.rate: has no effect on the perfect medium, which has no rates; write medium: {} in the "
        "topology, or remove this"
    )
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, mode: b, basic_rates: [1 Mbit/s, 6 Mbit/s]}") == (
        "t.yaml:3  nodes.ap1.basic_rates.1: mode b has no basic rate 6 Mbit/s; choose from 1 Mbit/s, 2 Mbit/s, 5.5 "
        "Mbit/s, 11 Mbit/s"
    )
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, mode: n, channel: 36, basic_rates: [MCS 0]}") == (
        "t.yaml:3  nodes.ap1.basic_rates.0: mode n has no basic rate MCS 0; choose from 6 Mbit/s, 9 Mbit/s, 12 "
        "Mbit/s, 18 Mbit/s, 24 Mbit/s, 36 Mbit/s, 48 Mbit/s, 54 Mbit/s"
    )
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, rts_threshold: 500 B}", medium="perfect") == (
        "t.yaml:3  nodes.ap1.rts_threshold: has no effect on the perfect medium, which has no RTS; "
        "write medium: {} in the topology, or remove this"
    )
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, mode: b, rate: 54 Mbit/s}") == (
        "t.yaml:3  nodes.ap1.rate: campus uses mode b, which has no 54 Mbit/s; write one of 1, 2, 5.5, 11 Mbit/s"
    )
    assert refusal(plans, "ap1: {kind: ap, ssid: campus, mode: n}", "sta1: {kind: sta, rate: 11 Mbit/s}") == (
        "t.yaml:4  nodes.sta1.rate: campus uses mode n, which has no 11 Mbit/s; write one of MCS 0 to MCS 31"
    )
    assert refusal(
        plans,
        "ap1: {kind: ap, ssid: campus}",
        "ap2: {kind: ap, ssid: campus, mode: a, channel: 36}",
        "sta1: {kind: sta, rate: 11 Mbit/s}",
    ) == (
        "t.yaml:5  nodes.sta1.rate: campus uses mode a, which has no 11 Mbit/s; write one of 6, 9, 12, 18, 24, 36, "
        "48, 54 Mbit/s"
    )
    with pytest.raises(InputError) as failure:
        plans(
            "country: US\n" + topology("ap1: {kind: ap, ssid: campus, mode: n, channel: 165, width: 40 MHz}"), WORKLOAD
        )
    assert str(failure.value) == (
        "t.yaml:4  nodes.ap1.width: channel 165 cannot be 40 MHz wide; choose another channel, or write width: 20 MHz"
    )
