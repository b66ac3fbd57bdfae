# SPDX-License-Identifier: MIT
"""Output of ``lab``: rich on a terminal, plain lines elsewhere; rich honours NO_COLOR."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Self, TextIO, cast

from lab.cache.report import LineReport, Report
from lab.printable import printable

if TYPE_CHECKING:  # rich is imported only when needed: that takes as long as planning a small topology
    from rich.console import Console
    from rich.progress import Progress, TaskID


LINE_EVERY_S = 5.0
PIPE_COLUMNS = 80
_CALL_IT_A_TERMINAL = {"FORCE_COLOR", "TTY_COMPATIBLE"}  # variables that declare standard error a terminal


def console() -> Console:
    """Return the console for results, standard output; as wide as COLUMNS says, else 80, if it is not a terminal."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Safe(Console):
        """A console whose own codes are the only ones: names of others have none."""

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            """Yield what is printed."""
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    if sys.stdout.isatty():
        return Safe(highlight=False)
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdigit() and int(columns) else PIPE_COLUMNS
    return Safe(highlight=False, width=width, file=cast(IO[str], _Trimmed(sys.stdout)))


def say(text: str, file: TextIO | None = None) -> None:
    """Print a line with names that others chose, such as those of files."""
    print(printable(text).replace("\n", r"\n"), file=file)


@contextlib.contextmanager
def unread() -> Iterator[None]:
    """Print results whose reader may exit early (``lab run … | head -1``): the exit status is that of the run."""
    try:
        yield
        print(end="", flush=True)
    except (BrokenPipeError, SystemExit) as error:  # rich turns one into the other
        if BrokenPipeError not in (type(error), type(error.__context__)):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is left of it


class _Trimmed:
    """A text file without blanks at the ends of lines: rich fills lines up."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write text; rich passes on whole lines."""
        self._file.write(re.sub(r" +$", "", text, flags=re.MULTILINE))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _errors() -> Console | None:
    """Return standard error if it is a terminal. rich decides, but is imported only if it may be one."""
    if not (sys.stderr.isatty() or os.environ.keys() & _CALL_IT_A_TERMINAL):
        return None
    from rich.console import Console

    errors = Console(stderr=True, highlight=False)
    return errors if errors.is_terminal else None


class BarReport:
    """Build progress as a bar, with steps above it."""

    def __init__(self, errors: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            BarColumn(30),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
        )
        self._progress = Progress(*columns, console=errors, transient=True)
        self._task: TaskID | None = None

    def __enter__(self) -> BarReport:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def step(self, text: str) -> None:
        """Print a new step."""
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        self._progress.console.print(printable(text), markup=False)

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Move the bar."""
        if self._task is None:
            self._task = self._progress.add_task("", total=total)
        self._progress.update(self._task, completed=done, total=total, description=printable(text)[:60])


class _LateReport:
    """A bar or lines, created with the first report: most commands have nothing to report."""

    def __init__(self, closing: contextlib.ExitStack) -> None:
        self._closing = closing

    @cached_property
    def _report(self) -> Report:
        errors = _errors()
        return LineReport(sys.stderr) if errors is None else self._closing.enter_context(BarReport(errors))

    def step(self, text: str) -> None:
        """Print a new step."""
        self._report.step(text)

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Show how far it is."""
        self._report.progress(done, total, text)


@contextlib.contextmanager
def reporter() -> Iterator[Report]:
    """Yield the destination of build reports: standard error."""
    with contextlib.ExitStack() as closing:
        yield _LateReport(closing)


class Bars:
    """Bars on a terminal, elsewhere a line now and then; created with the first update."""

    def __init__(self, bars: Sequence[tuple[str, float | None]]) -> None:
        """Take the initial text of each bar, and its total."""
        self._bars = bars
        self._next_s = time.monotonic() + LINE_EVERY_S
        self._lock = threading.Lock()  # each guest is watched by a thread
        self._begun = False
        self._progress: Progress | None = None
        self._tasks: list[TaskID] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.stop()

    def _begin(self) -> None:
        self._begun = True
        errors = _errors()
        if errors is None:
            return
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(BarColumn(30), TextColumn("{task.description}"), console=errors, transient=True)
        self._progress.start()
        self._tasks = [self._progress.add_task(text, total=total) for text, total in self._bars]

    def show(self, number: int, text: str, done: float, total: float | None) -> None:
        """Show ``text`` and ``done`` of ``total`` on bar ``number``."""
        text = printable(text)
        with self._lock:
            if not self._begun:
                self._begin()
            if self._progress:
                self._progress.update(self._tasks[number], completed=done, total=total, description=text)
            elif time.monotonic() >= self._next_s:
                self._next_s = time.monotonic() + LINE_EVERY_S
                print(text, file=sys.stderr, flush=True)
