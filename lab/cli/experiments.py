# SPDX-License-Identifier: MIT
"""The verbs of experiments: reproduce, compare."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lab import runs
from lab.cli.terminal import TrialBar, console, describe_interrupted, reporter
from lab.errors import HostError, InputError

if TYPE_CHECKING:
    from lab.experiments.sensitivity.analysis import Sensitivity
    from lab.experiments.sensitivity.parameters import Parameter
    from lab.experiments.sensitivity.sample import Place
    from lab.experiments.types import Experiment, Outcome, Results


def reproduce(
    experiment: str,
    out: Path | None,
    *,
    as_json: bool,
    jobs: int,
    scheduler: str | None,
    only: Sequence[str],
    reps: int | None,
    fresh: bool,
    most: int | None,
    sensitivity: Places | None = None,
) -> int:
    """Run the trials that are not stored, summarize, check claims, draw; returns the exit status."""
    from lab.experiments.file import resolve
    from lab.experiments.file.grid import check_size
    from lab.experiments.run import engine

    check_scheduler(scheduler)
    started_s = time.monotonic()
    resolved = resolve.load(experiment, only=only, reps=reps)
    drawn = _drawn(resolved, sensitivity) if sensitivity is not None else None  # and all its mistakes
    if most is not None:
        for one in (resolved, *([drawn.experiment] if drawn else [])):
            check_size(one, most)
    directory = runs.new_directory(resolved.name.replace("/", "-"), out)

    def run_all(which: Experiment, failed: str) -> engine.Run:
        bar = TrialBar()
        with _kept(directory), _interruptible(bar, fresh), bar:
            return engine.run(
                which,
                jobs=jobs,
                scheduler=scheduler,
                fresh=fresh,
                keep=directory / failed,
                reporter=reporter,
                on_progress=bar.update,
            )

    run = run_all(resolved, "failed")
    from lab.experiments.output import files, tables
    from lab.experiments.results import assemble

    results = assemble(resolved, run, _command(), time.monotonic() - started_s)
    found: Sensitivity | None = None
    unwritten: HostError | None = None
    try:
        page = files.write(results, directory)
        if drawn:
            found = drawn.analyse(resolved, run_all(drawn.experiment, "failed-in-places").outcomes)
            page = files.write(results, directory, sensitivity=found)
    except HostError as error:  # a full disk, for example: show the results anyway
        unwritten = error
    if as_json:
        files.print_json(files.to_json(results, sensitivity=found))
    else:
        console().print(tables.tables(results, sensitivity=found))
    _remark(results, as_json)
    if unwritten:
        raise unwritten
    if not as_json:
        print(f"report: {page}")
    return 0 if results.passed else 1


@dataclass(frozen=True)
class Places:
    """The options of a sensitivity analysis."""

    count: int
    vary: tuple[str, ...]  # names of parameters; none: all
    reps: int  # trials of each point in each place


@dataclass(frozen=True)
class _Drawn:
    """Drawn places, and the experiment in all of them."""

    parameters: tuple[Parameter, ...]
    places: tuple[Place, ...]
    experiment: Experiment
    reps: int

    def analyse(self, experiment: Experiment, outcomes: Sequence[Outcome]) -> Sensitivity:
        """Judge the claims in each place."""
        from lab.experiments.sensitivity.analysis import analyse

        return analyse(experiment, self.parameters, self.places, outcomes, self.reps, experiment.seed)


def _drawn(experiment: Experiment, options: Places) -> _Drawn:
    """Draw places from the ranges of an experiment's uncertain parameters.

    Raises:
        InputError: It has no such parameters, or they cannot be set, or no claims.
    """
    if not experiment.claims:
        why = "--only leaves out points that they need" if experiment.unjudged else "the experiment has none"
        raise InputError(f"--sensitivity judges claims, but {why}")
    from lab.experiments.sensitivity.parameters import effective, parameters, select
    from lab.experiments.sensitivity.sample import in_all, places, try_all

    varied = effective(select(parameters(experiment), options.vary), experiment)
    if not varied:
        raise InputError("--sensitivity: the experiment itself sets all that is uncertain, so nothing is left to vary")
    found = places(varied, options.count, experiment.seed)
    whole = in_all(experiment, varied, found, options.reps)
    try_all(whole)
    return _Drawn(varied, found, whole, options.reps)


def check_scheduler(address: str | None) -> None:
    """Reject the address of a dashboard, which a scheduler prints next to its own.

    Raises:
        InputError: It begins with http.
    """
    parts = urlsplit(address or "")
    if parts.scheme not in ("http", "https"):
        return
    raise InputError(
        f"--dask {address}: this is the address of a dashboard, not of a scheduler",
        hint=f"write --dask tcp://{parts.hostname or 'host'}:8786, or what dask scheduler prints as its address",
    )


def _command() -> str:
    return shlex.join(["lab", *sys.argv[1:]])


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
def _interruptible(bar: TrialBar, fresh: bool) -> Iterator[None]:
    """Tell the user who interrupts a sweep how many trials are stored."""
    try:
        yield
    except KeyboardInterrupt:
        print(describe_interrupted(bar.last, fresh=fresh), file=sys.stderr)
        raise


def _remark(results: Results, as_json: bool) -> None:
    """Print what the tables do not show; only remarks if standard output is JSON."""
    from lab.experiments.output import remarks
    from lab.numbers import count

    for line in remarks.lines(results):
        print(line, file=sys.stderr)
    if as_json:
        return
    stored = sum(outcome.cached for outcome in results.outcomes)
    ran = len(results.outcomes) - stored
    print(f"{count(ran, 'trial')} run, {stored} taken from the store, in {results.wall_s:.1f} s")


def compare(first: Path, second: Path, *, as_json: bool) -> int:
    """Compare two results of one experiment; returns the exit status."""
    from lab.experiments.analysis.compare import compare as differences
    from lab.experiments.output import compared, files

    found = differences(files.read(first), files.read(second))
    if as_json:
        files.print_json(files.encoded(compared.as_json(found)))
    else:
        console().print(compared.rich_tables(found))
    return 0
