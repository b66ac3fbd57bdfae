# SPDX-License-Identifier: MIT
"""Runs one trial in its own temporary directory: in a worker of dask.distributed on any machine, or in this process.

A worker first checks that its build equals the caller's. Its guest ends with it, even if it is killed
(lab.machine.process). When a trial is cancelled (the sweep was interrupted, or its process has ended), the worker
notices soon, and ends the guest. One job at a time needs no dask, whose import and processes take longer than a short
trial.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from lab import library, runs
from lab.builders.image.node_image import built_image
from lab.builders.kernel.chosen import built_kernel
from lab.builders.stack.stack import built_stack
from lab.cache.report import LineReport
from lab.errors import LabError, RunError
from lab.experiments.run import store
from lab.experiments.run.trials import Answer, Failed, Finished, Job, Refused, pack_directory
from lab.machine.uses import Uses
from lab.machine.watch import RunProgress, tails
from lab.runs import provenance
from lab.runs.pool import CancelledError, Threads
from lab.shared.types import Plan

_TRACEBACK_CALLS = 3

_making = threading.Lock()


class Unwanted(LabError):
    """The trial was cancelled."""


def machine_here() -> runs.Machine:
    """Return the machine that this process boots; before the first trial, build it unless it is cached."""
    with _making:  # only one of several threads builds
        return _machine()


@lru_cache(1)
def _machine() -> runs.Machine:
    runs.prepare()  # clean up after a killed worker, which this one may replace
    return runs.ensure_machine(LineReport(sys.stderr))


def _with_stack(machine: runs.Machine, name: str, sha256: str | None) -> runs.Machine:
    """Return the machine with the code of a stack: the caller's if it is cached, otherwise built here.

    So a worker on the same machine does not need the path of the files, which may be in a folder of the user.
    """
    built = built_stack(name, sha256)
    if built:
        return replace(machine, stacks={name: built})
    code = library.code_called(name)
    if not code:
        return machine
    with _making:
        return runs.with_stacks(machine, [code], LineReport(sys.stderr))


def _with_images(machine: runs.Machine, plan: Plan, wanted: dict[str, str | None]) -> runs.Machine:
    """Return the machine with node images: the caller's where they are cached, otherwise built here."""
    if not plan.images():
        return machine
    cached = {name: built_image(name, wanted.get(provenance.image_entry(name))) for name in plan.images()}
    found = {name: image for name, image in cached.items() if image}
    with _making:
        return runs.with_images(
            replace(machine, node_images=found, image_folders=plan.image_folders), plan, LineReport(sys.stderr)
        )


def work(plan: str, wanted: dict[str, str | None], folders: Sequence[str] = ()) -> Answer:
    """Run one trial, as a task of dask; ``folders``: those of the caller's workloads with code next to them.

    Raises:
        HostError, BuildError: If this machine cannot run guests at all.
        Unwanted: If the task was cancelled.
    """
    from distributed.worker import get_worker

    for folder in folders:
        library.remember_code(Path(folder))
    worker = get_worker()
    task = worker.get_current_task()

    def unwanted() -> bool:
        state = worker.state.tasks.get(task)
        return state is None or state.state == "cancelled" or worker.status.name not in ("running", "paused")

    name = f"{worker.address} on {platform.node()}"
    return perform(plan, wanted, name, Path(worker.local_directory), unwanted)


def perform(
    plan: str,
    wanted: dict[str, str | None],
    name: str,
    place: Path,
    unwanted: Callable[[], bool] = lambda: False,
) -> Answer:
    """Run a plan (JSON) in a directory below ``place``, unless its hashes differ from the caller's, ``wanted``.

    ``name`` is that of this worker. ``unwanted`` is called repeatedly, and returns whether to stop.
    """
    plan_ = Plan.from_json(plan)
    machine = machine_here()
    if plan_.stack:
        machine = _with_stack(machine, plan_.stack, wanted.get(provenance.stack_entry(plan_.stack)))
    machine = _with_images(machine, plan_, wanted)
    own = provenance.hashes(Uses.of(plan_), machine)
    if own.get("kernel") != wanted.get("kernel"):  # the caller chose one, or one with modules of a stack
        kernel = built_kernel(wanted.get("kernel"), wanted.get("series"))
        machine = replace(machine, kernel=kernel) if kernel else machine
        own = provenance.hashes(Uses.of(plan_), machine)
    if own != wanted:
        parts = sorted(own.keys() | wanted.keys())
        differing = {part: (wanted.get(part), own.get(part)) for part in parts if wanted.get(part) != own.get(part)}
        return Refused(name, differing)
    with tempfile.TemporaryDirectory(prefix="trial-", dir=place, ignore_cleanup_errors=True) as directory:
        return _run(plan_, machine, Path(directory), unwanted)


def _run(plan: Plan, machine: runs.Machine, directory: Path, unwanted: Callable[[], bool]) -> Answer:
    def look(progress: RunProgress) -> None:
        if unwanted():
            raise Unwanted("ended because it was cancelled")

    began_s, console = time.monotonic(), [directory / "console.log"]
    try:
        found = runs.run_plan(plan, machine, directory, look)
        from lab.record.record import to_json

        record = store.pack(to_json(found.data))
    except Unwanted:
        raise
    except RunError as error:  # it shows the logs that explain why
        failure = str(error)
    except LabError as error:
        failure = f"{error}{tails(console)}"
    except Exception as error:  # such as a bug in a parser: it fails only this trial
        calls = traceback.format_tb(error.__traceback__)[-_TRACEBACK_CALLS:]
        failure = f"{type(error).__name__}: {error}\n{''.join(calls).rstrip()}{tails(console)}"
    else:
        wall_s = time.monotonic() - began_s
        return Finished(store.Kept(record, plan.duration_ns / 1e9, wall_s, found.wall["wall_s"]))
    return Failed(failure, str(directory), pack_directory(directory), time.monotonic() - began_s)


def in_process() -> Threads[Job, Answer]:
    """Return the worker of a sweep with one job on this machine. Always ``close`` it."""
    return Threads(1, _work)


def _work(job: Job, raise_if_cancelled: Callable[[], None]) -> Answer:
    def unwanted() -> bool:
        try:
            raise_if_cancelled()
        except CancelledError:
            return True
        return False

    return perform(job.plan, job.hashes, platform.node(), Path(tempfile.gettempdir()), unwanted)
