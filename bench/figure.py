# SPDX-License-Identifier: MIT
"""Figures that are measured, and compared with their limits."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from lab.terminal import console


@dataclass(frozen=True)
class Figure:
    """One measured quantity; ``limit`` None: it has no limit."""

    name: str
    unit: str
    values: list[float]
    limit: float | None

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def timed(argv: list[str]) -> float:
    """Return the wall seconds of a command; SystemExit with its output if it fails."""
    started_s = time.perf_counter()
    # as on any machine, Python caches the bytecode of imports
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    result = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(argv)} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return time.perf_counter() - started_s


def show(parts: list[Callable[[], list[Figure]]]) -> None:
    """Print each figure as soon as it is measured."""
    exceeded = 0
    console().print(f"{'figure':<52}{'median':>10}{'least':>10}{'most':>10}{'limit':>10}")
    for part in parts:
        for figure in part():
            over = figure.limit is not None and figure.median > figure.limit
            exceeded += over
            limit = "" if figure.limit is None else f"{figure.limit:g} {figure.unit}"
            cells = "".join(f"{value:>10.2f}" for value in (figure.median, min(figure.values), max(figure.values)))
            console().print(f"{figure.name:<52}{cells}{limit:>10}{'  OVER' if over else ''}", soft_wrap=True)
    sys.exit(1 if exceeded else 0)
