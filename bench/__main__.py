# SPDX-License-Identifier: MIT
"""Measure the speed that the project promises, and print medians and limits.

Limits are for an idle machine with 2 cores. The first lines show how fast this machine is at the most frequent
operation of a guest: a system call of a program.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.figure import Figure, show, timed
from lab.builders.image.initrd import Entry, archive
from lab.builders.kernel.kernel import ensure_kernel
from lab.cache.report import SilentReport
from lab.machine.memory import memory_directory

LAB = str(Path(sys.executable).parent / "lab")
FLAGSHIP = ["two-aps-handoff", "http/download"]
CALLS = 300_000


def system_calls(times: int) -> list[Figure]:
    """Return the wall time of a system call in the guest: they take nearly all of a run's time."""
    with tempfile.TemporaryDirectory() as parent:
        program, initrd = Path(parent) / "init", Path(parent) / "initrd"
        source = Path(__file__).with_name("system_calls.c")
        subprocess.run(["gcc", "-static", "-O2", "-Wall", "-Werror", "-o", program, source], check=True)
        entries = [
            Entry("dev", stat.S_IFDIR | 0o755),
            Entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
            Entry("init", stat.S_IFREG | 0o755, content=program.read_bytes()),
        ]
        initrd.write_bytes(archive(entries))
        figures = []
        for way, name in (("on", "signals"), ("off", "ptrace")):
            costs_us = [
                (boot(initrd, way, CALLS) - boot(initrd, way, 0)) / CALLS * 1e6 for _ in range(max(1, times // 2))
            ]
            figures.append(Figure(f"system call of a guest's program, by {name}", "us", costs_us, None))
    return figures


def boot(initrd: Path, seccomp: str, calls: int) -> float:
    """Return the wall seconds of a kernel that runs the program, on one core."""
    command = [
        *("taskset", "-c", str(min(os.sched_getaffinity(0))), str(ensure_kernel(SilentReport()).path)),
        *("mem=256M", "umid=bench", f"uml_dir={initrd.parent}/", "con=null", "con0=null,fd:1", "quiet"),
        *("time-travel=inf-cpu", f"seccomp={seccomp}", f"initrd={initrd}", "root=/dev/ram0", "--", str(calls)),
    ]
    environment = {"TMPDIR": str(memory_directory()), "HOME": "/", "PATH": os.environ["PATH"]}
    started_s = time.perf_counter()
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if b"Power down" not in result.stdout:
        sys.exit(f"the guest of the bench failed:\n{result.stdout.decode(errors='replace')}")
    return time.perf_counter() - started_s


def run(arguments: list[str]) -> tuple[float, dict[str, float]]:
    """Return the wall seconds of ``lab run`` and the wall.json of the run."""
    with tempfile.TemporaryDirectory() as parent:
        out = Path(parent) / "run"
        wall_s = timed([LAB, "run", *arguments, "--out", str(out)])
        walls: dict[str, float] = json.loads((out / "wall.json").read_text())
    return wall_s, walls


def flagship(times: int) -> list[Figure]:
    """Measure the whole command, and the boot alone, in wall seconds."""
    measured = [run(FLAGSHIP) for _ in range(times)]
    return [
        Figure("flagship, 30 s virtual, in all", "s", [wall_s for wall_s, _ in measured], 8.0),
        Figure("flagship, boot to timeline start", "s", [walls["boot_wall_s"] for _, walls in measured], 3.0),
        Figure("flagship, virtual : wall", "x", [30 / walls["timeline_wall_s"] for _, walls in measured], None),
    ]


def twenty(times: int) -> list[Figure]:
    """Measure twenty nodes, from boot to the start of the timeline."""
    boots = [run(["twenty-nodes", "idle"])[1]["boot_wall_s"] for _ in range(times)]
    return [Figure("20 nodes, boot to timeline start", "s", boots, 8.0)]


def memory() -> list[Figure]:
    """Return the host memory of one flagship run: resident memory of the largest process, which is UML."""
    before_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    run(FLAGSHIP)
    after_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return [Figure("guest, peak resident memory", "MiB", [max(before_kib, after_kib) / 1024], 1024.0)]


def help_verb(times: int) -> list[Figure]:
    """Measure how long the command itself takes to start."""
    return [Figure("lab --help", "s", [timed([LAB, "--help"]) for _ in range(times)], 0.3)]


def kernel_build() -> list[Figure]:
    """Measure the build of a kernel from a fetched source, in a separate cache."""
    with tempfile.TemporaryDirectory() as parent:
        from lab.cache.store import cache_root

        cache = Path(parent) / "hwsim-lab"
        shutil.copytree(cache_root() / "source", cache / "source", symlinks=True)
        started_s = time.perf_counter()
        subprocess.run(["env", f"XDG_CACHE_HOME={parent}", LAB, "kernel"], check=True, stdout=subprocess.DEVNULL)
        return [Figure("kernel build from scratch", "s", [time.perf_counter() - started_s], 300.0)]


def test_suite() -> list[Figure]:
    """Measure `make test` with kernel and image in the cache."""
    return [Figure("make test", "s", [timed(["make", "--silent", "test"])], 600.0)]


def main() -> None:
    """Measure, print, and fail if a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="repetitions of each (default 5)")
    parser.add_argument("--long", action="store_true", help="also measure the kernel build and make test (15 minutes)")
    chosen = parser.parse_args()
    parts: list[Callable[[], list[Figure]]] = [
        lambda: system_calls(chosen.times),
        lambda: help_verb(chosen.times),
        lambda: flagship(chosen.times),
        lambda: twenty(max(1, chosen.times // 2)),
        memory,
        *([kernel_build, test_suite] if chosen.long else []),
    ]
    show(parts)


if __name__ == "__main__":
    main()
