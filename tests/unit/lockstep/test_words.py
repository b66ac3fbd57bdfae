# SPDX-License-Identifier: MIT
"""What callers write: times, commands, settings and events."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.lockstep import CallError, Event, event, link, move, power, roam
from lab.lockstep.words import argv_of, caller, settings_of, time_ns


@pytest.mark.parametrize(
    ("time", "ns"),
    [(12.5, 12_500_000_000), (3, 3_000_000_000), ("12.5 s", 12_500_000_000), ("300ms", 300_000_000), (1e-9, 1)],
)
def test_a_time_is_seconds_or_has_a_unit(time: float | str, ns: int) -> None:
    assert time_ns(time, "time_s") == ns


@pytest.mark.parametrize("time", ["5", "5 m/s", "soon", float("nan"), -1, "-1 s"])
def test_what_is_no_time(time: float | str) -> None:
    with pytest.raises(CallError, match="timeout_s: .*write a number of seconds, such as 12.5"):
        time_ns(time, "timeout_s")


def test_a_command_is_a_list() -> None:
    assert argv_of(["ls", Path("/tmp")], "run") == ["ls", "/tmp"]  # type: ignore[list-item]
    with pytest.raises(CallError, match=r'run\("ping -c 3 h1"\): .*write run\(\["ping", "-c", "3", "h1"\]\)'):
        argv_of("ping -c 3 h1", "run")
    with pytest.raises(CallError, match="there is no command"):
        argv_of([], "run")


def test_settings_are_those_of_the_command_line() -> None:
    values = {"links.0.delay": "20 ms", "topology.timeline": [], "medium": {"retries": {"short": 4}}, "wmm": True}
    assert settings_of(values) == [
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
