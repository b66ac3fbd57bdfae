# SPDX-License-Identifier: MIT
"""What an experiment leaves: report.html, results.json, CSV, pictures, junit.xml.

results.json and results.csv are the same, byte by byte, for equal results; how long it took and what was kept from
before is in ``wall`` of results.json and in the last columns of trials.csv alone. junit.xml has a test case for each
claim and for each failed trial; "All trials completed" is one too, so that an experiment without claims has one.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab import junit as xml
from lab.drawing import FORMATS, lay_out, save
from lab.errors import RecordError, writing
from lab.experiments.output.trials import NOT_JUDGED, first_line
from lab.experiments.types import Reasons, Results, Row, TrialOutcome, Verdict
from lab.numbers import count
from lab.printable import printable
from lab.tables import csv_text

if TYPE_CHECKING:
    from lab.experiments.variations.show import More


VERSION = 1  # of results.json
RESULTS = "results.json"
_HINT = "choose another directory with --out; finished trials are stored and do not run again"
_SUFFIXES = {
    "%": "percent",
    "bit/s": "bps",
    "kbit/s": "kbps",
    "Mbit/s": "mbps",
    "Gbit/s": "gbps",
    "dBm": "dbm",
    "dB": "db",
}
_METRIC = ("name", "that", "unit", "limit", "expected")
_SUMMARY = ("mean", "ci95", "n", "unit", "median", "deviation", "missing", "unfinished", "precise", "values")
_TRIAL = ("seed", "key", "values", "error", "log", "virtual_s")
_REPETITIONS = ("least", "most", "half_width")


def write(results: Results, directory: Path, *, formats: Iterable[str] = FORMATS, more: Sequence[More] = ()) -> Path:
    """Write all files into ``directory``, which is made if need be, and return the path of report.html.

    ``more`` are analyses of its claims. Figures as PNG and PDF take matplotlib half a second to begin with.

    Raises:
        HostError: If a file cannot be written.
    """
    from lab.experiments.output import figures
    from lab.experiments.output.page import page

    scenes = {chart.name: lay_out(chart) for chart in figures.charts(results)}
    files = {
        "report.html": page(results, scenes.values(), more),
        RESULTS: to_json(results, more),
        "results.csv": results_csv(results),
        "trials.csv": trials_csv(results),
        "junit.xml": junit(results),
    }
    for one in more:
        scenes |= one.scenes
        files |= one.files
    with writing(directory, _HINT):
        directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with writing(directory / name, _HINT):
            (directory / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    for name, scene in scenes.items():
        save(scene, directory / name, formats, _HINT)
    return directory / "report.html"


def as_json(results: Results) -> dict[str, Any]:
    """Return the content of results.json, which ``--json`` prints; numbers that are not finite are null.

    ``rows`` has an entry for each point: the label of each axis, and of each metric mean, half width of the 95 %
    confidence interval, n, unit, deviation, how many trials have no value or did not finish, whether it is as precise
    as requested, the values by seed, the paper's value.
    """
    experiment = results.experiment
    document = {
        "version": VERSION,
        "name": experiment.name,
        "about": experiment.about,
        "cites": dict(sorted(experiment.cites.items())),
        "passed": results.passed,
        "axes": [
            {"name": axis.name, "unit": axis.unit, "levels": [vars(level) for level in axis.levels]}
            for axis in experiment.axes
        ],
        "metrics": [_picked(metric, _METRIC) for metric in experiment.metrics],
        "points": [
            {"point": point.labels} | _picked(point, ("topology", "workload", "overrides"))
            for point in experiment.points
        ],
        "files": experiment.contents.files,
        "rows": [_row(results, row) for row in results.rows],
        "claims": [
            {
                "name": found.claim.name,
                "passed": found.passed,
                "value": found.value,
                "expected": found.expected,
                **({"place": found.place} if found.place else {}),
                **_picked(found.claim, ("that", "of", "paper", "because", "source")),
                **{key: _written(getattr(found.claim, key)) for key in ("cause", "guess")},
            }
            for found in results.verdicts
        ],
        "unjudged": [_picked(claim, ("name", "that")) for claim in experiment.unjudged],
        "trials": [
            {
                "point": experiment.points[outcome.point].labels,
                **_picked(outcome, _TRIAL),
                "unfinished": sorted(outcome.unfinished),
                "remark": outcome.remarks,
                "command": outcome.command,
            }
            for outcome in results.outcomes
        ],
        "provenance": _provenance(results),
        "wall": {
            "wall_s": results.wall_s,
            "cached": sum(outcome.cached for outcome in results.outcomes),
            "trials_s": math.fsum(outcome.wall_s for outcome in results.outcomes if not outcome.cached),
        },
    }
    return dict(_finite(document))


def to_json(results: Results, more: Sequence[More] = ()) -> str:
    """Return results.json, which ``--json`` prints too: keys in the order of ``as_json``, then those of ``more``."""
    return encoded({**as_json(results), **{one.key: one.document for one in more}})


def encoded(document: Mapping[str, Any]) -> str:
    """Encode a document for files and ``--json``; numbers that are not finite become null."""
    return json.dumps(_finite(document), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def print_json(text: str) -> None:
    """Print the exact bytes of the file to standard output, regardless of the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", errors="replace"))
    sys.stdout.buffer.flush()


