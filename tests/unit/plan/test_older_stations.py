# SPDX-License-Identifier: MIT
"""The key ``mode`` of a station: a radio that is older than its network."""

from __future__ import annotations

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.runs.dry_run import commands
from lab.shared.types import Plan, Radio
from tests.refused import refused

from .conftest import Plans


def plan(plans: Plans, station: str, network: str = "mode: g, channel: 1", medium: str = "medium: {}\n") -> Plan:
    """An access point and two stations, the second with these keys."""
    text = f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, {network}}}\n  sta1: {{kind: sta}}\n"
    text += f"  sta2: {{kind: sta{station}}}\n{medium}"
    return plans(text, "name: there\nduration: 30 s\n")


def refusal(plans: Plans, station: str, network: str = "mode: g, channel: 1", medium: str = "medium: {}\n") -> str:
    return refused(plan, plans, station, network, medium)


def test_a_station_of_mode_b_has_no_other_rates(plans: Plans) -> None:
    found = plan(plans, ", mode: b, rate: 11 Mbit/s")
    lines = [line for line in commands(found) if "NEW_RADIO" in line]
    assert [line.endswith("dsss_only=1") for line in lines] == [False, False, True]
    assert [node.radio.mode for node in found.nodes if node.radio] == ["g", "g", "b"]


def test_a_station_older_than_mode_n_does_without_it(plans: Plans) -> None:
    network = "mode: n, channel: 36, width: 40 MHz, guard_interval: short"
    radios = [node.radio for node in plan(plans, ", mode: a, rate: 54 Mbit/s", network).nodes if node.radio]
    assert [(radio.width_mhz, radio.short_gi) for radio in radios] == [(40, True), (40, True), (20, False)]
    assert ["disable_ht=1" in wpa_supplicant_conf(radio) for radio in radios[1:]] == [False, True]


def test_the_mode_of_its_network_says_nothing_new(plans: Plans) -> None:
    assert plan(plans, ", mode: g") == plan(plans, "")


@pytest.mark.parametrize(
    ("mode", "network", "can"),
    [
        ("n", "mode: g, channel: 1", "b or g"),
        ("a", "mode: n, channel: 1", "b or g or n"),
        ("g", "mode: n, channel: 36", "a or n"),
        ("b", "mode: a, channel: 36", "a"),
        ("g", "mode: b, channel: 1", "b"),
    ],
)
def test_a_mode_that_cannot_join_is_refused(plans: Plans, mode: str, network: str, can: str) -> None:
    uses = network.replace(", channel:", " on channel").replace("mode: ", "mode ")
    assert refusal(plans, f", mode: {mode}", network) == (
        f"t.yaml:5  nodes.sta2.mode: a radio of mode {mode} cannot join campus, which uses {uses}; "
        f"write mode: {can}, or remove this"
    )


@pytest.mark.parametrize("key", ["rate: 54 Mbit/s", "basic_rates: [1 Mbit/s, 6 Mbit/s]"])
def test_a_rate_that_it_would_not_understand_is_refused(plans: Plans, key: str) -> None:
    rate = "54 Mbit/s" if "54" in key else "6 Mbit/s"
    assert refusal(plans, ", mode: b", f"mode: g, channel: 1, {key}") == (
        f"t.yaml:5  nodes.sta2.mode: a radio of mode b does not have {rate}, which an access point of campus requires "
        "by its rate: or basic_rates:; change those, or remove this"
    )


def test_a_fixed_rate_is_one_of_its_own_mode(plans: Plans) -> None:
    assert refusal(plans, ", mode: b, rate: 54 Mbit/s") == (
        "t.yaml:5  nodes.sta2.rate: sta2 is of mode b, which has no 54 Mbit/s; write one of 1, 2, 5.5, 11 Mbit/s"
    )


def test_without_a_medium_or_a_network_it_has_no_effect(plans: Plans) -> None:
    assert "nodes.sta2.mode: has no effect on the perfect medium" in refusal(plans, ", mode: b", "channel: 1", "")
    assert "nodes.sta2.mode: needs a network with access points" in refusal(
        plans, ", mode: b, adhoc: {ssid: meeting}", "channel: 1"
    )


def test_a_wrong_channel_is_reported_alone(plans: Plans) -> None:
    message = refusal(plans, ", mode: g", "mode: a, channel: 1")
    assert message.startswith("t.yaml:3  nodes.ap1.channel: ") and "sta2" not in message


@pytest.mark.parametrize("swapped", [False, True])
def test_several_modes_under_one_ssid(plans: Plans, swapped: bool) -> None:
    """What a station is does not depend on the order of access points; it looks for those that it can join."""

    def radio(mode: str, *networks: str) -> Radio:
        ordered = networks[::-1] if swapped else networks
        text = "name: here\nnodes:\n"
        text += "".join(f"  ap{n}: {{kind: ap, ssid: campus, {keys}}}\n" for n, keys in enumerate(ordered, 1))
        text += f"  sta1: {{kind: sta, mode: {mode}}}\nmedium: {{}}\n"
        found = plans(text, "name: there\nduration: 30 s\n").nodes[-1].radio
        assert found is not None
        return found

    g, n, five, old = "mode: g, channel: 1", "mode: n, channel: 6", "mode: n, channel: 36", "mode: b, channel: 11"
    assert (radio("g", g, n).without_ht, radio("b", old, g).dsss_only) == (True, True)
    assert radio("g", n, five).scan_mhz == [2437]
    assert radio("a", n, five).scan_mhz == [5180]
    assert (radio("n", g, five).scan_mhz, radio("n", g, five).without_ht) == ([5180], False)
