# SPDX-License-Identifier: MIT
"""A report of progress that a test can look at."""

from __future__ import annotations


class KeptReport:
    """Records everything."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.progressed: list[tuple[int, int | None, str]] = []

    def step(self, text: str) -> None:
        self.steps.append(text)

    def progress(self, done: int, total: int | None, text: str) -> None:
        self.progressed.append((done, total, text))
