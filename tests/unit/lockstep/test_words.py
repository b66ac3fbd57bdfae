# SPDX-License-Identifier: MIT
"""What callers write: times, commands, settings and events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab import CallError, Event, event, link, move, power, roam
from lab.lockstep.words import argv_of, caller, environment_of, mode_of, override, signal_of, text_of, time_ns


@pytest.mark.parametrize(
    ("time", "ns"),
    [(12.5, 12_500_000_000), (3, 3_000_000_000), ("12.5 s", 12_500_000_000), ("300ms", 300_000_000), (1e-9, 1)],
)
def test_a_time_is_seconds_or_has_a_unit(time: float | str, ns: int) -> None:
    assert time_ns(time, "time_s") == ns


@pytest.mark.parametrize("time", ["5", "5 m/s", "soon", float("nan"), -1, "-1 s", None, [1]])
def test_what_is_no_time(time: Any) -> None:
    with pytest.raises(CallError, match="timeout_s: .*write a number of seconds, such as 12.5"):
        time_ns(time, "timeout_s")


def test_a_command_is_a_list() -> None:
    assert argv_of(["ls", Path("/tmp")], "run") == ["ls", "/tmp"]  # type: ignore[list-item]
    with pytest.raises(CallError, match=r'run\("ping -c 3 h1"\): .*write run\(\["ping", "-c", "3", "h1"\]\)'):
        argv_of("ping -c 3 h1", "run")
    with pytest.raises(CallError, match="there is no command"):
        argv_of([], "run")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: argv_of(["echo", 5], "run"), 'run: the word 5 is not text; write "5"'),  # type: ignore[list-item]
        (lambda: argv_of(["a\0b"], "run"), r"run: the word 'a\\x00b' has a zero byte"),
        (lambda: text_of(b"/a", "path:"), r"path: b'/a' is not text; write \"/a\""),
        (lambda: environment_of({"A": 5}), 'env: A: 5 is not text; write "5"'),  # type: ignore[dict-item]
        (lambda: environment_of({"A=B": "5"}), 'env: "A=B" is not a valid name of a variable'),
        (lambda: environment_of({"": "5"}), 'env: "" is not a valid name of a variable'),
        (lambda: mode_of(-1), "mode: -1 is not a valid mode; write a number, such as 0o644"),
        (lambda: mode_of("0644"), "mode: '0644' is not a valid mode"),  # type: ignore[arg-type]
        (lambda: signal_of(999), "999 is not a signal; write one of Python's module signal"),
        (lambda: signal_of("SIGTERM"), "'SIGTERM' is not a signal"),  # type: ignore[arg-type]
    ],
)
def test_what_the_agent_could_not_take_is_refused_before(given: Callable[[], object], message: str) -> None:
    with pytest.raises(CallError, match=message):
        given()


def test_what_the_agent_can_take() -> None:
    assert text_of(Path("/tmp/x"), "path:") == "/tmp/x"
    assert environment_of({"A": "5"}) == {"A": "5"}
    assert environment_of(None) == {}
    assert (mode_of(0o4755), signal_of(15), signal_of(40)) == (0o4755, 15, 40)


def test_settings_are_those_of_the_command_line() -> None:
    values = {"links.0.delay": "20 ms", "topology.timeline": [], "medium": {"retries": {"short": 4}}, "wmm": True}
    assert [override(key, value) for key, value in values.items()] == [
        "links.0.delay=20 ms",
        "topology.timeline=[]",
        'medium={"retries": {"short": 4}}',
        "wmm=true",
    ]


def test_the_caller_is_outside_of_the_lab() -> None:
    assert caller().rpartition(":")[0] == "tests/unit/lockstep/test_words.py"


@pytest.mark.parametrize(
    ("made", "written"),
    [
        (roam("sta1", "ap2"), 'roam: "sta1", to: "ap2"'),
        (move("sta1", ["1 m", "0 m", "0 m"]), 'move: "sta1", to: ["1 m", "0 m", "0 m"]'),
        (move("sta1", ("1 m", "0 m"), speed="3 m/s"), 'move: "sta1", to: ["1 m", "0 m"], speed: "3 m/s"'),
        (power("ap1", "off"), 'power: "ap1", to: "off"'),
        (link("h1", "s1", "down"), 'link: ["h1", "s1"], to: "down"'),
        (event("fault", "lose", from_="sta1", count=3), 'fault: "lose", from: "sta1", count: 3'),
    ],
)
def test_an_event_is_what_a_file_has(made: Event, written: str) -> None:
    assert made.written == written
