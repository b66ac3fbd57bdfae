# SPDX-License-Identifier: MIT
"""What a running guest keeps: its first failure, the changes of levels to come, events that happened."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from lab.guest.errors import GuestError
from lab.guest.live import LiveGuest
from lab.plan.load import load
from lab.shared.types import Event


class Loop:
    """Timers that the test lets go off."""

    def __init__(self) -> None:
        self.timers: dict[int, Callable[[], None]] = {}

    def call_at(self, at_ns: int, callback: Callable[[], None]) -> Any:
        self.timers[at_ns] = callback
        return SimpleNamespace(cancel=lambda: self.timers.pop(at_ns, None))


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def guest(loop: Loop) -> LiveGuest:
    nodes = SimpleNamespace(
        container=lambda name: SimpleNamespace(pid=7, memory_kills=lambda: 2, forks_refused=lambda: True)
    )
    found = LiveGuest(load("one-ap", "idle"), loop, nodes)  # type: ignore[arg-type]
    found.clock.start_ns = 1000
    return found


def failing(message: str) -> Callable[[], None]:
    def fail() -> None:
        raise GuestError(message)

    return fail


def test_the_first_failure_of_a_callback_is_that_of_the_run(guest: LiveGuest, loop: Loop) -> None:
    guest.raise_failure()
    guest.call_at(5, failing("first"))
    guest.call_at(6, failing("second"))
    loop.timers[1005]()
    loop.timers[1006]()
    with pytest.raises(GuestError, match="^first"):
        guest.raise_failure()


def test_only_changes_of_levels_are_forgotten(guest: LiveGuest, loop: Loop) -> None:
    guest.call_at(5, lambda: None, changes_levels=True)
    guest.call_at(6, lambda: None)
    guest.forget_levels()
    guest.forget_levels()
    assert list(loop.timers) == [1006]


def test_outputs_of_events_that_are_kept_have_numbers(guest: LiveGuest) -> None:
    event = Event(0, "exec", "sta1", {})
    files = [guest.happened(event, True, b"", kept) for kept in (True, False, True)]
    assert files == [["raw/exec/1-sta1.out"], [], ["raw/exec/2-sta1.out"]]
    assert [raw for *_, raw in guest.events] == ["exec/1-sta1.out", None, "exec/2-sta1.out"]


@pytest.mark.parametrize(
    ("needed", "alive", "expected", "fails"),
    [(True, False, False, True), (False, False, False, False), (True, True, False, False), (True, False, True, False)],
)
def test_a_daemon_may_end_only_if_it_is_asked_to(
    guest: LiveGuest, needed: bool, alive: bool, expected: bool, fails: bool
) -> None:
    guest.daemons_are_needed = needed
    task: Any = SimpleNamespace(
        name="hostapd", alive=alive, expected=expected, signal=None, logs=(), describe_end=lambda: "ended with status 1"
    )
    guest.daemon_ended(task, "sta1")
    assert (guest.failure is not None) == fails
    said = guest.failure.message if guest.failure else "hostapd ended with status 1: sta1 and"
    assert said.startswith("hostapd ended with status 1: sta1 ") and " and" in said
