# SPDX-License-Identifier: MIT
"""``lab reproduce``: from its options to the results of an experiment, with its claims judged and its files written."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lab import runs
from lab.errors import HostError, InputError
from lab.experiments.file import resolve
from lab.experiments.file.grid import check_size
from lab.experiments.output import files
from lab.experiments.output.more import More
from lab.experiments.results import assemble
from lab.experiments.run import engine
from lab.experiments.types import Experiment, Outcome, Results
from lab.numbers import count
from lab.terminal import Bars, reporter


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
    one_at_a_time: bool = False
    vary: tuple[str, ...] = ()  # names of parameters or changes; none: all
    place_reps: int = 1  # trials of each point in each place
    fresh: bool = False
    most: int | None = None  # trials of a grid
    kernel: str | None = None


@dataclass(frozen=True)
class Reproduced:
    """An experiment that has ended."""

    results: Results
    more: list[More]  # analyses of its claims
    extra: list[Outcome]  # their trials
    page: Path | None  # None: not written
    wall_s: float
    unwritten: HostError | None  # a full disk, for example: its results are worth showing anyway


def reproduce(options: ReproduceOptions) -> Reproduced:
    """Run the trials that are not stored, summarize, check claims, draw.

    Raises:
        InputError, InputErrors: Mistakes in what the user wrote.
        BuildError, HostError: Something cannot be built, or the host lacks something.
    """
    _check(options)
    started_s = time.monotonic()
    resolved = resolve.load(options.experiment, only=options.only, reps=options.reps)
    beyond = _beyond(resolved, options)  # and its mistakes
    if options.most is not None:
        for one in (resolved, *(analysis.experiment for analysis in beyond)):
            check_size(one, options.most)
    directory = runs.new_directory(resolved.name.replace("/", "-"), options.out)

    def run_all(which: Experiment, failed: str) -> engine.Run:
        bar = _TrialBar()
        with _kept(directory), _interruptible(bar, options.fresh), bar:
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
    results = assemble(resolved, run, shlex.join(["lab", *sys.argv[1:]]), time.monotonic() - started_s)
    page: Path | None = None
    more: list[More] = []
    extra: list[Outcome] = []
    unwritten: HostError | None = None
    try:
        page = files.write(results, directory)
        for analysis in beyond:
            outcomes = run_all(analysis.experiment, analysis.failed).outcomes
            extra += outcomes
            more.append(analysis.more(run.outcomes, outcomes))
            page = files.write(results, directory, more=more)
    except HostError as error:
        unwritten = error
    return Reproduced(results, more, extra, page, time.monotonic() - started_s, unwritten)


def _check(options: ReproduceOptions) -> None:
    """Refuse options that do not go together, and the address of a dashboard instead of a scheduler's.

    Raises:
        InputError: There are such.
    """
    if options.sensitivity is not None and options.one_at_a_time:
        raise InputError("--sensitivity and --one-at-a-time: run one after the other; trials are stored")
    if options.sensitivity is None and options.place_reps != 1:
        raise InputError("--place-reps needs --sensitivity N")
    if options.sensitivity is None and not options.one_at_a_time and options.vary:
        raise InputError("--vary needs --sensitivity N or --one-at-a-time")
    parts = urlsplit(options.scheduler or "")
    if parts.scheme in ("http", "https"):
        raise InputError(
            f"--dask {options.scheduler}: this is the address of a dashboard, not of a scheduler",
            hint=f"write --dask tcp://{parts.hostname or 'host'}:8786, or what dask scheduler prints as its address",
        )


@dataclass(frozen=True)
class _Beyond:
    """An analysis of claims that needs trials of its own."""

    experiment: Experiment  # its trials
    failed: str  # directory of those that fail
    more: Callable[[Sequence[Outcome], Sequence[Outcome]], More]  # from those of the experiment itself and these


def _beyond(experiment: Experiment, options: ReproduceOptions) -> list[_Beyond]:
    """Prepare the analyses that were asked for.

    Raises:
        InputError: there is nothing to vary or to change, it cannot be set, or there are no claims.
    """
    option = "--one-at-a-time" if options.one_at_a_time else "--sensitivity"
    if options.sensitivity is None and not options.one_at_a_time:
        return []
    if not experiment.claims:
        why = "--only leaves out points that they need" if experiment.unjudged else "the experiment has none"
        raise InputError(f"{option} judges claims, but {why}")
    if options.sensitivity is None:
        return [_with_changes(experiment, options.vary)]
    return [_in_places(experiment, options.sensitivity, options.place_reps, options.vary)]


def _in_places(experiment: Experiment, number: int, reps: int, vary: tuple[str, ...]) -> _Beyond:
    """Draw places from the ranges of an experiment's uncertain parameters."""
    from lab.experiments.sensitivity import files as output
    from lab.experiments.sensitivity.analysis import analyse
    from lab.experiments.sensitivity.parameters import effective, parameters, select
    from lab.experiments.sensitivity.sample import in_all, places, try_all

    varied = effective(select(parameters(experiment), vary), experiment)
    if not varied:
        raise InputError("--sensitivity: the experiment itself sets all that is uncertain, so nothing is left to vary")
    found = places(varied, number, experiment.seed)
    whole = in_all(experiment, varied, found, reps)
    try_all(whole)

    def more(_: Sequence[Outcome], outcomes: Sequence[Outcome]) -> More:
        return output.more(analyse(experiment, varied, found, outcomes, reps, experiment.seed))

    return _Beyond(whole, "failed-in-places", more)


