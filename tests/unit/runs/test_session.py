# SPDX-License-Identifier: MIT
"""What a shell asks the host: events in the light of those before, and a topology with what was done."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lab.plan.load import load
from lab.runs.session import PIECE_NS, WORKLOAD, HostSession
from lab.shared.medium_types import MediumLink, MediumUpdate

SECOND = 1_000_000_000
SETTINGS = ["workload.duration=24h", "topology.timeline=[]"]


class Guest:
    """Asks as the guest does."""

    def __init__(self, directory: Path, topology: str = "two-aps-handoff", *settings: str) -> None:
        self.session = HostSession(directory, topology, 1, [*settings, *SETTINGS], {})

    def ask(self, what: str, **content: Any) -> Any:
        asked = json.loads(json.dumps({"what": what, **content}))
        return json.loads(json.dumps(self.session.answer(asked)))

    def event(self, at_s: int, written: str) -> Any:
        return self.ask("event", at_ns=at_s * SECOND, written=written)


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    monkeypatch.chdir(tmp_path)
    return Guest(tmp_path)


def test_a_move_has_the_levels_on_its_way(guest: Guest) -> None:
    answer = guest.event(3, "move: sta1, to: [6 m, 0 m, 1 m], speed: 3 m/s")
    assert answer["lines"] == ["move sta1 to (6, 0, 1) m at 3 m/s"]
    (event,) = answer["events"]
    assert (event["kind"], event["target"], event["at_ns"]) == ("move", "sta1", 3 * SECOND)
    times = [at_ns for at_ns, _ in answer["updates"]]
    assert len(times) > 2 and times[0] > 3 * SECOND and times[-1] == 5 * SECOND
    jump = guest.event(4, "move: sta1, to: [0 m, 0 m, 1 m]")
    assert [at_ns for at_ns, _ in jump["updates"]] == [4 * SECOND], "the jump ends the walk"


def test_nodes_that_move_by_themselves_do_so_piece_by_piece(tmp_path: Path) -> None:
    guest = Guest(tmp_path, "random-walkers")
    whole = load("random-walkers", WORKLOAD, 1, ["workload.duration=300s"]).medium
    first = load("random-walkers", WORKLOAD, 1, SETTINGS, piece=(0, PIECE_NS)).medium
    assert whole and first
    *updates, more = first.updates
    assert (more.at_ns, more.links) == (60 * SECOND, [])
    *later, more_yet = guest.ask("levels", since_ns=60 * SECOND)["updates"]
    assert more_yet == [120 * SECOND, []]
    updates += [MediumUpdate(at_ns, [MediumLink(*link) for link in links]) for at_ns, links in later]
    assert len(later) > 100 and updates == [update for update in whole.updates if update.at_ns < 120 * SECOND]
    rest = [update for update in later if update[0] >= 70 * SECOND]
    assert guest.event(70, "link: h1-s1, to: down")["updates"][: len(rest)] == rest


def test_any_event_of_a_timeline(guest: Guest) -> None:
    answer = guest.event(1, "netem: h1-s1, delay: 20 ms")
    assert [event["kind"] for event in answer["events"]] == ["netem"] and answer["updates"] == []


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("move: sta2, to: [6 m, 0 m, 1 m]", 'unknown node "sta2" (did you mean sta1?)'),
        ("move: h1, to: [6 m, 0 m, 1 m]", "h1 has no radio (it is a host); only nodes with a radio move"),
        ("move: sta1, to: [6, 0 m, -1.5]", "to: coordinates need units; write [6 m, 0 m, -1.5 m]"),
        ("jump: sta1", "jump"),
        ("at: 5 s, netem: h1-s1, delay: 5 ms", "at once; write event netem: h1-s1, delay: 5 ms, without at:"),
        ("at: 5 s", "at once; write event KIND: TARGET, KEY: VALUE, such as"),
        ("move: [", '"move: [" is not an event; write event KIND: TARGET, KEY: VALUE, such as event netem: h1-s1'),
        ("fault: lose frames: ack", '"fault: lose frames: ack" is not an event; write event fault: lose, frames: ack'),
    ],
)
def test_a_mistake_is_one_message_and_changes_nothing(guest: Guest, written: str, message: str) -> None:
    assert message in guest.event(1, written)["refused"]
    assert len(guest.event(2, "link: h1-s1, to: down")["events"]) == 1


def test_a_list_without_brackets_is_answered_without_keys_that_nobody_wrote(guest: Guest) -> None:
    refused = guest.event(1, "move: sta1, to: 1,2,3")["refused"]
    assert refused == "to: a list needs brackets; write [1 m, 2 m, 3 m]"


def test_a_move_on_a_perfect_medium_is_refused(tmp_path: Path) -> None:
    refused = Guest(tmp_path, "one-ap").event(1, "move: sta1, to: [6 m, 0 m, 1 m]")["refused"]
    assert refused == "the medium is perfect, so a move changes nothing; start the shell with --set medium={}"


DONE = [(2 * SECOND, 'exec: sta1, run: ["bash", "-c", "ping -c 1 10.0.0.1"]'), (SECOND, "link: [h1, s1], to: down")]


def test_what_was_done_is_a_topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    guest = Guest(tmp_path, "two-aps-handoff", "links.0.delay=7 ms")
    line = guest.ask("save", path="session.yaml", events=DONE, end_ns=3 * SECOND + 5)["line"]
    assert line == "session.yaml: lab run session.yaml idle --set duration=4s"
    plan = load("session.yaml", WORKLOAD, 1, ["duration=4s"])
    assert [(event.at_ns, event.kind, event.target) for event in plan.events] == [
        (SECOND, "link", "h1-s1"), (2 * SECOND, "exec", "sta1"),
    ]  # fmt: skip
    assert plan.topology == "session" and plan.links[0].netem.delay_ns == 7_000_000
    ours, theirs = plan.nodes, load("two-aps-handoff", WORKLOAD, 1).nodes
    assert [(node.name, node.position_m) for node in ours] == [(node.name, node.position_m) for node in theirs]


@pytest.mark.parametrize(
    ("path", "events", "message"),
    [
        ("session.txt", DONE, "session.txt is not the name of a topology; write save session.yaml"),
        ("there.yaml", DONE, "there.yaml exists; write another name, or remove it"),
        ("empty.yaml", [], "nothing has been done yet that a timeline could do again"),
        ("nowhere/x.yaml", DONE, "cannot write nowhere/x.yaml: No such file or directory; choose another name"),
    ],
)
def test_what_is_not_saved(guest: Guest, tmp_path: Path, path: str, events: Any, message: str) -> None:
    (tmp_path / "there.yaml").write_text("mine")
    assert message in guest.ask("save", path=path, events=events, end_ns=3 * SECOND)["refused"]
    assert (tmp_path / "there.yaml").read_text() == "mine"


def test_a_file_with_commands(guest: Guest, tmp_path: Path) -> None:
    (tmp_path / "commands").write_text("nodes\n\nh1 true")
    assert guest.ask("source", path="commands")["lines"] == ["nodes", "", "h1 true"]
    (tmp_path / "notepad").write_bytes(b"\xef\xbb\xbfnodes\r\n")
    assert guest.ask("source", path="notepad")["lines"] == ["nodes"]
    assert guest.ask("source", path="none")["refused"] == "none cannot be read: No such file or directory"
    assert guest.ask("source", path="/dev/zero")["refused"] == "/dev/zero is not a regular file"


def test_the_terminal(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("os.get_terminal_size", lambda number: os.terminal_size((0, 0)))
    monkeypatch.setattr("os.isatty", lambda number: number == 1)
    assert guest.ask("terminal") == {"type": "xterm", "size": [24, 80]}, "as of a serial line"
    monkeypatch.setattr("os.isatty", lambda number: number == 0)
    assert guest.ask("terminal")["type"] == "dumb", "no escape codes in a file or pipe"
