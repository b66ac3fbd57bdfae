# SPDX-License-Identifier: MIT
"""How a long build reports its progress."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from lab.printable import printable

_EVERY_S = 10.0


class Report(Protocol):
    """A listener: a terminal with a progress bar, a log, or a test."""

    def step(self, text: str) -> None:
        """Report the start of a step, or a single message (a wait, a warning)."""

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Report that ``done`` units of ``total`` (None: unknown) of the step are finished; ``text`` names them."""


class SilentReport:
    """Discards everything."""

    def step(self, text: str) -> None:
        """Ignore it."""

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Ignore it."""


class LineReport:
    """Plain lines, for a log or a pipe: every step, and progress at most every 10 s."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self._next_s = 0.0

    def step(self, text: str) -> None:
        """Print it."""
        self._next_s = time.monotonic() + _EVERY_S
        print(printable(text), file=self.stream, flush=True)

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Print it if the last line was long enough ago."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + _EVERY_S
        share = f"{100 * done // total:3d} %" if total else f"{done}"
        print(printable(f"  {share}  {text}"), file=self.stream, flush=True)
