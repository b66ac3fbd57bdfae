# SPDX-License-Identifier: MIT
"""How ``lab`` speaks: rich where there is a terminal, plain lines where there is none; NO_COLOR is honoured by rich."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from lab.machine.build_report import LineReport, Report
from lab.machine.watch import Progress as RunProgress

LINE_EVERY_S = 5.0
PIPE_COLUMNS = 110


def console() -> Console:
    """For results, on standard output; wide enough for every table where nobody's window limits it."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_COLUMNS)


class BarReport:
    """Build progress as a bar; steps scroll above it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def step(self, text: str) -> None:
        """A new step."""
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        self._progress.console.print(text, markup=False)

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Move the bar."""
        if self._task is None:
            self._task = self._progress.add_task("", total=total)
        self._progress.update(self._task, completed=done, total=total, description=text[:60])


@contextlib.contextmanager
def reporter() -> Iterator[Report]:
    """Where builds report to: standard error."""
    errors = Console(stderr=True, highlight=False)
    if not errors.is_terminal:
        yield LineReport(sys.stderr)
        return
    columns = (
        BarColumn(30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        yield BarReport(progress)


class RunBars:
    """Progress of runs: virtual time, wall time and their ratio, one line a guest."""

    def __init__(self, names: list[str], duration_ns: int) -> None:
        self._errors = Console(stderr=True, highlight=False)
        self._duration_s = duration_ns / 1e9
        self._names = names
        self._next_s = time.monotonic() + LINE_EVERY_S
        self._progress: Progress | None = None
        self._tasks: list[TaskID] = []
        if self._errors.is_terminal:
            self._progress = Progress(
                BarColumn(30), TextColumn("{task.description}"), console=self._errors, transient=True
            )

    def __enter__(self) -> RunBars:
        if self._progress:
            self._progress.start()
            self._tasks = [self._progress.add_task(f"{name}: waiting", total=self._duration_s) for name in self._names]
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.stop()

    def tell(self, number: int, run: RunProgress) -> None:
        """What the watch of run ``number`` saw."""
        text = f"{self._names[number]}: {describe(run, self._duration_s)}"
        if self._progress:
            virtual_s = (run.virtual_ns or 0) / 1e9
            self._progress.update(self._tasks[number], completed=virtual_s, description=text)
        elif time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + LINE_EVERY_S
            print(text, file=sys.stderr, flush=True)


def describe(run: RunProgress, duration_s: float) -> str:
    """``12.3 of 30 s virtual, 4.5 s wall, 2.7 x``."""
    if run.virtual_ns is None:
        return f"booting, {run.wall_s:.1f} s wall"
    virtual_s = min(run.virtual_ns / 1e9, duration_s)
    ratio = virtual_s / run.wall_s if run.wall_s else 0.0
    return f"{virtual_s:.1f} of {duration_s:g} s virtual, {run.wall_s:.1f} s wall, {ratio:.1f}x"
