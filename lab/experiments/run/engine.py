# SPDX-License-Identifier: MIT
"""Runs an experiment: every point as often as its repetitions require, on parallel workers.

    points -> trials -> (the store, or a worker) -> outcomes -> more trials, where the confidence is not sufficient

lab.runs.pool submits trials to workers as they become free. Each result is stored as soon as it arrives, so an
interrupted sweep can continue where it ended.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import runs
from lab.builders.kernel.chosen import KernelChoice, built_kernel
from lab.cache.report import Report, SilentReport
from lab.errors import HostError, InputError, LabError, flat, raise_all
from lab.experiments.analysis import metrics, sources
from lab.experiments.analysis.statistics import enough
from lab.experiments.file.points import located
from lab.experiments.run import forkserver, trials
from lab.experiments.run.store import DamagedError, Kept, TrialStore
from lab.experiments.run.trials import Answer, Failed, Finished, Job, Refused, unpack_directory
from lab.experiments.types import Experiment, Point, Trial, TrialMetric, TrialOutcome
from lab.machine.uses import Uses
from lab.plan.load import code_of, modules_of
from lab.probes.base import TimeSeries
from lab.report.remarks import remarks as out_of_memory
from lab.runs import provenance
from lab.runs.pool import JobWorkers, Pool
from lab.shared.types import Plan

_AGAIN = "its stored result was damaged ({}), so it was run again"
_NOT_KEPT = "its files cannot be kept in {}: {}"

Hashes = dict[str, str | None]


@dataclass(frozen=True)
class SweepProgress:
    """The progress of a sweep."""

    done: int  # finished trials, including failed ones
    failed: int
    cached: int  # of those: taken from the store
    total: int  # so far: adaptive repetitions may add to it
    virtual_s: float  # timelines of the trials that were run
    wall_s: float  # since the sweep began
    eta_s: float | None  # None until a trial has been run


@dataclass(frozen=True)
class SweepResult:
    """The result of a sweep."""

    outcomes: tuple[TrialOutcome, ...]  # by point, then seed
    hashes: Hashes  # lab.runs.provenance.hashes, of all its plans together
    versions: dict[str, object]


def run(
    experiment: Experiment,
    *,
    jobs: int,
    scheduler: str | None,
    fresh: bool,
    keep: Path,
    reporter: Callable[[], AbstractContextManager[Report]] = lambda: contextlib.nullcontext(SilentReport()),
    on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    store: TrialStore | None = None,
    kernel: str | None = None,
) -> SweepResult:
    """Run the trials of an experiment that are not stored.

    Args:
        experiment: resolved.
        jobs: parallel guests on this machine; ignored with a scheduler, which has its own workers.
        scheduler: address of a dask.distributed scheduler (tcp://host:8786); None: this process if ``jobs`` is 1,
            otherwise a scheduler and workers on this machine.
        fresh: also run stored trials.
        keep: where directories of failed trials go; created if there is one.
        reporter: receives build progress before the sweep begins.
        on_progress: called twice per second, and after every trial.
        store: of finished trials; default: the user's.
        kernel: beginning of the hash of a kernel that has been built; default: that of the checkout.

    Raises:
        InputError: If the kernel does not exist, or a point cannot be planned.
        HostError: If scheduler, worker or space is missing, or the build of a worker differs.
        BuildError: If kernel or image could not be built.
        KeyboardInterrupt: If the user interrupts. Guests and local workers have ended; finished trials are stored.
    """
    runs.prepare()
    stacks, modules = stacks_of(experiment.points), modules_of_all(experiment.points)
    with reporter() as report:
        machine = runs.ensure_machine(report, stacks, KernelChoice(built=kernel, modules=modules))
    if kernel and built_kernel(machine.kernel.sha256, machine.kernel.series_sha256) is None:
        raise InputError(
            f"--kernel {kernel}: this kernel is not in the cache, from which workers take it",
            hint="give the beginning of the hash of one that the lab has built",
        )
    used: dict[Uses, Hashes] = {}

    def hashes(plan: str) -> Hashes:
        nonlocal machine
        made = Plan.from_json(plan)
        uses = Uses.of(made)
        if not machine.has_images(made):
            with reporter() as report:
                machine = runs.with_images(machine, made, report)
        if uses not in used:
            used[uses] = provenance.hashes(uses, machine)
        return used[uses]

    def start() -> JobWorkers[Job, Answer]:
        if scheduler is None and jobs == 1:
            from lab.experiments.run.worker import in_process

            return in_process()
        if scheduler is None:
            forkserver.start()  # while dask is imported here
        from lab.experiments.run import cluster

        return cluster.Workers(jobs, scheduler)

    store = store or TrialStore()
    store.prune()
    sweep = Sweep(experiment, hashes=hashes, store=store, start=start, fresh=fresh, keep=keep, on_progress=on_progress)
    outcomes = sweep.run()
    return SweepResult(outcomes, provenance.combined(used.values()), provenance.all_versions(used, machine))


def stacks_of(points: Sequence[Point]) -> set[Path]:
    """Return the folders of the stacks whose code the plans of these points need.

    Raises:
        InputError: If a stack does not exist.
    """
    differing = _differing(points, "stack")
    found = (code_of(point.topology, point.workload, point.overrides, point.locations) for point in differing)
    return {code for code in found if code}


def modules_of_all(points: Sequence[Point]) -> dict[str, Path]:
    """Return the folders of the kernel modules that the plans of these points need, by name.

    Raises:
        InputError: If a module does not exist, or points need different ones: one kernel serves all.
    """
    differing = _differing(points, "modules")
    found = [modules_of(point.topology, point.workload, point.overrides, point.locations) for point in differing]
    for other in found[1:]:
        if other != found[0]:
            one, two = (", ".join(sorted(names)) or "none" for names in (found[0], other))
            raise InputError(
                f"points of an experiment need different kernel modules: {one}; {two}",
                hint="name all of them in each workload: a kernel may have modules that a run does not use",
            )
    return found[0] if found else {}


def _differing(points: Sequence[Point], key: str) -> list[Point]:
    """Return one point for each value of a key of the workload, as far as workload and overrides determine it."""
    found: dict[tuple[str, ...], Point] = {}
    for point in points:
        names = (text.partition("=")[0].strip().removeprefix("workload.") for text in point.overrides)
        overrides = [text for text, name in zip(point.overrides, names, strict=True) if name.partition(".")[0] == key]
        found.setdefault((point.workload, *overrides), point)
    return list(found.values())


@dataclass
class _Repetitions:
    point: Point
    asked: int  # trials so far, including queued ones
    outcomes: list[TrialOutcome] = field(default_factory=list)


@dataclass
class Sweep:
    """One run of an experiment with a given store and given workers."""

    experiment: Experiment
    hashes: Callable[[str], Hashes]  # of a plan, given as JSON
    store: TrialStore
    start: Callable[[], JobWorkers[Job, Answer]]  # called for the first trial that is not stored
    fresh: bool
    keep: Path
    on_progress: Callable[[SweepProgress], None]
    plan: Callable[[Experiment, Point, int], Trial] = trials.trial
    values: Callable[[Sequence[TrialMetric], Mapping[str, Any]], dict[str, float | None]] = metrics.values
    enough: Callable[..., int] = enough

    def __post_init__(self) -> None:
        self._series = sources.wanted(self.experiment)
        least = self.experiment.repetitions.least
        self._points = {point.number: _Repetitions(point, least) for point in self.experiment.points}
        self._total = least * len(self._points)
        self._pool: Pool[tuple[Point, int], Job, Answer] = Pool(
            [(point, number) for point in self.experiment.points for number in range(least)],
            begin=self._begin,
            ended=self._ended,
            start=self.start,
            tick=self._tick,
        )
        self._running: dict[str, list[Trial]] = {}  # by key: points may share a plan
        self._ours: set[str] = set()  # keys that this sweep has stored
        self._remarks: dict[str, str] = {}
        self._count: Counter[str] = Counter()
        self._virtual_s = 0.0
        self._busy_s = 0.0
        self._began_s = time.monotonic()

    def run(self) -> tuple[TrialOutcome, ...]:
        """Run all trials; see ``lab.experiments.run.engine.run``."""
        self._pool.run()
        found = [outcome for point in self._points.values() for outcome in point.outcomes]
        return tuple(sorted(found, key=lambda outcome: (outcome.point, outcome.seed)))

    def _tick(self) -> None:
        self.on_progress(self._progress())

    def _begin(self, item: tuple[Point, int]) -> Job | None:
        """Plan a trial; take it from the store, or have a worker run it."""
        trial = self._planned(*item)
        hashes = self.hashes(trial.plan)
        key = trials.key(trial.plan, hashes)
        if key in self._running:
            self._running[key].append(trial)
            return None
        kept = self._stored(key)
        if kept:
            self._settle(trial, key, kept=kept, cached=True)
            self._tick()
            return None
        self._running[key] = [trial]
        return Job(key, trial.plan, hashes)

    def _planned(self, point: Point, number: int) -> Trial:
        try:
            return self.plan(self.experiment, point, number)
        except InputError as error:  # not every point of a large grid was checked before
            raise_all([located(one, point) for one in flat(error)])
            raise

    def _stored(self, key: str) -> Kept | None:
        if self.fresh and key not in self._ours:
            return None
        try:
            return self.store.get(key)
        except DamagedError as error:
            self._remarks[key] = _AGAIN.format(error)
            return None

    def _ended(self, job: Job, answer: Answer) -> None:
        key = job.key
        if isinstance(answer, Refused):
            raise _refusal(answer)
        if isinstance(answer, Finished):
            self.store.put(key, answer.kept)
            self._ours.add(key)
            self._virtual_s += answer.kept.virtual_s
            self._busy_s += answer.kept.wall_s
        elif isinstance(answer, Failed):
            self._busy_s += answer.wall_s
        self._count["run"] += 1
        for trial in self._running.pop(key):
            if isinstance(answer, Finished):
                self._settle(trial, key, kept=answer.kept)
            else:
                self._settle(trial, key, answer=answer)

    def _settle(
        self, trial: Trial, key: str, *, kept: Kept | None = None, answer: Answer | None = None, cached: bool = False
    ) -> None:
        """Keep the outcome of a trial, and check whether its point needs more trials."""
        values: dict[str, float | None] = {}
        unfinished: frozenset[str] = frozenset()
        series: dict[str, TimeSeries] = {}
        unmet: tuple[str, ...] = ()
        error, log, wall_s = None, None, 0.0
        remarks = [self._remarks[key]] if key in self._remarks else []
        if kept:
            data = kept.data()
            values, wall_s = self.values(self.experiment.metrics, data), kept.wall_s
            unfinished = metrics.unfinished(self.experiment.metrics, data)
            nothing = [metric for metric in self.experiment.metrics if values[metric.name] is None]
            remarks += metrics.absent(nothing, data) if nothing else []
            remarks += out_of_memory(data)
            series = sources.series(self._series, data) if self._series else {}
            unmet = tuple(check["that"] for check in data.get("checks", []) if not check["passed"])
        elif isinstance(answer, Failed):
            log, wall_s = self._leave(trial, answer, remarks), answer.wall_s
            error = answer.error.replace(answer.directory, log) if log else _without(answer.directory, answer.error)
        else:
            error = getattr(answer, "error", "")
        outcome = TrialOutcome(
            point=trial.point,
            seed=trial.seed,
            key=key,
            command=trial.command,
            values=values,
            series=series,
            error=error,
            log=log,
            virtual_s=kept.virtual_s if kept else 0.0,
            wall_s=wall_s,
            cached=cached,
            unfinished=unfinished,
            remark="; ".join(remarks) or None,
            unmet=unmet,
        )
        self._count.update(done=1, failed=int(kept is None), cached=int(cached))
        repetitions = self._points[trial.point]
        repetitions.outcomes.append(outcome)
        if len(repetitions.outcomes) == repetitions.asked:
            self._ask(repetitions)

    def _leave(self, trial: Trial, answer: Failed, remarks: list[str]) -> str | None:
        """Put the files of a failed trial where the user finds them.

        A full disk does not end the sweep: results are in the store, which may be on another disk.
        """
        directory = self.keep / f"point-{trial.point}-seed-{trial.seed}"
        try:
            unpack_directory(answer.left, directory)
        except OSError as error:
            shutil.rmtree(directory, ignore_errors=True)  # an incomplete copy is useless, and takes space
            with contextlib.suppress(OSError):
                self.keep.rmdir()
            remarks.append(_NOT_KEPT.format(self.keep, error.strerror or error))
            return None
        return str(directory)

    def _ask(self, repetitions: _Repetitions) -> None:
        """Add trials to a point, unless all its metrics are precise; at most as many as it has.

        The first estimate of the deviation may be far too large; doubling refines it on the way.
        """
        rule = self.experiment.repetitions
        if rule.half_width is None:
            return
        by_seed = sorted(repetitions.outcomes, key=lambda outcome: outcome.seed)
        wanted = 0
        for metric in self.experiment.metrics:
            share = rule.share(metric.name)
            values = [found for outcome in by_seed if (found := outcome.values.get(metric.name)) is not None]
            if values and share is not None:  # if no trial has a value, more trials would not either
                wanted = max(wanted, self.enough(values, share, normal=rule.normal) - len(values))
        more = max(0, min(wanted, repetitions.asked, rule.most - repetitions.asked))
        self._pool.waiting.extend((repetitions.point, repetitions.asked + further) for further in range(more))
        repetitions.asked += more
        self._total += more

    def _progress(self) -> SweepProgress:
        lanes = self._pool.workers.lanes() if self._pool.workers else 1
        left = self._total - self._count["done"]
        each_s = self._busy_s / self._count["run"] if self._count["run"] else None
        return SweepProgress(
            done=self._count["done"],
            failed=self._count["failed"],
            cached=self._count["cached"],
            total=self._total,
            virtual_s=self._virtual_s,
            wall_s=time.monotonic() - self._began_s,
            eta_s=None if each_s is None else left * each_s / max(1, lanes),
        )


def _without(directory: str, error: str) -> str:
    """Replace the directory in an error, since it no longer exists."""
    return error.replace(f"{directory}/", "").replace(directory, "its directory")


def _refusal(answer: Refused) -> LabError:
    lines = "".join(
        f"\n    {part}: {(wanted or 'none')[:12]} here, {(own or 'none')[:12]} there"
        for part, (wanted, own) in answer.differing.items()
    )
    return HostError(
        f"worker {answer.worker} cannot run trials of this lab: its build differs{lines}",
        hint="give it the same checkout and the same cache of kernels and images, or end it; "
        "finished trials are stored; repeat the command to continue",
    )
