# SPDX-License-Identifier: MIT
"""The verbs of experiments: reproduce, compare."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lab import runs
from lab.cli.terminal import TrialBar, console, describe_interrupted, reporter
from lab.errors import HostError, InputError

if TYPE_CHECKING:
    from lab.experiments.types import Results


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
) -> int:
    """Run the trials that are not stored, summarize, check claims, draw; returns the exit status."""
    from lab.experiments.file import resolve
    from lab.experiments.file.grid import check_size
    from lab.experiments.run import engine

    check_scheduler(scheduler)
    started_s = time.monotonic()
    resolved = resolve.load(experiment, only=only, reps=reps)
    if most is not None:
        check_size(resolved, most)
    directory = runs.new_directory(resolved.name.replace("/", "-"), out)
    bar = TrialBar()
    with _kept(directory), _interruptible(bar), bar:
        run = engine.run(
            resolved,
            jobs=jobs,
            scheduler=scheduler,
            fresh=fresh,
            keep=directory / "failed",
            reporter=reporter,
            on_progress=bar.update,
        )
    from lab.experiments.output import files, tables
    from lab.experiments.results import assemble

    results = assemble(resolved, run, _command(), time.monotonic() - started_s)
    unwritten: HostError | None = None
    try:
        page = files.write(results, directory)
    except HostError as error:  # a full disk, for example: show the results anyway
        unwritten = error
    if as_json:
        files.print_json(files.to_json(results))
    else:
        console().print(tables.tables(results))
    _remark(results, as_json)
    if unwritten:
        raise unwritten
    if not as_json:
        print(f"report: {page}")
    return 0 if results.passed else 1


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
def _interruptible(bar: TrialBar) -> Iterator[None]:
    """Tell the user who interrupts a sweep how many trials are stored."""
    try:
        yield
    except KeyboardInterrupt:
        print(describe_interrupted(bar.last), file=sys.stderr)
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
