# SPDX-License-Identifier: MIT
"""The event ``txpower``, and the key where it changes no level."""

from __future__ import annotations

import pytest

from lab import errors
from lab.runs.dry_run import commands
from lab.shared.medium_types import Medium
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans


def plan(plans: Plans, event: str = "", *, ap: str = "", sta: str = "", medium: str = "{}") -> Plan:
    """An access point, two stations, the second one without a position, and a host; ``event`` at 3 s."""
    text = f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]{ap}}}\n"
    text += f"  sta1: {{kind: sta, roles: [client], position: [9 m, 0 m, 0 m]{sta}}}\n"
    text += "  sta2: {kind: sta, roles: [client]}\n  h1: {kind: host}\n"
    text += f"medium: {medium}\ntimeline: [{f'{{at: 3 s, {event}}}' if event else ''}]\n"
    return plans(text, "name: there\nroles: {client: 2}\nduration: 30 s\n")


def test_links_carry_the_gain_of_their_path_and_radios_their_power(plans: Plans) -> None:
    usual, weaker = (plan(plans, sta=key).medium for key in ("", ", txpower: 13.5 dBm"))
    assert usual and weaker
    assert [radio.power_mbm for radio in weaker.radios] == [2000, 1350, 2000]
    (there, before), (_, back) = placed(usual)
    assert placed(weaker) == [(there, before), (there, back - 650)]


def placed(medium: Medium) -> list[tuple[int, int]]:
    """Gain and level of the links between the two nodes with a position."""
    between = [link for link in medium.links if {link.transmitter, link.receiver} == {0, 1}]
    return [(link.gain_mb, snr_mb) for link, snr_mb in medium.levels(between)]


def test_the_event_is_one_of_each_node(plans: Plans) -> None:
    found = plan(plans, "txpower: client, to: -3.25 dBm")
    assert [(event.at_ns, event.kind, event.target, event.params) for event in found.events] == [
        (3_000_000_000, "txpower", name, {"dbm": -3.25}) for name in ("sta1", "sta2")
    ]
    lines = [line for line in commands(found) if "SET_RADIO" in line]
    assert lines == [f"# netlink, hwsim_medium: SET_RADIO radio={radio} power_mbm=-325" for radio in (1, 2)]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("txpower: h1, to: 3 dBm", "txpower: h1 has no radio (it is a host)"),
        ("txpower: sta1, to: 3", 'to: "3" has no unit; write 3 dBm'),
        ("txpower: sta1, to: 101 dBm", 'to: "101 dBm" is too large; the maximum is 100 dBm'),
    ],
)
def test_mistakes_are_refused(plans: Plans, event: str, message: str) -> None:
    assert refused(plan, plans, event) == f"t.yaml:8  timeline.0.{message}"


def test_the_perfect_medium_is_refused(plans: Plans) -> None:
    why = "txpower: every frame arrives on the perfect medium; write medium: {} in the topology"
    assert refused(plan, plans, "txpower: sta1, to: 3 dBm", medium="perfect") == f"t.yaml:8  timeline.0.{why}"


IDLE = (
    "changes no level, since the SNR of sta1 is given (medium.snr, or 40 dB between nodes without a position); write "
    "a position: for it and for others, or remove this\n"
)


@pytest.mark.parametrize(
    ("sta", "medium", "reported"),
    [
        (", txpower: 5 dBm", "{}", ""),
        (
            ", txpower: 5 dBm",
            "{snr: [{between: [ap1, sta1], is: 20 dB}]}",
            f"lab: t.yaml:4  nodes.sta1.txpower: {IDLE}",
        ),
        (
            ", antenna_gain: 5 dBi",
            "{snr: [{between: [ap1, sta1], is: 20 dB}]}",
            f"lab: t.yaml:4  nodes.sta1.antenna_gain: {IDLE}",
        ),
        ("", "{snr: [{between: [ap1, sta1], is: 20 dB}]}", ""),
    ],
)
def test_a_power_that_changes_no_level_is_reported(
    plans: Plans,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    sta: str,
    medium: str,
    reported: str,
) -> None:
    monkeypatch.setattr(errors, "_warned", set())
    plan(plans, sta=sta, medium=medium)
    assert capsys.readouterr().err == reported
