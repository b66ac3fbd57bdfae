# SPDX-License-Identifier: MIT
"""The verbs that boot, run and shell; and report, which rebuilds the report of a finished run."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING, Any

from lab import runs, units
from lab.cli.exchanged import in_order
from lab.cli.terminal import RunBars, console, reporter
from lab.errors import InputError, LabError, RunError, writing
from lab.machine.channel import Channel
from lab.machine.memory import memory_text
from lab.runs.pool import run_all
from lab.runs.start import machine_for, started
from lab.shared.paths import INTERRUPTED, PROMPT
from lab.shared.types import Plan

if TYPE_CHECKING:
    from lab.machine.guest import Answer, Guest
    from lab.record import Record


def execute(
    topology: str,
    workload: str,
    seed: int,
    settings: list[str],
    out: Path | None,
    *,
    pcap: str | None,
    repeat: int,
    jobs: int,
    timeout: str | None,
    as_json: bool,
    junit: Path | None,
    source: Path | None,
    kernel: str | None,
) -> int:
    """Run, record, report; returns the exit status."""
    from lab.plan.load import load

    with _failing_in(junit, lambda error: f"{workload} on {topology}, seed {seed}"):
        timeout_s = None if timeout is None else _wall_s("--timeout", timeout)
        with in_order("run", topology, workload):
            plans = [load(topology, workload, seed + number, settings, pcap=pcap) for number in range(repeat)]
    places = [Path()] * repeat
    with _failing_in(junit, lambda error: _name_of(_failed(plans, places, error) or plans)):
        if (told := memory_text(plans[0])) is not None:
            print(told, file=sys.stderr)
        with reporter() as report:
            machine = machine_for(plans[0], workload, report, source=source, built=kernel)
        seeds = f"seed{seed}" if repeat == 1 else f"seeds{seed}-{plans[-1].seed}"
        name = f"{plans[0].topology}--{plans[0].workload}-{seeds}".replace("/", "-")
        directory = runs.new_directory(name, out)
        places = [directory] if repeat == 1 else [directory / f"seed-{plan.seed}" for plan in plans]
        for place in places:
            with writing(place):
                place.mkdir(exist_ok=True)
        records = _run(plans, places, machine, jobs, directory, timeout_s)
    _point_latest(directory, out)
    if junit is not None:
        from lab.report.junit import document, write

        write(junit, document(records))
    _report(records, places, as_json)
    return 0 if all(record.passed for record in records) else 1


@contextlib.contextmanager
def _failing_in(junit: Path | None, name: Callable[[BaseException], str]) -> Iterator[None]:
    """Write a failure, or an interrupt, to the file of --junit, too: no result of an earlier run must stay there.

    ``name`` returns the name of what failed.

    Raises:
        LabError: the failure.
        KeyboardInterrupt: the interrupt.
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


def _wall_s(option: str, text: str) -> float:
    """The value of an option that is a time.

    Raises:
        InputError: It is not a time.
    """
    try:
        duration_ns = units.DURATION.parse(text, usual="s")
    except units.UnitError as error:
        raise InputError(f"{option}: {error}") from None
    if duration_ns <= 0:
        raise InputError(f'{option}: "{text}" leaves no time to run; write for example 60 s')
    return duration_ns / 1e9


def _run(
    plans: list[Plan],
    places: list[Path],
    machine: runs.Machine,
    jobs: int,
    directory: Path,
    timeout_s: float | None,
) -> list[Record]:
    names = [f"seed {plan.seed}" for plan in plans] if len(plans) > 1 else [plans[0].name]
    try:
        with RunBars(names, plans[0].duration_ns) as bars:
            return run_all(zip(plans, places, strict=True), machine, jobs, bars.update, _prepare_report, timeout_s)
    except KeyboardInterrupt:
        runs.discard(directory)
        raise
    except InputError:  # another run has the directory
        raise
    except LabError as error:
        place = error.directory = error.directory or directory
        report = f"; lab report {place} shows what it measured" if _has_measured(place) else ""
        which = "".join(f" with seed {plan.seed}" for plan in _failed(plans, places, error) if len(plans) > 1)
        print(f"the files of the run{which} are in {place}{report}", file=sys.stderr)
        raise


def _failed(plans: list[Plan], places: list[Path], error: BaseException) -> list[Plan]:
    """The plan whose run failed; none if it was no run that failed."""
    directory = error.directory if isinstance(error, LabError) else None
    return [plan for plan, place in zip(plans, places, strict=True) if place == directory]


def _has_measured(directory: Path) -> bool:
    """Whether the timeline of a run that failed had begun, and its guest came to an end."""
    try:
        return bool(json.loads((directory / "guest.json").read_text())["epoch_ns"])
    except FileNotFoundError:
        return False


def _prepare_report() -> None:
    """Import the modules that show results."""
    from lab import report

    report.prepare()
    console()


def _point_latest(directory: Path, out: Path | None) -> None:
    """Point runs/latest at the last run without --out."""
    if out is not None:
        return
    latest = directory.parent / "latest"
    with writing(latest):
        with contextlib.suppress(FileNotFoundError):
            latest.unlink()
        latest.symlink_to(directory.name)


