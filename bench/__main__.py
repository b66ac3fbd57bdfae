# SPDX-License-Identifier: MIT
"""Measures what the project promises of its speed, prints medians beside the limits.

Limits are for a quiet machine with 2 cores. The first line tells how quick this one is at what a guest does most: the
least cost of one system call of a guest program.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.terminal import console

LAB = str(Path(sys.executable).parent / "lab")
FLAGSHIP = ["two-aps-handoff", "http/download"]


@dataclass(frozen=True)
class Figure:
    """One measured quantity; ``limit`` None: only shown."""

    name: str
    unit: str
    values: list[float]
    limit: float | None

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def timed(argv: list[str]) -> float:
    """Wall seconds of a command; SystemExit with its output if it fails."""
    started_s = time.perf_counter()
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(argv)} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return time.perf_counter() - started_s


def stop_cost(times: int) -> list[Figure]:
    """What a guest's system call costs at least here, on one core: nearly all of a run's wall time is made of it."""
    source = Path(__file__).with_name("ptrace_stop.c")
    core = min(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as parent:
        program = str(Path(parent) / "ptrace_stop")
        subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-o", program, str(source)], check=True)
        argv = ["taskset", "-c", str(core), program]
        costs = [float(subprocess.run(argv, check=True, capture_output=True).stdout) for _ in range(times)]
    return [Figure("system call stop of this machine", "us", costs, None)]


def run(arguments: list[str]) -> tuple[float, dict[str, float]]:
    """Wall seconds of ``lab run`` and the wall.json of the run."""
    with tempfile.TemporaryDirectory() as parent:
        out = Path(parent) / "run"
        wall_s = timed([LAB, "run", *arguments, "--out", str(out)])
        walls: dict[str, float] = json.loads((out / "wall.json").read_text())
    return wall_s, walls


def flagship(times: int) -> list[Figure]:
    """The whole command, and of it the boot, in wall seconds."""
    measured = [run(FLAGSHIP) for _ in range(times)]
    return [
        Figure("flagship, 30 s virtual, in all", "s", [wall_s for wall_s, _ in measured], 6.0),
        Figure("flagship, boot to timeline start", "s", [walls["boot_wall_s"] for _, walls in measured], 3.0),
        Figure("flagship, virtual : wall", "x", [30 / walls["timeline_wall_s"] for _, walls in measured], None),
    ]


def twenty(times: int) -> list[Figure]:
    """Twenty nodes, boot to timeline start."""
    boots = [run(["twenty-nodes", "idle"])[1]["boot_wall_s"] for _ in range(times)]
    return [Figure("20 nodes, boot to timeline start", "s", boots, 8.0)]


def memory() -> list[Figure]:
    """What one flagship takes on the host: resident memory of the largest process, UML itself."""
    before_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    run(FLAGSHIP)
    after_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return [Figure("guest, peak resident memory", "MiB", [max(before_kib, after_kib) / 1024], 1024.0)]


def help_verb(times: int) -> list[Figure]:
    """The command's own start."""
    return [Figure("lab --help", "s", [timed([LAB, "--help"]) for _ in range(times)], 0.3)]


def kernel_build() -> list[Figure]:
    """From a fetched source to a kernel, in a cache of its own."""
    with tempfile.TemporaryDirectory() as parent:
        from lab.machine.cache import cache_root

        cache = Path(parent) / "hwsim-lab"
        shutil.copytree(cache_root() / "source", cache / "source", symlinks=True)
        started_s = time.perf_counter()
        subprocess.run(["env", f"XDG_CACHE_HOME={parent}", LAB, "kernel"], check=True, stdout=subprocess.DEVNULL)
        return [Figure("kernel build from scratch", "s", [time.perf_counter() - started_s], 300.0)]


def main() -> None:
    """Measure, print, and fail if a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="repetitions of each (default 5)")
    parser.add_argument("--kernel", action="store_true", help="build the kernel from scratch too (minutes)")
    chosen = parser.parse_args()
    parts: list[Callable[[], list[Figure]]] = [
        lambda: stop_cost(chosen.times),
        lambda: help_verb(chosen.times),
        lambda: flagship(chosen.times),
        lambda: twenty(max(1, chosen.times // 2)),
        memory,
        *([kernel_build] if chosen.kernel else []),
    ]
    show(parts)


def show(parts: list[Callable[[], list[Figure]]]) -> None:
    """Print each figure as soon as it is there."""
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


main()
