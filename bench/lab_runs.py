# SPDX-License-Identifier: MIT
"""Run ``lab run`` on a generated topology and workload, and measure its times."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.loads import FLOW, UDP_PROGRAM
from lab.errors import RunError

LAB = str(Path(sys.executable).parent / "lab")


@dataclass(frozen=True)
class Times:
    """Wall seconds of one run, and its CPU time, which other load of the machine changes less."""

    whole_s: float  # the command, with boot, record and report
    boot_s: float  # from the guest's start to the start of the timeline, when all stations are associated
    load_s: float  # while the load ran; 0 without one
    cpu_s: float  # of the lab and its guest, user and system


@contextmanager
def finished(
    topology: str, workload: str, seed: int = 1, *options: str, program: str = LAB
) -> Iterator[tuple[Path, Times]]:
    """Run a topology and a workload given as text; yield the run's directory, which the context removes, and its times.

    ``options`` are further arguments of ``lab run``; ``program`` is the lab, if not this checkout's.

    Raises:
        RunError: If the run failed; contains the lab's output.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as parent:
        place, work, out = (Path(parent) / name for name in ("topology.yaml", "workload.yaml", "run"))
        place.write_text(topology)
        work.write_text(workload)
        shutil.copy(UDP_PROGRAM, parent)
        # as on any machine, Python caches the bytecode of imports
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        lab = str(Path(program).absolute())
        argv = [lab, "run", str(place), str(work), "--seed", str(seed), "--out", str(out), *options]
        started_s, started_cpu_s = time.perf_counter(), children_cpu_s()
        # in a folder without stacks: another checkout would take those of this one, if it started here
        result = subprocess.run(argv, cwd=parent, env=environment, capture_output=True, text=True, check=False)
        whole_s, cpu_s = time.perf_counter() - started_s, children_cpu_s() - started_cpu_s
        if result.returncode:
            raise RunError(f"the lab failed: {result.stderr.strip()}")
        walls = json.loads((out / "wall.json").read_text())
        yield out, Times(whole_s, walls["boot_wall_s"], load_wall_s(out / "raw"), cpu_s)


def children_cpu_s() -> float:
    """Return the CPU time of all ended children of this process, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load_wall_s(raw: Path) -> float:
    """Return the time from the start of the first sender (its .err file) to the end of the last one (its .out file)."""
    started = [path.stat().st_mtime for path in raw.glob(f"{FLOW}*.err")]
    ended = [path.stat().st_mtime for path in raw.glob(f"{FLOW}*.out")]
    return max(ended) - min(started) if ended else 0


def looks(run: Path) -> list[dict[str, Any]]:
    """Return all readings of the medium's counters, each with its ``t_ns``."""
    found: list[dict[str, Any]] = json.loads((run / "raw" / "medium.json").read_text())["looks"]
    return found


def counters(run: Path) -> dict[str, Any]:
    """Return the medium's counters at the last reading."""
    return looks(run)[-1]
