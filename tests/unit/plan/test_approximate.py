# SPDX-License-Identifier: MIT
"""The event ``approximate``, that key and ``approximate_retries``: what plans have of them, where they are refused."""

from __future__ import annotations

import pytest

from lab.runs.dry_run import commands
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans

OPEN, WPA2, WPA3 = "", ", encrypt: wpa2, passwd: espresso", ", encrypt: wpa3, passwd: espresso"


def plan(plans: Plans, event: str = "", *, key: str = "", encrypt: str = OPEN, medium: str = "{}") -> Plan:
    """An access point, two stations with ``key``, a host and a monitor; ``event`` at 3 s."""
    text = f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, channel: 6{encrypt}}}\n"
    text += "".join(f"  sta{number}: {{kind: sta, roles: [client]{key}}}\n" for number in (1, 2))
    text += "  h1: {kind: host}\n  mon1: {kind: monitor, channel: 6}\n"
    text += f"medium: {medium}\ntimeline: [{f'{{at: 3 s, {event}}}' if event else ''}]\n"
    return plans(text, "name: there\nroles: {client: 2}\nduration: 30 s\n")


def test_the_key_is_part_of_the_radio_from_the_start(plans: Plans) -> None:
    lines = [line for line in commands(plan(plans, key=", approximate: true")) if "ADD_RADIO" in line]
    assert [line.endswith("approx=1") for line in lines] == [False, True, True, False]


def test_the_sender_may_repeat_what_is_approximate(plans: Plans) -> None:
    """False is the default: the plan is the same, and no radio of the kernel hears of it."""
    lines = [line for line in commands(plan(plans, key=", approximate_retries: true")) if "ADD_RADIO" in line]
    assert [line.endswith("retry_approx=1") for line in lines] == [False, True, True, False]
    without = plan(plans)
    assert plan(plans, key=", approximate_retries: false").to_json() == without.to_json()
    assert not any("retry_approx" in line for line in commands(without))


@pytest.mark.parametrize(("encrypt", "how"), [(WPA2, "wpa2"), (WPA3, "wpa3")])
def test_in_an_encrypted_network_no_frame_is_approximate(plans: Plans, encrypt: str, how: str) -> None:
    reported = refused(plan, plans, key=", approximate_retries: true", encrypt=encrypt)
    assert reported.splitlines()[0] == (
        f"t.yaml:4  nodes.sta1.approximate_retries: campus is encrypted ({how}): its radios cannot see how much a "
        "checksum covers, and repeat all frames anyway; write encrypt: open, or remove this"
    )


@pytest.mark.parametrize("enabled", [True, False])
def test_the_event_is_one_of_each_node(plans: Plans, enabled: bool) -> None:
    found = plan(plans, f"approximate: client, enabled: {str(enabled).lower()}")
    assert [(event.at_ns, event.kind, event.target, event.params) for event in found.events] == [
        (3_000_000_000, "approximate", name, {"enabled": enabled}) for name in ("sta1", "sta2")
    ]
    lines = [line for line in commands(found) if "SET_RADIO" in line]
    assert lines == [f"# netlink, hwsim_medium: SET_RADIO radio={radio} approx={int(enabled)}" for radio in (1, 2)]


@pytest.mark.parametrize(("encrypt", "how"), [(WPA2, "wpa2"), (WPA3, "wpa3")])
def test_an_encrypted_network_is_refused(plans: Plans, encrypt: str, how: str) -> None:
    """Of stations, too, which do not say that it is one. Off is what it is there."""
    why = (
        f"campus is encrypted ({how}): one wrong bit makes a frame's integrity check fail, so damaged frames "
        "cannot be decrypted; write encrypt: open, or remove this"
    )
    reported = refused(plan, plans, key=", approximate: true", encrypt=encrypt)
    assert reported.splitlines()[0] == f"t.yaml:4  nodes.sta1.approximate: {why}"
    reported = refused(plan, plans, "approximate: ap1, enabled: true", encrypt=encrypt)
    assert reported == f"t.yaml:9  timeline.0.approximate: {why}"
    (event,) = plan(plans, "approximate: ap1, enabled: false", encrypt=encrypt).events
    assert event.params == {"enabled": False}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("approximate: h1, enabled: true", "approximate: h1 receives no data frames (it is a host)"),
        ("approximate: mon1, enabled: true", "approximate: mon1 receives no data frames (it is a monitor)"),
        ("approximate: sta3, enabled: true", 'approximate: unknown node "sta3" (did you mean sta2?); known: '
         "client, ap1, sta1, sta2"),
        ("approximate: sta1", "enabled: is missing (whether it accepts damaged frames)"),
        ("approximate: sta1, enabled: maybe", 'enabled: must be true or false, not "maybe"'),
    ],
)  # fmt: skip
def test_mistakes(plans: Plans, event: str, message: str) -> None:
    assert refused(plan, plans, event) == f"t.yaml:9  timeline.0.{message}"


def test_the_perfect_medium_damages_nothing(plans: Plans) -> None:
    why = "approximate: the perfect medium damages no frames; write medium: {} in the topology"
    assert refused(plan, plans, "approximate: sta1, enabled: true", medium="perfect") == f"t.yaml:9  timeline.0.{why}"
    for key in ("approximate", "approximate_retries"):
        assert refused(plan, plans, key=f", {key}: true", medium="perfect").splitlines()[0] == (
            f"t.yaml:4  nodes.sta1.{key}: has no effect on the perfect medium, which damages no frames; "
            "write medium: {} in the topology, or remove this"
        )
