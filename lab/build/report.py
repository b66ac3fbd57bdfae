# SPDX-License-Identifier: MIT
"""How a long build tells what it is doing, whoever listens."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO


class Report(Protocol):
    """A listener: a terminal with a progress bar, a log, or a test."""

    def step(self, text: str) -> None:
        """A new step begins, or something must be said once (a wait, a warning)."""

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Of the current step ``done`` of ``total`` (unknown: None) units are through; ``text`` says what."""


class SilentReport:
    """Says nothing."""

    def step(self, text: str) -> None:
        """Ignore it."""

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Ignore it."""


class KeptReport:
    """Keeps all it is told."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.progressed: list[tuple[int, int | None, str]] = []

    def step(self, text: str) -> None:
        """Keep it."""
        self.steps.append(text)

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Keep it."""
        self.progressed.append((done, total, text))


class LineReport:
    """Plain lines, for a log or a pipe: every step, and progress at most every ``every_s`` seconds."""

    def __init__(self, stream: TextIO | None = None, every_s: float = 10.0) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.every_s = every_s
        self._next_s = 0.0

    def step(self, text: str) -> None:
        """Print it."""
        self._next_s = time.monotonic() + self.every_s
        print(text, file=self.stream, flush=True)

    def progress(self, done: int, total: int | None, text: str) -> None:
        """Print it if the last line was long enough ago."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + self.every_s
        share = f"{100 * done // total:3d} %" if total else f"{done}"
        print(f"  {share}  {text}", file=self.stream, flush=True)
