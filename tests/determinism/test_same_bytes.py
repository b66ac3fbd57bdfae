# SPDX-License-Identifier: MIT
"""Same plan and seed: the same bytes, no matter what else the machine does. Another seed: different bytes."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load

pytestmark = pytest.mark.guest

WALL = {"wall.json", "console.log"}  # all that may differ


def _burn() -> None:
    while True:
        hashlib.sha256(bytes(1 << 20)).hexdigest()


@contextmanager
def other_work() -> Iterator[None]:
    """Other work on half of the cores, and in all caches: the scheduler moves it about. More would only take longer."""
    cores = len(os.sched_getaffinity(0))
    workers = [multiprocessing.Process(target=_burn, daemon=True) for _ in range((cores + 1) // 2)]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.kill()
            worker.join()


def digest(directory: Path) -> dict[str, str]:
    """Name and checksum of every file of a run that must not differ."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name not in WALL
    }


@pytest.mark.parametrize(
    ("medium", "pcap", "capture"),
    [(("medium=perfect",), None, "raw/capture.pcap"), ((), "air", "raw/air-2412.pcapng")],
    ids=["perfect medium", "802.11 medium"],
)
def test_equal_runs_leave_equal_bytes_under_load_and_other_seeds_others(
    tmp_path: Path, medium: tuple[str, ...], pcap: str | None, capture: str
) -> None:
    settings = [
        *medium,
        "timeline.0.speed=10m/s",
        "timeline.1.at=4500ms",
        "workload.duration=5s",
    ]  # with the first handoff
    settings.append("workload.processes.fetch.may_run_on=true")

    def once(directory: Path, seed: int) -> dict[str, str]:
        directory.mkdir(parents=True)
        machine = runs.ensure_machine(SilentReport())
        runs.run_plan(load("two-aps-handoff", "http/download", seed, settings, pcap=pcap), machine, directory)
        return digest(directory)

    quiet = once(tmp_path / "quiet", seed=1)
    with other_work():
        # another length of path: it stands on the kernel's command line
        loaded = once(tmp_path / "a-directory-with-a-much-longer-name" / "loaded", seed=1)
    other = once(tmp_path / "other", seed=2)

    assert {name for name in quiet if quiet[name] != loaded.get(name)} == set()
    assert quiet.keys() == loaded.keys()
    assert quiet[capture] != other[capture]
    assert quiet["record.json"] != other["record.json"]
