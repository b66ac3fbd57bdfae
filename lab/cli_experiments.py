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

from lab import runs
from lab.terminal import TrialBar, console

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
    """Run what the store does not have, sum up, judge, draw; returns the exit status."""
    from lab.experiments.file import resolve
    from lab.experiments.file.grid import check_size
    from lab.experiments.run import engine

    started_s = time.monotonic()
    resolved = resolve.load(experiment, only=only, reps=reps)
    if most is not None:
        check_size(resolved, most)
    directory = runs.new_directory(resolved.name.replace("/", "-"), out)
    with _kept(directory), TrialBar() as bar:
        run = engine.run(
            resolved, jobs=jobs, scheduler=scheduler, fresh=fresh, keep=directory / "failed", tell=bar.tell
        )
    from lab.experiments.results import assemble
    from lab.experiments.write import output, tables

    results = assemble(resolved, run, _command(), time.monotonic() - started_s)
    page = output.write(results, directory)
    if as_json:
        output.print_json(output.to_json(results))
    else:
        console().print(tables.tables(results))
        _remark(results)
        print(f"report: {page}")
    return 0 if results.passed else 1


def _command() -> str:
    return shlex.join(["lab", *sys.argv[1:]])


@contextlib.contextmanager
def _kept(directory: Path) -> Iterator[None]:
    """An interrupted sweep leaves no empty directory; what was run is in the store."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            directory.rmdir()
        raise


def _remark(results: Results) -> None:
    """What is not in the tables."""
    for outcome in results.outcomes:
        if outcome.remark:
            print(f"{outcome.command}: {outcome.remark}", file=sys.stderr)
    stored = sum(outcome.cached for outcome in results.outcomes)
    ran = len(results.outcomes) - stored
    print(f"{ran} trials run, {stored} taken from the store, in {results.wall_s:.1f} s")


def compare(first: Path, second: Path, *, as_json: bool) -> int:
    """Tell what differs between two results of one experiment; returns the exit status."""
    from lab.experiments.numbers.compare import compare as differences
    from lab.experiments.write import compared, output

    found = differences(output.read(first), output.read(second))
    if as_json:
        output.print_json(output.encoded(compared.as_json(found)))
    else:
        console().print(compared.rich_tables(found))
    return 0
