# SPDX-License-Identifier: MIT
"""Print results: of runs, of experiments, of comparisons."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.errors import InputError, LabError
from lab.runs.command import Runs
from lab.terminal import console, say, unread

if TYPE_CHECKING:
    from lab.experiments.command import Reproduced


def print_runs(ended: Runs, as_json: bool) -> None:
    """Write the reports of runs; print their tables and where their files are."""
    from lab import captures, report
    from lab.record.build import COLLECTED

    records, paths = ended.records, ended.directories
    pages = [report.write(record, path) for record, path in zip(records, paths, strict=True)]
    if as_json:
        shown: Any = [
            {**report.as_json(record), "directory": str(path)} for record, path in zip(records, paths, strict=True)
        ]
        print(json.dumps(shown[0] if len(shown) == 1 else shown, indent=2, sort_keys=True))
        return
    console().print(report.repetitions(records) if len(records) > 1 else report.tables(*records))
    for path, page in zip(paths, pages, strict=True):
        for capture in sorted((path / "raw").glob(captures.FILES)):
            say(f"capture: {capture}")
        if (path / COLLECTED).is_dir():
            say(f"collected: {path / COLLECTED}")
        say(f"report: {page}")


def print_reproduced(done: Reproduced, as_json: bool) -> None:
    """Print the results of an experiment; only remarks if standard output is JSON."""
    from lab.experiments.output import files, tables
    from lab.experiments.output.trials import remarks
    from lab.numbers import count

    if as_json:
        files.print_json(files.to_json(done.results, done.more))
    else:
        console().print(tables.tables(done.results, done.more))
    for line in remarks(done.results):
        say(line, file=sys.stderr)
    if not as_json:
        outcomes = [*done.results.outcomes, *done.extra]
        stored = sum(outcome.cached for outcome in outcomes)
        print(f"{count(len(outcomes) - stored, 'trial')} run, {stored} taken from the store, in {done.wall_s:.1f} s")
    if done.unwritten:
        raise done.unwritten
    if not as_json:
        written = [name for one in done.more for name in one.written]
        say(f"report: {done.page}" + (f"; also {', '.join(written)}" if written else ""))


def print_differences(first: Path, second: Path, as_json: bool) -> None:
    """Compare two runs of one workload, or two results of one experiment."""
    types = [_type(path) for path in (first, second)]
    if types[0] != types[1]:
        raise InputError(f"{first} is {types[0]}, {second} is {types[1]}: compare two runs or two results")
    if types[0] == _RUN:
        _print_compared_runs(first, second, as_json)
        return
    from lab.experiments.analysis.compare import compare
    from lab.experiments.output import compared, files

    found = compare(files.read(first), files.read(second))
    if as_json:
        files.print_json(files.encoded(compared.as_json(found)))
    else:
        console().print(compared.rich_tables(found))


_RUN, _RESULTS = "a run", "the results of an experiment"


def _type(path: Path) -> str:
    """Return what is in a directory; raise InputError if it has neither a run nor results."""
    if (path / "record.json").is_file():
        return _RUN
    if path.name == "record.json":
        raise InputError(f"{path} is a file of a run; name its directory, {path.parent}")
    if (path.is_file() and path.suffix == ".json") or (path / "results.json").is_file():
        return _RESULTS
    hint = "`lab run` and `lab reproduce` print their directory at the end"
    if not path.exists():
        raise InputError(f"{path} does not exist", hint=hint)
    if (path / "plan.json").is_file():
        raise InputError(f"{path} has no record.json, since the run failed", hint=f"lab report {path} builds it")
    raise InputError(f"{path} is neither a run (record.json) nor an experiment's results (results.json)", hint=hint)


def _print_compared_runs(first: Path, second: Path, as_json: bool) -> None:
    from lab.record.record import load
    from lab.report import compare

    found = compare.compare(load(first), load(second))
    if as_json:
        print(json.dumps(compare.as_json(found), indent=2))
    else:
        console().print(compare.rich_tables(found))


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
    with unread():
        if as_json:
            print(json.dumps(report.as_json(record), indent=2, sort_keys=True))
        else:
            console().print(report.tables(record))
            say(f"report: {page}")
    return 0 if record.passed else 1


@contextlib.contextmanager
def print_failure_json(as_json: bool) -> Iterator[None]:
    """Print a failure on standard output, too, if that is to be JSON. The message on standard error stays.

    Raises:
        LabError: If it failed.
    """
    try:
        yield
    except LabError as error:
        if as_json:
            with unread():
                print(json.dumps(error.as_json(), indent=2, sort_keys=True))
        raise
