# SPDX-License-Identifier: MIT
"""What samplers write, and when: a loop whose time is set by the test."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.guest import sampling

MS = 1_000_000
START_NS = 1_000 * MS


class Loop:
    """Timers, done in their order by ``advance``."""

    def __init__(self) -> None:
        self.now_ns = START_NS
        self._timers: list[tuple[int, Callable[[], None]]] = []

    def call_at(self, at_ns: int, callback: Callable[[], None]) -> Any:
        timer = (at_ns, callback)
        self._timers.append(timer)
        return SimpleNamespace(cancel=lambda: self._timers.remove(timer))

    def advance(self, to_ns: int) -> None:
        while self._timers and min(self._timers)[0] <= to_ns:
            timer = min(self._timers, key=lambda one: one[0])
            self._timers.remove(timer)
            self.now_ns = timer[0]
            timer[1]()
        self.now_ns = to_ns


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    found = Loop()
    monkeypatch.setattr(sampling, "RAW", tmp_path)
    monkeypatch.setattr(sampling, "now_ns", lambda: found.now_ns)
    return found


CLOCK: Any = SimpleNamespace(since_start_ns=lambda at_ns: at_ns - START_NS)


def process(watched: Path | None = None) -> Any:
    return SimpleNamespace(id="p@h1", every_ns=100 * MS, watched_file=str(watched) if watched else None)


def test_a_command_that_still_runs_is_not_started_again(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def start(*_: Any) -> Any:
        started.append(SimpleNamespace(alive=len(started) == 1))
        return started[-1]

    monkeypatch.setattr(sampling, "Task", start)
    sampler: Any = sampling.Sampler(loop, CLOCK, process(), ["iw"])  # type: ignore[arg-type]
    sampler.tick()
    loop.advance(START_NS + 250 * MS)
    assert (tmp_path / "p@h1.out").read_text() == "### 0\n### 100000000\n"  # the second runs on
    started[1].alive = False
    loop.advance(START_NS + 300 * MS)
    sampler.stop()
    loop.advance(START_NS + 1000 * MS)
    assert (tmp_path / "p@h1.out").read_text() == "### 0\n### 100000000\n### 300000000\n"


def test_a_file_is_sampled_while_its_writer_runs_and_hashed_at_its_end(loop: Loop, tmp_path: Path) -> None:
    file, writer = tmp_path / "got", SimpleNamespace(alive=True)
    node: Any = SimpleNamespace(files=nullcontext)
    sampler: Any = sampling.FileSizeSampler(loop, CLOCK, process(file), node, writer)  # type: ignore[arg-type]
    sampler.tick()
    file.write_bytes(b"abc")
    loop.advance(START_NS + 150 * MS)
    writer.alive = False
    file.write_bytes(b"abcdef")
    loop.advance(START_NS + 210 * MS)
    sampler.finish(SimpleNamespace())  # another task has ended
    sampler.finish(writer)
    digest = hashlib.sha256(b"abcdef").hexdigest()
    assert (tmp_path / "p@h1.size").read_text() == f"0 0\n100000000 3\n210000000 6\nsha256 {digest} 6\n"


def test_a_file_that_never_came_has_no_hash(loop: Loop, tmp_path: Path) -> None:
    writer: Any = SimpleNamespace(alive=False)
    node: Any = SimpleNamespace(files=nullcontext)
    sampling.FileSizeSampler(loop, CLOCK, process(tmp_path / "none"), node, writer).finish(writer)  # type: ignore[arg-type]
    assert (tmp_path / "p@h1.size").read_text() == "0 0\n"
