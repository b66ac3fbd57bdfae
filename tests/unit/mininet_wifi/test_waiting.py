# SPDX-License-Identifier: MIT
"""Loops of scripts that wait without sleeping."""

from __future__ import annotations

import pytest

from lab.mininet_wifi import waiting

MS = 1_000_000


class Clock:
    """A virtual clock, which only sleeping advances."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.slept = 0

    def sleep(self, seconds: float) -> None:
        self.slept += 1
        self.now_ns += round(seconds * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(waiting, "_sleep", found.sleep)
    monkeypatch.setattr(waiting, "_uptime_ns", lambda: found.now_ns)
    return found


def test_a_loop_that_only_looks_lets_time_pass(clock: Clock) -> None:
    looks = waiting.Looks()
    looks.counts = True
    number = 0
    while clock.now_ns < 10 * MS:
        looks.add()
        number += 1
    assert number == 100 + 9 * 10


def test_who_sleeps_between_looks_is_left_alone(clock: Clock) -> None:
    looks = waiting.Looks()
    looks.counts = True
    for _ in range(1000):
        looks.add()
        clock.now_ns += MS // 10
    assert clock.slept == 0


def test_in_real_time_nothing_is_counted(clock: Clock) -> None:
    looks = waiting.Looks()
    for _ in range(1000):
        looks.add()
    assert clock.slept == 0
