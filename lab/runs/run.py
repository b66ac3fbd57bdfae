# SPDX-License-Identifier: MIT
"""One run: a guest until its end, then the record of its output."""

from __future__ import annotations

import contextlib
import importlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from lab import left
from lab.errors import LabError, RunError, writing
from lab.machine.channel import Channel
from lab.machine.guest import Guest, OnProgress
from lab.machine.machine import Machine
from lab.machine.processor import processor
from lab.machine.uses import Uses
from lab.machine.watch import STALL_S, RunProgress, WallTimes
from lab.runs.limits import Limits, too_long
from lab.runs.start import started
from lab.shared.outcome import Outcome
from lab.shared.types import Plan

if TYPE_CHECKING:
    from lab.record import Record

Meanwhile = Callable[[], None]  # work to do while a guest runs; the guest does not wait for it
# virtual time stands still while processes start together, which takes some of them up to a second each
_FEW_PROCESSES, _START_S = 30, 1.0
_TRANSIENT = ("pulse", "started")  # used only while a guest runs


def run_plan(
    plan: Plan,
    machine: Machine,
    directory: Path,
    on_progress: OnProgress = lambda progress: None,
    stall_s: float = STALL_S,
    meanwhile: Meanwhile = lambda: None,
    timeout_s: float | None = None,
) -> Record:
    """Run a plan in ``directory`` (empty) and record it.

    To run many plans, call this for each with one ``machine``: then modules are imported only once.

    ``on_progress`` is called repeatedly while the guest runs; an exception of it ends the run. ``meanwhile`` is called
    once the guest has been started. The run has failed after ``stall_s`` without progress of virtual time
    (lab.machine.standstill says what counts), or after ``timeout_s`` of wall time (None: it may take as long as it
    needs).

    Raises:
        RunError: If the guest or a process in it failed, or exceeded a limit; its files stay in the directory.
        HostError: If a file cannot be written, or no directory suits the guest's memory.
    """

    def while_it_runs() -> None:
        importlib.import_module("lab.record")
        importlib.import_module("lab.runs.provenance")
        meanwhile()

    walls = boot(plan, machine, directory, on_progress, stall_s, while_it_runs, timeout_s)
    return recorded(plan, machine, directory, walls, timeout_s)


def recorded(plan: Plan, machine: Machine, directory: Path, walls: WallTimes, timeout_s: float | None = None) -> Record:
    """Record a run whose guest is off.

    Raises:
        HostError: If a file cannot be written.
        RunError: If ``timeout_s`` of wall time have passed since the guest's start.
    """
    began_s = time.monotonic() - walls.wall_s

    def in_time() -> None:
        if timeout_s is not None and time.monotonic() - began_s > timeout_s:
            raise too_long(plan, timeout_s, "while its output was read")

    write_wall(directory, walls)
    from lab import record
    from lab.runs import provenance

    uses = Uses.of(plan)
    versions, hashes = provenance.versions(uses, machine), provenance.hashes(uses, machine)
    return record.build(directory, versions=versions, hashes=hashes, between=in_time)


def boot(
    plan: Plan,
    machine: Machine,
    directory: Path,
    on_progress: OnProgress = lambda progress: None,
    stall_s: float = STALL_S,
    meanwhile: Meanwhile = lambda: None,
    timeout_s: float | None = None,
) -> WallTimes:
    """Boot a guest for the plan and follow it to its end; see ``run_plan``."""
    stall_s += _START_S * max(0, len(plan.processes) - _FEW_PROCESSES)
    limits = Limits(plan, directory, timeout_s)

    def look(progress: RunProgress) -> None:
        limits.look(progress)
        on_progress(progress)

    with booted(plan, machine, directory, stall_s) as guest:
        meanwhile()
        walls = guest.follow(look)
        limits.judge()
    return walls


@contextlib.contextmanager
def booted(
    plan: Plan,
    machine: Machine,
    directory: Path,
    stall_s: float = STALL_S,
    mode: str = "run",
    channel: Channel | None = None,
) -> Iterator[Guest]:
    """Start the guest of a plan, end it with the context, and leave the files of the run in order; see ``started``.

    Raises:
        RunError: If the capture of the air is damaged.
        HostError: If a file cannot be written, or no directory suits the guest's memory.
    """
    started_here = False  # otherwise the directory may be that of another run
    try:
        with started(plan, machine, directory, stall_s, mode=mode, channel=channel) as guest:
            started_here = True
            yield guest
    except LabError:
        if started_here:
            with contextlib.suppress(LabError):  # report the failure of the run instead
                _split_air(plan, directory)
        raise
    finally:
        for name in _TRANSIENT if started_here else ():
            (directory / name).unlink(missing_ok=True)
    _split_air(plan, directory)


def _split_air(plan: Plan, directory: Path) -> None:
    """Split the guest's capture of the air into one file per channel, up to the timeline's end.

    Raises:
        RunError: If the capture is damaged.
        HostError: If the disk is full.
    """
    if not plan.pcap:
        return
    from lab import captures

    try:
        began_ns = Outcome.from_json(left.text(directory / "guest.json")).epoch_ns  # 0: the timeline did not begin
    except FileNotFoundError:
        began_ns = 0
    raw = directory / "raw"
    try:
        with writing(raw / captures.FILES):
            captures.split(raw, began_ns + plan.duration_ns if began_ns else None)
    except captures.AirError as error:
        raise RunError(f"--pcap {plan.pcap}: {raw}/{error}") from None


def write_wall(directory: Path, walls: WallTimes) -> None:
    """Write wall.json; raise HostError if the disk is full, or the directory is not writable."""
    import platform  # while the guest runs, there is time

    host = {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "processor": asdict(processor()),
    }
    text = json.dumps({**asdict(walls), "host": host, "finished_at": time.strftime("%Y-%m-%dT%H:%M:%S%z")}, indent=2)
    path = directory / "wall.json"
    with writing(path):
        path.write_text(text + "\n")