def read(path: Path) -> dict[str, Any]:
    """Read the result of ``as_json`` from a results.json, or from the directory that contains one.

    Raises:
        RecordError: If the file does not exist, is damaged, or is of another version of the lab.
    """
    file = path / RESULTS if path.is_dir() else path
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        if (path / "record.json").is_file():
            raise RecordError(
                f"{path} is a single run, but results of experiments are compared",
                hint="write an experiment with what differs in its grid: (docs/write-an-experiment.md); lab reproduce "
                "runs it",
            ) from None
        raise RecordError(f"cannot read {file}: {error.strerror}", hint="lab reproduce --out DIR creates one") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not {"version", "rows", "claims", "provenance"} <= found.keys():
        raise RecordError(f"{file} contains no results of an experiment", hint="lab reproduce --out DIR creates them")
    if found["version"] != VERSION:
        raise RecordError(
            f"{file} has version {found['version']}, but this lab reads version {VERSION}",
            hint="run lab reproduce to write it again; stored trials do not run again",
        )
    return found


def _picked(one: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}


def _written(reasons: Reasons) -> str | dict[str, str] | None:
    """Return reasons as in an experiment file: text, or by place."""
    by_place = dict(reasons)
    return by_place.get("", by_place) or None


def _row(results: Results, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = dict(row.point.labels)
    for metric in results.experiment.metrics:
        if metric.name in row.metrics:
            paper = results.experiment.paper_value(metric.name, row.point.labels)
            found[metric.name] = {**_picked(row.metrics[metric.name], _SUMMARY), "paper": paper}
    return found


def _provenance(results: Results) -> dict[str, Any]:
    experiment = results.experiment
    return {
        "command": results.command,
        "path": experiment.path,
        "seed": experiment.seed,
        "repetitions": _picked(experiment.repetitions, _REPETITIONS),
        "trials": len(results.outcomes),
        "failed": sum(outcome.error is not None for outcome in results.outcomes),
        "virtual_s": math.fsum(outcome.virtual_s for outcome in results.outcomes),
        "hashes": dict(sorted(results.hashes.items())),
        "stack": experiment.contents.texts,
        "versions": dict(sorted(results.versions.items())),
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def results_csv(results: Results) -> str:
    """Write a line for each point and metric: axes, metric, unit, mean, half width, n, …"""
    axes, levels = _axes(results)
    heads = ["metric", "unit", "mean", "ci95", "n", "deviation", "missing", "unfinished", "paper", "ratio", "precise"]
    lines = []
    for row in results.rows:
        for metric in results.experiment.metrics:
            found = row.metrics[metric.name]
            paper = results.experiment.paper_value(metric.name, row.point.labels)
            ratio = found.mean / paper if found.mean is not None and paper else None
            counts = (found.missing, found.unfinished)
            numbers = (found.mean, found.ci95, found.n, found.deviation, *counts, paper, ratio)
            lines.append(
                [*levels(row.point.labels), metric.name, found.unit, *map(_number, numbers), _truth(found.precise)]
            )
    return csv_text([[*axes, *heads], *lines])


def trials_csv(results: Results) -> str:
    """Write a line for each trial: axes, seed, metrics in their units, why it failed, how to repeat it."""
    experiment = results.experiment
    axes, levels = _axes(results)
    metrics = experiment.metrics
    heads = [f"{metric.name}, {metric.unit}" if metric.unit else metric.name for metric in metrics]
    lines = []
    for outcome in results.outcomes:
        lines.append(
            [
                *levels(experiment.points[outcome.point].labels),
                str(outcome.seed),
                *(_value(outcome, metric.name) for metric in metrics),
                "" if outcome.error is None else first_line(outcome),
                outcome.log or "",
                outcome.command,
                outcome.key,
                " ".join((outcome.remarks or "").split()),
                _number(outcome.virtual_s),
                _number(outcome.wall_s),
                _truth(outcome.cached),
            ]
        )
    tail = ["error", "log", "command", "key", "remark", "virtual time, s", "wall time, s", "kept from before"]
    return csv_text([[*axes, "seed", *heads, *tail], *lines])


def _axes(results: Results) -> tuple[list[str], Callable[[Mapping[str, str]], list[str]]]:
    """Return the columns of axes, and what makes the cells of a point of them.

    An axis of quantities such as ``5 ms`` has a second column with the numbers: ``delay`` and ``delay_ms``.
    """
    heads: list[str] = []
    numbers: dict[str, dict[str, float | None]] = {}
    for axis in results.experiment.axes:
        heads.append(axis.name)
        if axis.unit:
            heads.append(f"{axis.name}_{_SUFFIXES.get(axis.unit, axis.unit.replace('/', '_per_'))}")
            numbers[axis.name] = {level.label: level.number for level in axis.levels}

    def cells(labels: Mapping[str, str]) -> list[str]:
        found = []
        for axis in results.experiment.axes:
            label = labels.get(axis.name, "")
            found.append(label)
            if axis.name in numbers:
                found.append(_number(numbers[axis.name].get(label)))
        return found

    return heads, cells


def _number(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else repr(value)


def _value(outcome: TrialOutcome, metric: str) -> str:
    """Return a value of a trial: ``> 150.0`` if it did not finish."""
    return f"{'> ' if metric in outcome.unfinished else ''}{_number(outcome.values.get(metric))}"


def _truth(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def junit(results: Results) -> str:
    """Return junit.xml."""
    name = printable(results.experiment.name)
    cases = [_claim_case(name, found) for found in results.verdicts]
    cases += [xml.Case(f"{name}.claims", claim.name, xml.SKIPPED, NOT_JUDGED) for claim in results.experiment.unjudged]
    failed = [found for found in results.outcomes if found.error is not None]
    cases += [_trial_case(name, outcome, results.experiment.points[outcome.point].labels) for outcome in failed]
    if not failed:
        cases.append(xml.Case(f"{name}.trials", f"{count(len(results.outcomes), 'trial')} completed"))
    return xml.document("lab reproduce", [xml.Suite(name, cases, results.wall_s)])


def _claim_case(name: str, found: Verdict) -> xml.Case:
    details = [
        found.claim.that,
        f"value: {found.value}",
        f"expected: {found.expected}",
        *([f"the paper says: {found.claim.paper}"] if found.claim.paper else []),
        *([f"claimed because: {found.claim.because}"] if found.claim.because else []),
        *([] if found.passed else found.claim.reasons(found.place)),
        *([found.claim.source] if found.claim.source else []),
    ]
    return xml.Case(
        f"{name}.claims",
        f"{found.claim.name} ({found.place})" if found.place else found.claim.name,
        outcome=None if found.passed else xml.FAILURE,
        message=f"{found.value}; expected {found.expected}",
        type="claim",
        text="\n".join(details),
    )


def _trial_case(name: str, outcome: TrialOutcome, labels: dict[str, str]) -> xml.Case:
    where = ", ".join(f"{axis}={label}" for axis, label in labels.items())
    kept = f"\nkept in {outcome.log}" if outcome.log else ""
    return xml.Case(
        f"{name}.trials",
        f"{where}, seed {outcome.seed}".lstrip(", "),
        outcome=xml.ERROR,
        message=first_line(outcome),
        type="trial",
        text=f"{outcome.error}\nto repeat it: {outcome.command}{kept}",
        wall_s=outcome.wall_s,
    )
