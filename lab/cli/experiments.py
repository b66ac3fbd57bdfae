# SPDX-License-Identifier: MIT
"""The verbs of experiments: reproduce, compare."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lab import runs
from lab.cli.terminal import TrialBar, console, describe_interrupted, reporter
from lab.errors import HostError, InputError

if TYPE_CHECKING:
    from lab.experiments.output.more import More
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
    one_at_a_time: Changed | None = None,
    kernel: str | None = None,
) -> int:
    """Run the trials that are not stored, summarize, check claims, draw; returns the exit status."""
    from lab.experiments.file import resolve
    from lab.experiments.file.grid import check_size
    from lab.experiments.run import engine

    check_scheduler(scheduler)
    started_s = time.monotonic()
    resolved = resolve.load(experiment, only=only, reps=reps)
    beyond = [_beyond(resolved, one) for one in (sensitivity, one_at_a_time) if one is not None]  # and its mistakes
    if most is not None:
        for one in (resolved, *(analysis.experiment for analysis in beyond)):
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
                kernel=kernel,
            )

    run = run_all(resolved, "failed")
    from lab.experiments.output import files, tables
    from lab.experiments.results import assemble

    results = assemble(resolved, run, _command(), time.monotonic() - started_s)
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
    except HostError as error:  # a full disk, for example: show the results anyway
        unwritten = error
    if as_json:
        files.print_json(files.to_json(results, more))
    else:
        console().print(tables.tables(results, more))
    _remark(results, extra, time.monotonic() - started_s, as_json)
    if unwritten:
        raise unwritten
    if not as_json:
        written = [name for one in more for name in one.written]
        print(f"report: {page}" + (f"; beside it {', '.join(written)}" if written else ""))
    return 0 if results.passed else 1


@dataclass(frozen=True)
class Places:
    """The options of a sensitivity analysis."""

    count: int
    vary: tuple[str, ...]  # names of parameters; none: all
    reps: int  # trials of each point in each place


@dataclass(frozen=True)
class Changed:
    """The option ``--one-at-a-time``."""

    vary: tuple[str, ...]  # names of changes; none: all


@dataclass(frozen=True)
class _Beyond:
    """An analysis of claims that needs trials of its own."""

    experiment: Experiment  # its trials
    failed: str  # directory of those that fail
    more: Callable[[Sequence[Outcome], Sequence[Outcome]], More]  # from those of the experiment itself and these


def _beyond(experiment: Experiment, options: Places | Changed) -> _Beyond:
    """Prepare an analysis.

    Raises:
        InputError: there is nothing to vary or to change, it cannot be set, or there are no claims.
    """
    option = "--sensitivity" if isinstance(options, Places) else "--one-at-a-time"
    if not experiment.claims:
        why = "--only leaves out points that they need" if experiment.unjudged else "the experiment has none"
        raise InputError(f"{option} judges claims, but {why}")
    return _in_places(experiment, options) if isinstance(options, Places) else _with_changes(experiment, options)


def _in_places(experiment: Experiment, options: Places) -> _Beyond:
    """Draw places from the ranges of an experiment's uncertain parameters."""
    from lab.experiments.sensitivity import files
    from lab.experiments.sensitivity.analysis import analyse
    from lab.experiments.sensitivity.parameters import effective, parameters, select
    from lab.experiments.sensitivity.sample import in_all, places, try_all

    varied = effective(select(parameters(experiment), options.vary), experiment)
    if not varied:
        raise InputError("--sensitivity: the experiment itself sets all that is uncertain, so nothing is left to vary")
    found = places(varied, options.count, experiment.seed)
    whole = in_all(experiment, varied, found, options.reps)
    try_all(whole)

    def more(_: Sequence[Outcome], outcomes: Sequence[Outcome]) -> More:
        return files.more(analyse(experiment, varied, found, outcomes, options.reps, experiment.seed))

    return _Beyond(whole, "failed-in-places", more)


def _with_changes(experiment: Experiment, options: Changed) -> _Beyond:
    """List the changes of an experiment."""
    from lab.experiments.changes import show
    from lab.experiments.changes.analysis import analyse, in_all
    from lab.experiments.changes.listed import changes, try_all

    found = changes(experiment, options.vary)
    try_all(experiment, found)

    def more(base: Sequence[Outcome], outcomes: Sequence[Outcome]) -> More:
        return show.more(analyse(experiment, base, found, outcomes))

    return _Beyond(in_all(experiment, found), "failed-with-changes", more)


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


def _remark(results: Results, extra: Sequence[Outcome], wall_s: float, as_json: bool) -> None:
    """Print what the tables do not show; only remarks if standard output is JSON.

    ``extra``: outcomes beyond the experiment's own.
    """
    from lab.experiments.output.trials import remarks
    from lab.numbers import count

    for line in remarks(results):
        print(line, file=sys.stderr)
    if as_json:
        return
    outcomes = [*results.outcomes, *extra]
    stored = sum(outcome.cached for outcome in outcomes)
    print(f"{count(len(outcomes) - stored, 'trial')} run, {stored} taken from the store, in {wall_s:.1f} s")


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
