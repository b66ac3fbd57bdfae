# SPDX-License-Identifier: MIT
"""The time of a session's timeline: its pace, its pauses, its steps, and the order of what is due."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from lab.guest import player as module
from lab.guest.errors import GuestError
from lab.guest.loop import Loop, Timer
from lab.guest.player import DueAction, Player

SECOND = 1_000_000_000
START_NS = 7 * SECOND


class Uptime:
    """A loop whose time passes when a test says so."""

    def __init__(self) -> None:
        self.now_ns = START_NS
        self._timers: list[tuple[int, Timer]] = []

    def call_at(self, at_ns: int, callback: Callable[[], None]) -> Timer:
        self._timers.append((at_ns, Timer(callback)))
        return self._timers[-1][1]

    def run(self, seconds: float) -> None:
        """Let so much time pass."""
        until_ns = self.now_ns + round(seconds * SECOND)
        while due := [one for one in self._timers if one[0] <= until_ns and not one[1].cancelled]:
            at_ns, timer = min(due, key=lambda one: one[0])
            self.now_ns = max(self.now_ns, at_ns)
            callback = timer.callback
            timer.cancel()
            assert callback
            callback()
        self.now_ns = until_ns


@pytest.fixture
def uptime(monkeypatch: pytest.MonkeyPatch) -> Uptime:
    made = Uptime()
    monkeypatch.setattr(module, "now_ns", lambda: made.now_ns)
    return made


class Played:
    """A player, and what it has done."""

    def __init__(self, uptime: Uptime) -> None:
        self.done: list[tuple[str, float]] = []  # with the uptime since the start, in s
        self.reported: list[GuestError] = []
        self._uptime = uptime
        self.player = Player(cast(Loop, uptime), START_NS, self.reported.append)

    def moment(self, at_s: float, name: str) -> DueAction:
        return DueAction(round(at_s * SECOND), partial(self._do, name))

    def _do(self, name: str) -> None:
        self.done.append((name, (self._uptime.now_ns - START_NS) / SECOND))


@pytest.fixture
def played(uptime: Uptime) -> Played:
    return Played(uptime)


def test_events_come_at_their_times_and_before_levels_of_the_same_time(uptime: Uptime, played: Played) -> None:
    played.player.set_levels([played.moment(1, "near"), played.moment(3, "far")])
    played.player.add_events([played.moment(1, "roam"), played.moment(2, "link")])
    uptime.run(2.5)
    assert played.done == [("roam", 1), ("near", 1), ("link", 2)]
    assert (played.player.now_ns(), played.player.to_come()) == (2.5 * SECOND, 0)


def test_other_levels_take_the_place_of_those_that_are_to_come(uptime: Uptime, played: Played) -> None:
    played.player.set_levels([played.moment(1, "near"), played.moment(3, "far")])
    uptime.run(2)
    played.player.set_levels([played.moment(4, "elsewhere")])
    uptime.run(9)
    assert played.done == [("near", 1), ("elsewhere", 4)]


def test_a_pace_changes_what_is_to_come(uptime: Uptime, played: Played) -> None:
    played.player.add_events([played.moment(2, "first"), played.moment(12, "second"), played.moment(14, "third")])
    uptime.run(2)
    played.player.play(10)
    uptime.run(1)
    assert played.done == [("first", 2), ("second", 3)]
    played.player.play(0.5)
    uptime.run(4)
    assert (played.done[-1], played.player.now_ns()) == (("third", 7), 14 * SECOND)


def test_nothing_happens_in_a_pause_and_its_pace_is_kept(uptime: Uptime, played: Played) -> None:
    played.player.add_events([played.moment(15, "late")])
    played.player.play(5)
    uptime.run(1)
    played.player.pause()
    uptime.run(100)
    assert (played.done, played.player.now_ns()) == ([], 5 * SECOND)
    played.player.play()
    uptime.run(2)
    assert played.done == [("late", 103)]


def test_a_step_does_what_is_due_at_its_end_and_pauses_there(uptime: Uptime, played: Played) -> None:
    played.player.pause()
    played.player.add_events([played.moment(1, "in it"), played.moment(2, "at its end"), played.moment(2.1, "after")])
    played.player.step(2 * SECOND, lambda: played.done.append(("end", played.player.now_ns() / SECOND)))
    uptime.run(9)
    assert [name for name, _ in played.done] == ["in it", "at its end", "end"]
    assert (played.player.playing, played.player.now_ns()) == (False, 2 * SECOND)


def test_what_fails_is_reported_and_the_others_are_done(uptime: Uptime, played: Played) -> None:
    def fail() -> None:
        raise GuestError("no such link")

    played.player.add_events([DueAction(SECOND, fail), played.moment(1, "other")])
    uptime.run(1)
    assert ([error.message for error in played.reported], played.done) == (["no such link"], [("other", 1)])