def _with_changes(experiment: Experiment, vary: tuple[str, ...]) -> _Beyond:
    """List the changes of an experiment."""
    from lab.experiments.changes import show
    from lab.experiments.changes.analysis import analyse, in_all
    from lab.experiments.changes.listed import changes, try_all

    found = changes(experiment, vary)
    try_all(experiment, found)

    def more(base: Sequence[Outcome], outcomes: Sequence[Outcome]) -> More:
        return show.more(analyse(experiment, base, found, outcomes))

    return _Beyond(in_all(experiment, found), "failed-with-changes", more)


@contextlib.contextmanager
def _kept(directory: Path) -> Iterator[None]:
    """Remove the directory of an interrupted sweep if it is empty; finished trials are in the store."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            directory.rmdir()
        raise


@contextlib.contextmanager
def _interruptible(bar: _TrialBar, fresh: bool) -> Iterator[None]:
    """Tell the user who interrupts a sweep how many trials are stored."""
    try:
        yield
    except KeyboardInterrupt:
        print(describe_interrupted(bar.last, fresh=fresh), file=sys.stderr)
        raise


class _TrialBar(Bars):
    """engine.Progress of an experiment: trials done and failed, time left, virtual and wall time."""

    def __init__(self) -> None:
        super().__init__([("", None)])
        self.last: engine.Progress | None = None

    def update(self, sweep: engine.Progress) -> None:
        """How far it is."""
        self.last = sweep
        self.show(0, describe_sweep(sweep), sweep.done, sweep.total)


def describe_sweep(sweep: engine.Progress) -> str:
    """``12 of 30 trials, 1 failed, 40 s left; 240 s virtual, 31 s wall``."""
    failed = f", {sweep.failed} failed" if sweep.failed else ""
    left = "" if sweep.eta_s is None or sweep.done >= sweep.total else f", {sweep.eta_s:.0f} s left"
    done = f"{sweep.done} of {count(sweep.total, 'trial')}{failed}{left}"
    return f"{done}; {sweep.virtual_s:.0f} s virtual, {sweep.wall_s:.0f} s wall"


def describe_interrupted(sweep: engine.Progress | None, *, fresh: bool) -> str:
    """Describe what an interrupted sweep has stored: ``3 of 30 trials are stored; …``.

    ``fresh``: it was told to run stored trials again.
    """
    stored = sweep.done - sweep.failed if sweep else 0
    if not sweep or not stored:
        return "no trial has finished; repeat the command to start again"
    are = "is" if stored == 1 else "are"
    command = "the command without --fresh" if fresh else "the command"
    return f"{stored} of {sweep.total} trials {are} stored; repeat {command} to continue"