def _report(records: list[Record], places: list[Path], as_json: bool) -> None:
    from lab import captures, report
    from lab.record.build import COLLECTED

    pages = [report.write(record, place) for record, place in zip(records, places, strict=True)]
    if as_json:
        shown: Any = [
            {**report.as_json(record), "directory": str(place)} for record, place in zip(records, places, strict=True)
        ]
        print(json.dumps(shown[0] if len(shown) == 1 else shown, indent=2, sort_keys=True))
        return
    for record in records[:1] if len(records) == 1 else []:
        console().print(report.tables(record))
    if len(records) > 1:
        _show_repetitions(records)
    for place, page in zip(places, pages, strict=True):
        for capture in sorted((place / "raw").glob(captures.FILES)):
            print(f"capture: {capture}")
        if (place / COLLECTED).is_dir():
            print(f"collected: {place / COLLECTED}")
        print(f"report: {page}")


def _show_repetitions(records: list[Record]) -> None:
    import statistics

    from lab.report.terminal import rich_table
    from lab.tables import Column, Table, words

    columns = [words("metric", "metric"), words("unit", "unit")]
    columns += [Column(key, key) for key in ("mean", "deviation", "min", "max")]
    rows: list[dict[str, Any]] = []
    for name in records[0].metrics:
        means = [record.metrics[name].values["mean"] for record in records]
        values = [mean for mean in means if mean is not None]
        if values:
            row = {
                "metric": name,
                "unit": records[0].metrics[name].unit,
                "mean": statistics.fmean(values),
                "deviation": statistics.stdev(values) if len(values) > 1 else 0.0,
                "min": min(values),
                "max": max(values),
            }
            rows.append(row)
    failed = [record for record in records if not record.passed]
    console().print(rich_table(Table("runs", f"{len(records)} runs", columns, rows)))
    print(f"all checks passed in {len(records) - len(failed)} of {len(records)} runs")


def redraw(directory: Path, *, formats: Iterable[str], as_json: bool) -> int:
    """Rebuild record and report of a finished run from its raw files."""
    from lab import record as records
    from lab import report

    if not directory.is_dir():
        raise InputError(
            f"{directory} is not the directory of a run", hint="`lab run` prints the directory of a run at its end"
        )
    record = records.rebuild(directory)
    page = report.write(record, directory, formats=formats)
    if as_json:
        print(json.dumps(report.as_json(record), indent=2, sort_keys=True))
    else:
        console().print(report.tables(record))
        print(f"report: {page}")
    return 0 if record.passed else 1


def interact(
    topology: str,
    seed: int,
    settings: list[str],
    stack: str | None,
    source: Path | None,
    kernel: str | None,
    timeout: str | None,
) -> int:
    """A prompt on a topology, in real time; with a stack's programs in every node.

    If standard input is no terminal, run its lines instead, in virtual time; the exit status is that of the last one.

    Raises:
        RunError: It took longer than ``timeout`` since the start of its guest.
    """
    from lab.machine import batch
    from lab.machine.scratch import scratch
    from lab.plan.load import load
    from lab.runs.session import WORKLOAD, Session

    timeout_s = None if timeout is None else _wall_s("--timeout", timeout)
    # a prompt has no end, and the topology's timeline does not run here
    settings = [*settings, "workload.duration=24h", "topology.timeline=[]"]
    places = {}
    if stack is not None:
        settings.append(f"workload.stack={stack}")
        places["workload.stack"] = f"--stack {stack}"
    plan = load(topology, WORKLOAD, seed, settings, places=places)
    with reporter() as report:
        machine = machine_for(plan, WORKLOAD, report, source=source, built=kernel)
    with scratch({}) as home, _ending_after(timeout_s):
        directory = home / "session"
        with writing(directory):
            directory.mkdir()
        session = Session(directory, topology, seed, settings, places)
        with Channel() as channel:
            if not os.isatty(0):
                lines = io.FileIO(0, closefd=False)  # without a lock, which the exit would wait for
                start = partial(_batch, plan, machine, directory, channel)
                return batch.run(start, lines, sys.stdout.buffer, session.answer)
            with _terminal_kept(), started(plan, machine, directory, mode="shell", channel=channel) as guest:
                return _wait_for_shell(guest, directory, session.answer)


def _batch(
    plan: Plan, machine: runs.Machine, directory: Path, channel: Channel, console: IO[bytes]
) -> AbstractContextManager[Guest]:
    """A guest for commands from a pipe."""
    return started(plan, machine, directory, mode="batch", console=console, channel=channel)


@contextlib.contextmanager
def _ending_after(timeout_s: float | None) -> Iterator[None]:
    """End what takes longer, whatever it waits for: a command, or the next line.

    Raises:
        RunError: It did.
    """

    def end(_number: int, _frame: FrameType | None) -> None:
        raise RunError(f"--timeout: the shell took more than {timeout_s:g} s of wall time; it was ended")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, timeout_s or 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _terminal_kept() -> Iterator[None]:
    """Leave the terminal as it was: the kernel of a guest that is killed cannot."""
    before = termios.tcgetattr(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _wait_for_shell(guest: Guest, directory: Path, answer: Answer) -> int:
    """Wait until the guest of a prompt is off; returns the exit status.

    Raises:
        KeyboardInterrupt: Ctrl-C came before the prompt.
    """

    def terminate(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)  # the guest ends on the way out

    signal.signal(signal.SIGTERM, terminate)
    interrupted = False
    while True:
        try:
            guest.wait(answer)
            break
        except KeyboardInterrupt:  # the guest received it as well, and ends unless it has a prompt
            interrupted = True
    if (directory / PROMPT.name).exists():
        return 0
    if interrupted or (directory / INTERRUPTED.name).exists():
        raise KeyboardInterrupt
    return 1  # it failed; its console is this terminal
