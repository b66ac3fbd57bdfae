# SPDX-License-Identifier: MIT
"""What a run may take from its host: room for its files, and wall time.

Virtual time stands still while a program computes or prints, so nothing in the guest can see that it prints forever.
The host looks at the files instead, now and then while the guest runs, and once more at its end: whether a run that
comes to its end has passed depends on what it wrote, not on when somebody looked.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from lab import units
from lab.errors import InputError, RunError
from lab.machine.watch import RunProgress, tails
from lab.shared.paths import RAW
from lab.shared.types import Plan, Process

_LOOK_EVERY_S = 0.1  # in which a guest writes about 20 MB
_STREAMS = ("out", "err")


def wall_s(option: str, text: str | None) -> float | None:
    """Return the value of an option that is a time; None if it is not given.

    Raises:
        InputError: If it is not a time.
    """
    if text is None:
        return None
    try:
        duration_ns = units.DURATION.parse(text, usual="s")
    except units.UnitError as error:
        raise InputError(f"{option}: {error}") from None
    if duration_ns <= 0:
        raise InputError(f'{option}: "{text}" leaves no time to run; write for example 60 s')
    return duration_ns / 1e9


def too_long(plan: Plan, timeout_s: float, ended: str) -> RunError:
    """Return the error of a run that was ended after its time, where or ``while …``."""
    return RunError(
        f"--timeout: the run with seed {plan.seed} took more than {timeout_s:g} s of wall time; it was ended {ended}"
    )


@contextlib.contextmanager
def ending_after(timeout_s: float | None, what: str) -> Iterator[None]:
    """End what takes longer, whatever this process does or waits for. Use it in the main thread.

    Raises:
        RunError: If it did; ``what``: "the shell".
    """

    def end(_number: int, _frame: FrameType | None) -> None:
        raise RunError(f"--timeout: {what} took more than {timeout_s:g} s of wall time; it was ended")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, timeout_s or 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Limits:
    """The limits of one run: those of its plan, and ``timeout_s`` of wall time since the start of its guest."""

    def __init__(self, plan: Plan, directory: Path, timeout_s: float | None = None) -> None:
        """Take the plan and the directory of the run."""
        self._plan = plan
        self._directory = directory
        self._timeout_s = timeout_s
        self._looked_s = -_LOOK_EVERY_S

    def look(self, progress: RunProgress) -> None:
        """Look at a running guest, unless it has just been looked at.

        Raises:
            RunError: If a limit is exceeded; the message says how far virtual time came.
        """
        at = _reached(progress, self._plan.duration_ns)
        if self._timeout_s is not None and progress.wall_s > self._timeout_s:
            raise too_long(self._plan, self._timeout_s, at)
        if time.monotonic() >= self._looked_s + _LOOK_EVERY_S:
            self.judge(f"; it was ended {at}")
            self._looked_s = time.monotonic()

    def judge(self, ended: str = "") -> None:
        """Look at the files of a guest that is off, or is ``ended`` if there is too much in them.

        Raises:
            RunError: If a limit is exceeded.
        """
        sizes = dict(_sizes(self._directory))
        for process in self._plan.processes:
            written = sum(sizes.get(log, 0) for log in self._logs(process))
            if written > process.max_output_bytes:
                raise self._process_beyond_limit(process, written, ended)
        if sum(sizes.values()) > self._plan.max_output_bytes:
            raise self._too_much(sizes, ended)

    def _logs(self, process: Process) -> list[Path]:
        return [self._directory / RAW.name / f"{process.id}.{stream}" for stream in _STREAMS]

    def _process_beyond_limit(self, process: Process, written: int, ended: str) -> RunError:
        most = _text(process.max_output_bytes)
        return RunError(
            f"{process.source}: {process.id} printed more than {most}, the limit of its output{ended}"
            f"{tails(self._logs(process))}",
            hint=f"to allow more, write max_output: {_text(2 * written)} into that entry",
        )

    def _too_much(self, sizes: dict[Path, int], ended: str) -> RunError:
        most = _text(self._plan.max_output_bytes)
        largest = max(sizes, key=lambda path: sizes[path])
        return RunError(
            f"the files of the run are larger than {most}, the limit of its output{ended}; "
            f"the largest is {largest}, {_text(sizes[largest])}",
            hint=f"to allow more, write max_output: {_text(2 * sum(sizes.values()))} into the workload, or add "
            f"--set 'max_output={_text(2 * sum(sizes.values()))}'",
        )


def _reached(progress: RunProgress, duration_ns: int) -> str:
    """Return how far virtual time came, for a message."""
    if progress.virtual_ns is None:
        return "before its timeline began"
    return f"at {progress.virtual_ns / 1e9:.3g} s of {duration_ns / 1e9:g} s of virtual time"


def _text(size: int) -> str:
    """Return a size for a message: what users write for it, or about that."""
    mebibytes = -(-size // (1 << 20))
    return units.SIZE.format(size) if size < 1 << 20 else units.SIZE.format(mebibytes << 20)


def _sizes(directory: Path) -> Iterator[tuple[Path, int]]:
    """Yield each file below a directory, with its size; the guest may remove one at any moment."""
    for place, _, names in os.walk(directory):
        for name in names:
            path = Path(place, name)
            try:
                yield path, path.lstat().st_size
            except FileNotFoundError:
                continue
