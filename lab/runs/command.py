# SPDX-License-Identifier: MIT
"""``lab run``: from its options to finished runs with their records."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab import left, runs
from lab.errors import InputError, LabError, writing
from lab.machine.memory import memory_text
from lab.runs.limits import wall_s
from lab.runs.pool import run_all
from lab.runs.start import machine_for
from lab.shared.outcome import Outcome
from lab.shared.types import Plan
from lab.terminal import Bars, console, reporter, say

if TYPE_CHECKING:
    from lab.machine.watch import RunProgress
    from lab.record import Record


@dataclass(frozen=True)
class RunOptions:
    """The options of ``lab run``; those of a new guest are described in lab.runs.start."""

    topology: str
    workload: str
    seed: int = 1  # of the first run
    overrides: Sequence[str] = ()
    out: Path | None = None
    repeat: int = 1
    jobs: int = 1
    pcap: str | None = None
    timeout: str | None = None
    junit: Path | None = None
    source: Path | None = None
    kernel: str | None = None


@dataclass(frozen=True)
class Runs:
    """Runs that have ended."""

    records: list[Record]
    directories: list[Path]

    @property
    def passed(self) -> bool:
        """Whether all did."""
        return all(record.passed for record in self.records)


def run(options: RunOptions) -> Runs:
    """Run a workload on a topology, once or more often, and record it.

    Raises:
        InputError, InputErrors: If what the user wrote has mistakes.
        BuildError, HostError: If something cannot be built, or the host lacks something.
        RunError: If a run failed.
    """
    from lab.plan.load import load

    topology, workload, seed = options.topology, options.workload, options.seed
    if options.jobs > 1 and options.repeat == 1:
        print("lab: --jobs has no effect on a single run; --repeat N runs it N times", file=sys.stderr)
    with _failing_in(options.junit, lambda error: f"{workload} on {topology}, seed {seed}"):
        timeout_s = wall_s("--timeout", options.timeout)
        plans = [
            load(topology, workload, seed + number, options.overrides, pcap=options.pcap)
            for number in range(options.repeat)
        ]
    folders = [Path()] * len(plans)
    with _failing_in(options.junit, lambda error: _name_of(_failed(plans, folders, error) or plans)):
        if (memory := memory_text(plans[0])) is not None:
            print(memory, file=sys.stderr)
        with reporter() as report:
            machine = machine_for(plans[0], workload, report, source=options.source, built=options.kernel)
        seeds = f"seed{seed}" if len(plans) == 1 else f"seeds{seed}-{plans[-1].seed}"
        name = f"{plans[0].topology}--{plans[0].workload}-{seeds}".replace("/", "-")
        directory = runs.new_directory(name, options.out)
        folders = [directory] if len(plans) == 1 else [directory / f"seed-{plan.seed}" for plan in plans]
        for folder in folders:
            with writing(folder):
                folder.mkdir(exist_ok=True)
        try:
            records = _run(plans, folders, machine, options.jobs, directory, timeout_s)
        finally:
            if options.out is None and directory.exists():  # one that was interrupted is removed
                _point_latest(directory)
    if options.junit is not None:
        from lab.report.junit import document, write

        write(options.junit, document(records))
    return Runs(records, folders)


@contextlib.contextmanager
def _failing_in(junit: Path | None, name: Callable[[BaseException], str]) -> Iterator[None]:
    """Write a failure, or an interrupt, to the file of --junit, too: no result of an earlier run must stay there.

    ``name`` returns the name of what failed.

    Raises:
        LabError: If it failed.
        KeyboardInterrupt: If it was interrupted.
    """
    began_s = time.monotonic()
    try:
        yield
    except (LabError, KeyboardInterrupt) as error:
        if junit is not None:
            from lab.report.junit import failed, write

            write(junit, failed(name(error), str(error) or "interrupted", time.monotonic() - began_s))
        raise


def _name_of(plans: list[Plan]) -> str:
    from lab.report.junit import name_of

    return name_of(plans)


def _run(
    plans: list[Plan],
    folders: list[Path],
    machine: runs.Machine,
    jobs: int,
    directory: Path,
    timeout_s: float | None,
) -> list[Record]:
    names = [f"seed {plan.seed}" for plan in plans] if len(plans) > 1 else [plans[0].name]
    try:
        with _RunBars(names, plans[0].duration_ns) as bars:
            return run_all(zip(plans, folders, strict=True), machine, jobs, bars.update, _prepare_report, timeout_s)
    except KeyboardInterrupt:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    except InputError:  # another run has the directory
        raise
    except LabError as error:
        folder = error.directory = error.directory or directory
        report = f"; lab report {folder} shows what it measured" if _has_measured(folder) else ""
        which = "".join(f" with seed {plan.seed}" for plan in _failed(plans, folders, error) if len(plans) > 1)
        say(f"the files of the run{which} are in {folder}{report}", file=sys.stderr)
        raise


def _failed(plans: list[Plan], folders: list[Path], error: BaseException) -> list[Plan]:
    """Return the plan whose run failed; none if something else failed."""
    directory = error.directory if isinstance(error, LabError) else None
    return [plan for plan, folder in zip(plans, folders, strict=True) if folder == directory]


def _has_measured(directory: Path) -> bool:
    """Return whether the timeline of a run that failed had begun, and its guest came to an end."""
    try:
        return Outcome.from_json(left.text(directory / "guest.json")).epoch_ns != 0
    except FileNotFoundError:
        return False


def _prepare_report() -> None:
    from lab import report

    report.prepare()
    console()


def _point_latest(directory: Path) -> None:
    """Point runs/latest at the last run without --out."""
    latest = directory.parent / "latest"
    with writing(latest):
        with contextlib.suppress(FileNotFoundError):
            latest.unlink()
        latest.symlink_to(directory.name)


class _RunBars(Bars):
    """Progress of runs: virtual time, wall time and their ratio, one line per guest."""

    def __init__(self, names: list[str], duration_ns: int) -> None:
        self._duration_s = duration_ns / 1e9
        self._names = names
        super().__init__([(f"{name}: waiting", self._duration_s) for name in names])

    def update(self, number: int, progress: RunProgress) -> None:
        """Show how far run ``number`` is."""
        text = f"{self._names[number]}: {_describe(progress, self._duration_s)}"
        self.show(number, text, (progress.virtual_ns or 0) / 1e9, self._duration_s)


def _describe(progress: RunProgress, duration_s: float) -> str:
    """Return ``12.3 of 30 s virtual, 4.5 s wall, 2.7x``."""
    if progress.virtual_ns is None:
        return f"booting, {progress.wall_s:.1f} s wall"
    virtual_s = min(progress.virtual_ns / 1e9, duration_s)
    ratio = virtual_s / progress.wall_s if progress.wall_s else 0.0
    return f"{virtual_s:.1f} of {duration_s:g} s virtual, {progress.wall_s:.1f} s wall, {ratio:.1f}x"
