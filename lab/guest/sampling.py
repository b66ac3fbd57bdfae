# SPDX-License-Identifier: MIT
"""Probes that sample: a command's output, a file's size."""

from __future__ import annotations

import os
from pathlib import Path

from lab.guest.clock import Clock
from lab.guest.loop import Loop, Timer, now_ns
from lab.guest.network.container import Container
from lab.guest.tasks import Task
from lab.shared import types
from lab.shared.paths import RAW


class _Periodic:
    """Does something now, and again after every ``every_ns``."""

    def __init__(self, loop: Loop, clock: Clock, process: types.Process, suffix: str) -> None:
        assert process.every_ns is not None  # every probe that samples has an interval
        self._loop = loop
        self._clock = clock
        self._process = process
        self._every_ns = process.every_ns
        self._out = RAW / f"{process.id}.{suffix}"
        self._next_ns = now_ns()
        self._timer: Timer | None = None

    def tick(self) -> None:
        """Sample now and again."""
        raise NotImplementedError

    def _later(self) -> None:
        self._next_ns += self._every_ns
        self._timer = self._loop.call_at(self._next_ns, self.tick)

    def stop(self) -> None:
        """Take no more samples."""
        if self._timer:
            self._timer.cancel()

    def _write(self, line: str) -> None:
        with self._out.open("a") as file:
            file.write(line + "\n")


class Sampler(_Periodic):
    """Runs a command every ``every_ns``; all outputs go to one file, each below a line with its time."""

    def __init__(self, loop: Loop, clock: Clock, process: types.Process, argv: list[str]) -> None:
        super().__init__(loop, clock, process, "out")
        self._argv = argv
        self._task: Task | None = None

    def tick(self) -> None:
        """Start the command, unless the previous one still runs (a slow tool yields fewer samples)."""
        if self._task is None or not self._task.alive:
            self._write(f"### {self._clock.since_start_ns(self._next_ns)}")
            err = self._out.with_name(f"{self._process.id}.err")
            self._task = Task(self._loop, self._process.id, self._argv, self._out, err)
        self._later()


class FileSizeSampler(_Periodic):
    """Writes ``<ns> <bytes>`` of a growing file; when its writer ends, ``sha256 <hex> <bytes>``."""

    def __init__(self, loop: Loop, clock: Clock, process: types.Process, container: Container, task: Task) -> None:
        super().__init__(loop, clock, process, "size")
        self._path = Path("/", process.watched_file or "")
        self._container = container
        self._task = task

    def _sample(self, uptime_ns: int) -> None:
        with self._container.files():
            size = self._path.stat().st_size if self._path.exists() else 0
        self._write(f"{self._clock.since_start_ns(uptime_ns)} {size}")

    def tick(self) -> None:
        if self._task.alive:
            self._sample(self._next_ns)
            self._later()

    def finish(self, task: Task) -> None:
        """Record the last size and the digest of the file, if the writer has ended."""
        if task is not self._task:
            return
        self._sample(now_ns())
        with self._container.files():
            file = self._path.open("rb") if self._path.exists() else None
        if file:
            import hashlib  # it loads OpenSSL, which most runs do not need

            with file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                self._write(f"sha256 {digest} {os.fstat(file.fileno()).st_size}")
