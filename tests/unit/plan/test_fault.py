# SPDX-License-Identifier: MIT
"""The event fault: what the plan has of it, and what cannot be."""

from __future__ import annotations

import pytest

from lab.runs.dry_run import commands
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans


def plan(plans: Plans, fault: str, medium: str = "{}") -> Plan:
    text = "name: here\nnodes:\n  ap1: {kind: ap, ssid: campus}\n"
    text += "  sta1: {kind: sta, roles: [client]}\n  sta2: {kind: sta, roles: [client]}\n"
    text += f"  h1: {{kind: host}}\nmedium: {medium}\ntimeline:\n  - {{at: 3 s, {fault}}}\n"
    return plans(text, "name: there\nroles: {client: 2}\nduration: 30 s\n")


def test_a_fault_is_an_event_of_its_frames(plans: Plans) -> None:
    found = plan(plans, "fault: lose, frames: ack, from: ap1, to: sta1, skip: 10, count: 2")
    (event,) = found.events
    assert (event.at_ns, event.kind, event.target) == (3_000_000_000, "fault", "ack")
    assert event.params == {
        "action": "lose", "from": "ap1", "to": "sta1", "listener": None, "skip": 10, "count": 2, "share_percent": None,
    }  # fmt: skip
    lines = commands(found)
    start = lines.index("# at 3 s")
    assert lines[start : start + 3] == [
        "# at 3 s",
        "# netlink, hwsim_medium: ADD_FAULT id=1 fault_kind=4 fault_action=0 fault_skip=10 fault_count=2 "
        "fault_from=0 fault_to=1",
        "# at 30 s, the end",
    ]


def test_what_is_left_out(plans: Plans) -> None:
    (event,) = plan(plans, "fault: damage, frames: any").events
    assert event.params == {
        "action": "damage", "from": None, "to": None, "listener": None, "skip": 0, "count": 1, "share_percent": None,
    }  # fmt: skip


def test_a_share_of_what_somebody_else_hears(plans: Plans) -> None:
    found = plan(plans, "fault: damage, frames: cts, from: ap1, listener: sta2, share: 25 %, count: 1000")
    (event,) = found.events
    assert (event.params["listener"], event.params["share_percent"]) == ("sta2", 25)
    (line,) = [line for line in commands(found) if "ADD_FAULT" in line]
    assert line.endswith("fault_count=1000 fault_from=0 fault_listener=2 fault_share=1073741824")
    whole = plan(plans, "fault: damage, frames: cts, share: 100 %")
    (line,) = [line for line in commands(whole) if "ADD_FAULT" in line]
    assert line.endswith(f"fault_share={2**32 - 1}")  # all that 32 bits can say


AT = "t.yaml:9  timeline.0."


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("fault: loose, frames: ack", 'fault: "loose" is not one of lose, damage (did you mean lose?)'),
        ("fault: lose", "frames: is missing (frame type: ba is a BlockAck, bar a BlockAck request, mgmt a management "
         "frame other than a beacon)"),
        ("fault: lose, frames: beacons", 'frames: "beacons" is not one of ack, ba, bar, data, mgmt, beacon, rts, cts, '
         "any (did you mean beacon?)"),
        ("fault: lose, frames: ack, skip: -1", "skip: must be a whole number from 0 to 4294967295, not -1"),
        ("fault: lose, frames: ack, count: 0", "count: must be a whole number from 1 to 4294967295, not 0"),
        ("fault: lose, frames: ack, from: h1", "from: h1 has no radio (it is a host)"),
        ("fault: lose, frames: ack, to: ap2", 'to: unknown node "ap2" (did you mean ap1?); known: '
         "client, ap1, sta1, sta2"),
        ("fault: lose, frames: ack, to: client", 'to: "client" stands for 2 nodes; name one of them'),
        ("fault: lose, frames: ack, from: ap1, to: ap1", "to: ap1 cannot be both sender and receiver; name two nodes"),
        (
            "fault: lose, frames: ack, from: ap1, listener: ap1",
            "listener: ap1 cannot be both sender and receiver; name two nodes",
        ),
        (
            "fault: lose, frames: ack, share: 0%",
            "share: must be more than 0%; with 0% no frame would be affected",
        ),
    ],
)  # fmt: skip
def test_mistakes(plans: Plans, fault: str, message: str) -> None:
    assert refused(plan, plans, fault) == AT + message


def test_the_perfect_medium_loses_nothing(plans: Plans) -> None:
    reported = refused(plan, plans, "fault: lose, frames: ack", medium="perfect")
    assert reported == AT + "fault: the perfect medium loses no frames; write medium: {} in the topology"
