# SPDX-License-Identifier: MIT
"""``lab reproduce``: from its options to the results of an experiment, with its claims judged and its files written."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from lab import runs
from lab.errors import HostError, InputError
from lab.experiments.analysis import claims
from lab.experiments.analysis.statistics import rows_of
from lab.experiments.file import resolve
from lab.experiments.file.grid import check_size
from lab.experiments.output import files
from lab.experiments.run import engine
from lab.experiments.types import PLACE, Experiment, Repetitions, Results, TrialOutcome
from lab.experiments.variations import changes, judged, show, uncertain
from lab.experiments.variations.changes import Change, Pair
from lab.experiments.variations.show import More
from lab.numbers import count
from lab.terminal import Bars, reporter

_CHANGES = {1: "--one-at-a-time", 2: "--two-at-a-time"}


@dataclass(frozen=True)
class ReproduceOptions:
    """The options of ``lab reproduce``."""

    experiment: str
    out: Path | None = None
    jobs: int = 1
    scheduler: str | None = None
    only: Sequence[str] = ()
    reps: int | None = None
    sensitivity: int | None = None  # number of places
    changed_at_a_time: int = 0  # 1 or 2 things
    vary: tuple[str, ...] = ()  # names of parameters or changes; none: all
    place_reps: int = 1  # trials of each point in each place
    fresh: bool = False
    most: int | None = None  # trials of a grid
    kernel: str | None = None
    command: str = ""  # which gave them, for its results


@dataclass(frozen=True)
class Reproduced:
    """An experiment that has ended."""

    results: Results
    more: list[More]  # analyses of its claims
    extra: list[TrialOutcome]  # their trials
    page: Path | None  # None: not written
    wall_s: float
    unwritten: HostError | None  # a full disk, for example: its results are worth showing anyway


def reproduce(options: ReproduceOptions) -> Reproduced:
    """Run the trials that are not stored, summarize, check claims, draw.

    Raises:
        InputError, InputErrors: If there are mistakes in what the user wrote.
        BuildError, HostError: If something cannot be built, or the host lacks something.
    """
    _check(options)
    started_s = time.monotonic()
    resolved = resolve.load(options.experiment, only=options.only, reps=options.reps)
    varied = _varied(resolved, options)  # and its mistakes
    if options.most is not None:
        for one in (resolved, *([varied.experiment] if varied else [])):
            check_size(one, options.most)
    directory = runs.new_directory(resolved.name.replace("/", "-"), options.out)

    def run_all(which: Experiment, failed: str) -> engine.SweepResult:
        bar = _TrialBar()
        with _explaining_interrupts(directory, bar, options.fresh), bar:
            return engine.run(
                which,
                jobs=options.jobs,
                scheduler=options.scheduler,
                fresh=options.fresh,
                keep=directory / failed,
                reporter=reporter,
                on_progress=bar.update,
                kernel=options.kernel,
            )

    run = run_all(resolved, "failed")
    results = assemble(resolved, run, options.command, time.monotonic() - started_s)
    page: Path | None = None
    more: list[More] = []
    extra: list[TrialOutcome] = []
    unwritten: HostError | None = None
    try:
        page = files.write(results, directory)
        if varied:
            extra += run_all(varied.experiment, varied.failed).outcomes
            more.append(varied.more(run.outcomes, extra))
            page = files.write(results, directory, more=more)
    except HostError as error:
        unwritten = error
    return Reproduced(results, more, extra, page, time.monotonic() - started_s, unwritten)


def assemble(experiment: Experiment, run: engine.SweepResult, command: str, wall_s: float) -> Results:
    """Return the results of a run of all trials, by a ``lab reproduce`` command."""
    results = Results(
        experiment=experiment,
        rows=tuple(rows_of(experiment, run.outcomes)),
        verdicts=(),
        outcomes=tuple(run.outcomes),
        hashes=run.hashes,
        versions=run.versions,
        command=command,
        wall_s=wall_s,
    )
    places = results.by_place()
    verdicts = tuple(
        replace(claims.judge(claim, found.experiment, found.rows), place=place)
        for claim in experiment.claims
        for place, found in places.items()
    )
    return replace(results, verdicts=verdicts)


def _check(options: ReproduceOptions) -> None:
    """Refuse options that do not go together, and the address of a dashboard instead of a scheduler's.

    Raises:
        InputError: If there are any.
    """
    if options.sensitivity is not None and options.changed_at_a_time:
        raise InputError(
            f"--sensitivity and {_CHANGES[options.changed_at_a_time]}: run one after the other; trials are stored"
        )
    if options.sensitivity is None and options.place_reps != 1:
        raise InputError("--place-reps needs --sensitivity N")
    if options.sensitivity is None and not options.changed_at_a_time and options.vary:
        raise InputError("--vary needs --sensitivity N, --one-at-a-time or --two-at-a-time")
    parts = urlsplit(options.scheduler or "")
    if parts.scheme in ("http", "https"):
        raise InputError(
            f"--dask {options.scheduler}: this is the address of a dashboard, not of a scheduler",
            hint=f"write --dask tcp://{parts.hostname or 'host'}:8786, or what dask scheduler prints as its address",
        )


@dataclass(frozen=True)
class _Varied:
    """An analysis of claims that needs its own trials."""

    experiment: Experiment  # its trials
    failed: str  # directory of those that fail
    more: Callable[
        [Sequence[TrialOutcome], Sequence[TrialOutcome]], More
    ]  # from those of the experiment itself and these


def _varied(experiment: Experiment, options: ReproduceOptions) -> _Varied | None:
    """Prepare the analysis that was asked for.

    Raises:
        InputError: If there is nothing to vary or to change, it cannot be set, or there are no claims.
    """
    if options.sensitivity is None and not options.changed_at_a_time:
        return None
    option = _CHANGES.get(options.changed_at_a_time, "--sensitivity")
    if experiment.places:
        known = " or ".join(f"--only {PLACE}={place}" for place in experiment.places)
        raise InputError(f"{option} judges claims in one place; add {known}")
    if not experiment.claims:
        why = "--only leaves out points that they need" if experiment.unjudged else "the experiment has none"
        raise InputError(f"{option} judges claims, but {why}")
    if options.sensitivity is None:
        found = _changes(experiment, options)
        changes.try_all(experiment, found)
        return _Varied(
            changes.in_all(experiment, [change.at for change in found]),
            "failed-with-changes",
            lambda base, outcomes: show.of_changes(
                judged.with_changes(experiment, base, found, outcomes), options.changed_at_a_time
            ),
        )
    parameters = uncertain.parameters(experiment, options.vary)
    places = uncertain.places(parameters, options.sensitivity, experiment.seed)
    reps = options.place_reps
    whole = changes.in_all(experiment, [place.at for place in places], Repetitions(reps, reps))
    uncertain.try_all(whole)
    return _Varied(
        whole,
        "failed-in-places",
        lambda _, outcomes: show.of_places(judged.in_places(experiment, parameters, places, outcomes, reps)),
    )


def _changes(experiment: Experiment, options: ReproduceOptions) -> list[Change | Pair]:
    """Return the changes that were asked for, and the pairs of them.

    Raises:
        InputError: If there are none, or a name is unknown.
    """
    single = uncertain.changes(experiment, options.vary)
    if options.changed_at_a_time == 1:
        return [*single]
    paired = changes.pairs(single)
    if not paired:
        raise InputError(
            "--two-at-a-time: no two of these changes can be made together: " + ", ".join(one.label for one in single)
        )
    return [*single, *paired]


@contextlib.contextmanager
def _explaining_interrupts(directory: Path, bar: _TrialBar, fresh: bool) -> Iterator[None]:
    """Tell the user who interrupts a sweep how many trials are stored; remove its directory if that is empty."""
    try:
        yield
    except BaseException as error:
        with contextlib.suppress(OSError):
            directory.rmdir()
        if isinstance(error, KeyboardInterrupt):
            print(describe_interrupted(bar.last, fresh=fresh), file=sys.stderr)
        raise


class _TrialBar(Bars):
    """engine.Progress of an experiment: trials done and failed, time left, virtual and wall time."""

    def __init__(self) -> None:
        super().__init__([("", None)])
        self.last: engine.SweepProgress | None = None

    def update(self, sweep: engine.SweepProgress) -> None:
        """Show how far it is."""
        self.last = sweep
        self.show(0, describe_sweep(sweep), sweep.done, sweep.total)


def describe_sweep(sweep: engine.SweepProgress) -> str:
    """Return ``12 of 30 trials, 1 failed, 40 s left; 240 s virtual, 31 s wall``."""
    failed = f", {sweep.failed} failed" if sweep.failed else ""
    left = "" if sweep.eta_s is None or sweep.done >= sweep.total else f", {sweep.eta_s:.0f} s left"
    done = f"{sweep.done} of {count(sweep.total, 'trial')}{failed}{left}"
    return f"{done}; {sweep.virtual_s:.0f} s virtual, {sweep.wall_s:.0f} s wall"


def describe_interrupted(sweep: engine.SweepProgress | None, *, fresh: bool) -> str:
    """Describe what an interrupted sweep has stored: ``3 of 30 trials are stored; …``.

    ``fresh``: it also ran stored trials.
    """
    stored = sweep.done - sweep.failed if sweep else 0
    if not sweep or not stored:
        return "no trial has finished; repeat the command to start again"
    are = "is" if stored == 1 else "are"
    command = "the command without --fresh" if fresh else "the command"
    return f"{stored} of {sweep.total} trials {are} stored; repeat {command} to continue"
