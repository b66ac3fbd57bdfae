# SPDX-License-Identifier: MIT
"""The key and the event ``hack``: what plans have of them, and where they are refused."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from lab.runs.dry_run import commands
from lab.shared.types import Plan
from tests.refused import refused
from tests.unit.plan.conftest import Plans

from ...radio_settings._hack import PART


def plan(plans: Plans, event: str = "", *, key: str = "", more: str = "", medium: str = "{}") -> Plan:
    """An access point and two stations with ``key``; ``event`` at 3 s."""
    text = f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, channel: 6{more}{key}}}\n"
    text += "".join(f"  sta{number}: {{kind: sta, roles: [client]{key}}}\n" for number in (1, 2))
    text += f"  h1: {{kind: host}}\nmedium: {medium}\ntimeline: [{f'{{at: 3 s, {event}}}' if event else ''}]\n"
    return plans(text, "name: there\nroles: {client: 2}\nduration: 30 s\n")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("more-data", "more_data=1 hack=2 hack_turnaround_us=50 hack_timer_us=100000"),
        ("opportunistic", "more_data=1 hack=3 hack_turnaround_us=50 hack_timer_us=100000"),
        ("timer", "more_data=1 hack=1 hack_turnaround_us=50 hack_timer_us=10000"),
        ("{mode: timer, timer: 3 ms, turnaround: 0 us}", "more_data=1 hack=1 hack_turnaround_us=0 hack_timer_us=3000"),
    ],
)
def test_the_key_is_part_of_the_radio_from_the_start(plans: Plans, written: str, expected: str) -> None:
    lines = [line for line in commands(plan(plans, key=f", hack: {written}")) if "ADD_RADIO" in line]
    assert len(lines) == 3 and all(line.endswith(expected) for line in lines)


@pytest.mark.parametrize("written", ["off", "{mode: off}"])
def test_off_is_as_without_it(plans: Plans, written: str) -> None:
    assert plan(plans, key=f", hack: {written}").to_json() == plan(plans).to_json()


@pytest.mark.parametrize(("to", "numbers"), [("off", (0, 0, 0, 0)), ("{mode: timer, timer: 5 ms}", (1, 50, 5000, 0))])
def test_the_event_is_one_of_each_node(plans: Plans, to: str, numbers: tuple[int, ...]) -> None:
    found = plan(plans, f"hack: client, to: {to}", key=", hack: more-data")
    params = dict(zip(("mode", "turnaround_us", "timer_us", "in_clear"), numbers, strict=True))
    assert [(event.kind, event.target, event.params) for event in found.events] == [
        ("hack", name, params) for name in ("sta1", "sta2")
    ]
    mode, turnaround, timer, _ = numbers
    lines = [line for line in commands(found) if "SET_RADIO" in line]
    assert lines == [
        f"# netlink, hwsim_medium: SET_RADIO radio={radio} more_data=1 hack={mode} "
        f"hack_turnaround_us={turnaround} hack_timer_us={timer} hack_in_clear=0"
        for radio in (1, 2)
    ]


def test_an_encrypted_network_is_refused(plans: Plans) -> None:
    assert refused(plan, plans, key=", hack: more-data", more=", encrypt: wpa2, passwd: espresso").splitlines()[:2] == [
        "t.yaml:3  nodes.ap1.hack: campus is encrypted (wpa2), and TCP ACKs in ACK frames would be sent in the clear",
        "  remove hack:, write encrypt: open, or allow it by hack: {mode: more-data, in_clear: true}",
    ]


def test_an_encrypted_network_is_taken_if_the_user_says_so(plans: Plans) -> None:
    found = plan(plans, key=", hack: {mode: more-data, in_clear: true}", more=", encrypt: wpa2, passwd: espresso")
    lines = [line for line in commands(found) if "ADD_RADIO" in line]
    assert len(lines) == 3 and all(line.endswith("hack_timer_us=100000 hack_in_clear=1") for line in lines)


def test_a_station_whose_access_point_has_no_hack_is_refused(plans: Plans) -> None:
    text = "name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, channel: 6{key}}}\n"
    text += "  sta1: {{kind: sta, hack: timer}}\n  h1: {{kind: host}}\nmedium: {{}}\n"
    workload = "name: there\nroles: {}\nduration: 30 s\n"
    assert plans(text.format(key=", hack: off"), workload)  # an event may switch it on
    assert refused(plans, text.format(key=""), workload).splitlines() == [
        "t.yaml:4  nodes.sta1.hack: has no effect, since no access point of campus has hack:, and both ends need it",
        "  write hack: there as well, or remove this",
    ]


def test_the_plan_says_what_the_kernel_has_of_it(plans: Plans) -> None:
    of, without = plan(plans, key=", hack: timer"), plan(plans)
    assert of.medium and of.medium.parts == [PART] and Plan.from_json(of.to_json()) == of
    assert without.medium and without.medium.parts == [] and "hack_sent" not in without.to_json()


def test_all_others_wait_for_the_latest_answers(plans: Plans) -> None:
    found = plan(plans, more=", answer_delay: 12 us")
    assert found.medium is not None
    assert {radio.node: radio.attributes for radio in found.medium.radios} == {
        "ap1": {"answer_delay_us": 12},
        "sta1": {"answer_wait_us": 12},
        "sta2": {"answer_wait_us": 12},
    }
    ends = [line.rpartition(" ")[2] for line in commands(found) if "ADD_RADIO" in line]
    assert ends == ["answer_delay_us=12", "answer_wait_us=12", "answer_wait_us=12"]


def test_a_queue_drops_what_comes_last(plans: Plans) -> None:
    found = plan(plans, more=", drop_tail: 126")
    ends = [line.rpartition(" ")[2] for line in commands(found) if "ADD_RADIO" in line]
    assert [end for end in ends if "drop_tail" in end] == ["drop_tail=126"]


@pytest.mark.parametrize(
    ("event", "key", "message"),
    [
        ("hack: h1, to: timer", ", hack: timer", "timeline.0.hack: h1 has no key hack; write one, such as hack: "),
        ("hack: sta1, to: timer", "", "timeline.0.hack: sta1 has no key hack; write one, such as hack: more-data"),
        ("hack: sta1, to: on", ", hack: timer", 'timeline.0.to: "on" is not one of off, timer, more-data, opportunist'),
        ("", ", hack: more", 'nodes.ap1.hack: "more" is not one of off, timer, more-data, opportunistic (did you mean'),
        ("", ", hack: {mode: off, timer: 5 ms}", "nodes.ap1.hack.timer: has no effect with mode: off; remove it"),
        ("", ", answer_delay: 2 ms", "nodes.ap1.answer_delay: "),
        ("", ", drop_tail: 0", "nodes.ap1.drop_tail: "),
        ("", ", drop_tail: 5000", "nodes.ap1.drop_tail: "),
        ("", ", drop_tail: 126 packets", "nodes.ap1.drop_tail: "),
        ("", ", hack: {timer: 5 ms}", "nodes.ap1.hack.mode: is missing"),
    ],
)  # fmt: skip
def test_mistakes(plans: Plans, event: str, key: str, message: str) -> None:
    assert message in refused(plan, plans, event, key=key)


def test_the_perfect_medium_has_no_ack_frames(plans: Plans) -> None:
    assert refused(plan, plans, key=", hack: more-data", medium="perfect").splitlines()[0].removeprefix("lab: ") == (
        "t.yaml:3  nodes.ap1.hack: has no effect on the perfect medium, which has no ACK frames; "
        "write medium: {} in the topology, or remove this"
    )


def test_the_key_is_shown(plans: Plans) -> None:
    from lab.show.plan import render

    console = Console(width=300, file=io.StringIO())
    console.print(render(plan(plans, key=", hack: {mode: timer, turnaround: 0 us, timer: 5 ms, in_clear: true}")))
    assert isinstance(console.file, io.StringIO)
    words = "TCP/HACK (timer, turnaround 0 us, timer 5000 us, in the clear), open"
    assert words in " ".join(console.file.getvalue().split())


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{mode: timer, turnaround: 50}", 'nodes.ap1.hack.turnaround: "50" has no unit; write for example 50 us'),
        ("true", 'nodes.ap1.hack: "true" is not one of off, timer, more-data, opportunistic'),
    ],
)
def test_mistakes_in_the_key(plans: Plans, written: str, message: str) -> None:
    assert message in refused(plan, plans, key=f", hack: {written}")
