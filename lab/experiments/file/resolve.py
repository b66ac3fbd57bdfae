# SPDX-License-Identifier: MIT
"""Resolve a file to an experiment: settle everything that is known before a run, report mistakes with file and line."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lab import library
from lab.errors import InputError, unknown
from lab.experiments.analysis import claims, metrics
from lab.experiments.file import figures, grid, paper
from lab.experiments.file.points import contents, drafted, narrow, plans
from lab.experiments.types import PLACE, Axis, Claim, Experiment, Level, Reasons, Repetitions, TrialMetric
from lab.model.build import build, line_of
from lab.model.document import Document, Keys
from lab.model.experiment import Adaptive, ExperimentMetric
from lab.model.experiment import ExperimentFile as Model
from lab.model.include import read
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.resolve import SEED_MAX
from lab.shared.types import Plan


def load(name_or_path: str, *, only: Sequence[str] = (), reps: int | None = None) -> Experiment:
    """Return the experiment of ``lab reproduce NAME|FILE --only axis=value … --reps n``.

    Raises:
        InputError, InputErrors: If there are mistakes; with file and line.
    """
    return check(read(library.find("experiment", name_or_path)), only, reps)


def check(document: Document, only: Sequence[str] = (), reps: int | None = None) -> Experiment:
    """Return the experiment of a document. Errors as in ``load``."""
    source = ValidatedFile(document, build(Model, document))
    problems = Problems()
    made = grid.resolve(source, problems)
    whole = _experiment(source, made, problems)
    _check_names(source, problems)
    _check_repetitions(source, problems)
    if whole.points:
        whole = _with_files(source, whole, problems)
        for claim in whole.claims:
            try:
                claims.check(claim, whole)
            except InputError as error:
                problems.add_all(error)
    problems.errors.sort(key=line_of)
    problems.raise_all()
    found = narrow(whole, only, reps)
    _try(source, found)
    return dataclasses.replace(found, contents=contents(found.points))


def _experiment(source: ValidatedFile[Model], made: grid.Grid, problems: Problems) -> Experiment:
    """Resolve all that does not depend on other files; with points only if the grid is valid."""
    model = source.model
    points = () if problems.errors else made.points()
    measured = _metrics(source, problems)
    right = not problems.errors or bool(made.groups)
    levels = tuple(Level(name, None) for name in model.places)
    places = (Axis(PLACE, levels),) if levels else ()
    return Experiment(
        name=model.name,
        about=model.about,
        cites=model.cites.model_dump(exclude_none=True) if model.cites is not None else {},
        path=str(source.document.path),
        seed=model.seed,
        axes=(*places, *made.axes),
        points=points,
        repetitions=_repetitions(model),
        metrics=measured,
        figures=figures.resolve(source, measured, made.axes, made.groups, problems) if right else (),
        published=paper.resolve(source, measured, made.axes, problems) if right else (),
        claims=tuple(
            Claim(
                claim.name,
                claim.that,
                claim.paper,
                source.document.where(("claims", index, "that")),
                because=claim.because,
                of=claim.of,
                cause=_reasons(source, problems, ("claims", index, "cause"), claim.cause),
                guess=_reasons(source, problems, ("claims", index, "guess"), claim.guess),
            )
            for index, claim in enumerate(model.claims)
        ),
        places=tuple(model.places),
    )


def _reasons(
    source: ValidatedFile[Model], problems: Problems, where: tuple[str | int, ...], given: str | dict[str, str] | None
) -> Reasons:
    """Return why a claim fails, by place."""
    if not isinstance(given, dict):
        return (("", given),) if given else ()
    places = tuple(source.model.places)
    for place in given.keys() - set(places):
        none = "is of a place, but the experiment has none; write the text alone"
        problems.add(source, (*where, place), unknown("place", place, places) if places else none)
    return tuple(given.items())


def _metrics(source: ValidatedFile[Model], problems: Problems) -> tuple[TrialMetric, ...]:
    """Return the metrics; whether the workload has what they name is checked with a plan."""
    found = []
    for name, written in source.model.metrics.items():
        if name in source.model.grid:
            problems.add(source, ("metrics", name), "is also an axis of the grid; rename one of them")
        whole = written if isinstance(written, ExperimentMetric) else None
        that, unit = (whole.that, whole.unit) if whole else (name, str(written))
        limit = None
        if whole is not None and whole.limit is not None:
            try:
                limit = metrics.limit(whole.limit, unit)
            except InputError as error:
                problems.add(source, ("metrics", name, "limit"), error.message, error.hint)
        expected = whole.expected if whole else None
        found.append(TrialMetric(name, that, unit, source.document.where(("metrics", name)), limit, expected))
    return tuple(found)


def _check_repetitions(source: ValidatedFile[Model], problems: Problems) -> None:
    rule, known = source.model.repetitions, source.model.metrics
    for name in (rule.of or ()) if isinstance(rule, Adaptive) else ():
        if name not in known:
            problems.add(source, ("repetitions", "of"), unknown("metric", name, known, "known metrics"))


def _repetitions(model: Model) -> Repetitions:
    written = model.repetitions
    if isinstance(written, Adaptive):
        of = None if written.of is None else frozenset(written.of)
        return Repetitions(written.from_, written.at_most, written.ci95 / 100, of, written.normal)
    return Repetitions(written, written)


def _check_names(source: ValidatedFile[Model], problems: Problems) -> None:
    """Check the name of the experiment, the names of its claims, and its seeds."""
    model = source.model
    wanted = library.name_of(source.document.path)
    if wanted is not None and model.name != wanted:
        problems.add(source, ("name",), f'"{model.name}" does not match the path of the file; write name: {wanted}')
    first: dict[str, int] = {}
    for index, claim in enumerate(model.claims):
        earlier = first.setdefault(claim.name, index)
        if earlier != index:
            where = source.document.where(("claims", earlier))
            problems.add(
                source, ("claims", index, "name"), f'another claim is called "{claim.name}" ({where}); rename it'
            )
    if model.seed + _repetitions(model).most - 1 > SEED_MAX:
        problems.add(source, ("seed",), f"is too large; the last seed is at most {SEED_MAX}")


def _shown(path: Path) -> str:
    """Format a path for a command: relative to the current directory if below it."""
    resolved, here = path.resolve(), Path.cwd().resolve()
    return str(resolved.relative_to(here)) if resolved.is_relative_to(here) else str(resolved)


def _with_files(source: ValidatedFile[Model], experiment: Experiment, problems: Problems) -> Experiment:
    """Replace topologies and workloads, by name or by path relative to the experiment, by what ``lab run`` accepts."""

    @cache
    def find(file_type: str, text: str) -> str:
        neighbour = source.document.path.parent / text
        if text.endswith((".yaml", ".yml")) and neighbour.is_file():
            return _shown(neighbour)
        library.find(file_type, text)
        return text

    points = []
    for point in experiment.points:
        found = {}
        for file_type, text in (("topology", point.topology), ("workload", point.workload)):
            try:
                found[file_type] = find(file_type, text)
            except InputError as error:
                place = source.model.places.get(point.labels.get(PLACE, ""))
                own = ("places", point.labels[PLACE]) if place and getattr(place, file_type) else ()
                problems.add(source, (*own, file_type), error.message, error.hint)
                found[file_type] = text
        points.append(dataclasses.replace(point, topology=found["topology"], workload=found["workload"]))
    return dataclasses.replace(experiment, points=tuple(points))


def _try(source: ValidatedFile[Model], experiment: Experiment) -> None:
    """Resolve plans, and check that metrics and figures find in them what they need."""
    problems = Problems()
    judged: set[str] = set()

    for point, planned in plans(experiment.points, lambda point: drafted(experiment, point)):
        if point.workload in judged:
            continue
        judged.add(point.workload)
        for metric in experiment.metrics:
            _judge(source, metric, planned, problems)
        figures.check_series(source, experiment.metrics, planned, problems)
    problems.raise_all()


def _judge(source: ValidatedFile[Model], metric: TrialMetric, plan: Plan, problems: Problems) -> None:
    """Check that a metric can be computed from the runs of a plan."""
    keys: Keys = ("metrics", metric.name)
    try:
        metrics.check(metric, plan)
    except InputError as error:
        whole = isinstance(source.model.metrics[metric.name], ExperimentMetric)
        problems.add(source, (*keys, "that") if whole else keys, error.message, error.hint)
