# SPDX-License-Identifier: MIT
"""Measure labs that programs drive: tests with the fixture lab, and what a request to the guest costs.

Each test boots a lab of two access points, moves a station, hands it off, and pings through the new access point.
Limits are for an idle machine with 2 cores. Kernel, image and plans are cached, as in any run but the first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from bench.figure import Figure, show, timed
from lab import Lab

TEST = """\
import pytest
from lab import associated, move, roam


@pytest.mark.parametrize("number", range(TESTS))
@pytest.mark.lab("two-aps-handoff", set={"topology.timeline": []})
def test_survives_a_handoff(lab, number):
    lab.do(move("sta1", ["21 m", "0 m", "1 m"], speed="3 m/s"))
    lab.at(8, roam("sta1", "ap2"))
    lab.wait_for(associated("sta1", "ap2"), timeout_s=20)
    lab["sta1"].run(["ping", "-c", "3", "h1"]).check()
"""
REQUESTS = 2000


def pytest_of(tests: int, *options: str) -> float:
    """Return the wall seconds of a pytest with that many tests."""
    with tempfile.TemporaryDirectory() as project:
        test = Path(project) / "test_handoff.py"
        test.write_text(TEST.replace("TESTS", str(tests)))
        where = ["--rootdir", project, "--basetemp", f"{project}/tmp", "-p", "no:cacheprovider"]
        return timed([sys.executable, "-m", "pytest", "-q", *where, *options, str(test)])


def handoffs(times: int) -> list[Figure]:
    """Measure the whole command pytest, in wall seconds."""
    pytest_of(1)  # the first one makes the plan
    return [
        Figure("pytest of one handoff", "s", [pytest_of(1) for _ in range(times)], 4.0),
        Figure("pytest of ten handoffs, -n 2", "s", [pytest_of(10, "-n", "2") for _ in range(times)], 25.0),
    ]


def requests(times: int) -> list[Figure]:
    """Measure a request that does nothing: there and back, in wall microseconds."""
    costs_us = []
    with tempfile.TemporaryDirectory() as parent, Lab("one-ap", directory=Path(parent) / "lab") as net:
        for _ in range(times):
            started_s = time.perf_counter()
            for _ in range(REQUESTS):
                net.ask("run_until", at_ns=net.now_ns)
            costs_us.append((time.perf_counter() - started_s) / REQUESTS * 1e6)
    return [Figure("request to the guest and its answer", "us", costs_us, 1000.0)]


def main() -> None:
    """Measure, print, and fail if a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench.driven", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="repetitions of each (default 5)")
    chosen = parser.parse_args()
    show([lambda: requests(chosen.times), lambda: handoffs(chosen.times)])


if __name__ == "__main__":
    main()
