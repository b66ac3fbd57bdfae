# SPDX-License-Identifier: MIT
"""report.html of an experiment: one file without any external resource, in the style of a run's report."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.drawing import svg
from lab.drawing.shapes import Drawing
from lab.experiments.output.tables import claims, means, verdict
from lab.experiments.output.trials import by_point, commands, first_line, place_at
from lab.experiments.output.trials import log as log_of
from lab.experiments.types import Repetitions, Results
from lab.numbers import count, plain
from lab.printable import printable
from lab.report.html import environment, flat

if TYPE_CHECKING:
    from jinja2 import Template

    from lab.experiments.variations.show import More

_TEMPLATE = "experiment.html.j2"
_LOG_LINES = 20
_FAILURES = 20  # that are shown with their log; of the others, which and why


@cache
def template() -> Template:
    """Return the page, compiled."""
    return environment(Path(__file__).parent).get_template(_TEMPLATE)


def page(results: Results, drawings: Iterable[Drawing], more: Iterable[More] = ()) -> str:
    """Return the whole page."""
    experiment = results.experiment
    failures = _failures(results)
    text = template().render(
        experiment=experiment,
        source=experiment.source,
        cites=sorted(experiment.cites.items()),
        passed=results.passed,
        undecided=results.undecided,
        verdict=verdict(results),
        cards=_cards(results),
        claims=claims(results).rows,
        figures=[svg(drawing) for drawing in drawings],
        tables=means(results),
        more=[(one, [svg(drawing) for drawing in one.scenes.values()]) for one in more],
        failures=failures[:_FAILURES],
        more_failures=failures[_FAILURES:],
        trials=count(len(results.outcomes), "trial"),
        command=results.command,
        setup=_setup(results),
        again=_again(results),
        remarks=_remarks(results),
        versions=flat(results.versions),
        packages=results.versions.get("packages") or {},
        hashes=[
            *sorted((name, digest or "none") for name, digest in results.hashes.items()),
            *experiment.contents.texts.items(),
        ],
    )
    return printable(text)


def _cards(results: Results) -> list[tuple[str, str, str]]:
    """Return (figure, unit, what it is) for each card."""
    outcomes = results.outcomes
    cached = sum(found.cached for found in outcomes)
    points, _, word = count(len(results.experiment.points), "point").partition(" ")
    trials, _, words = count(len(outcomes), "trial").partition(" ")
    cards = [
        (points, "", f"{word} of the grid"),
        (trials, "", words + (f", {cached} kept from before" if cached else "")),
    ]
    if results.verdicts:
        held = [
            f"{sum(found.passed for found in one.verdicts)} of {len(one.verdicts)}"
            for one in results.by_place().values()
        ]
        cards.append((" | ".join(held), "", "claims hold"))
    virtual_s = sum(found.virtual_s for found in outcomes)
    cards.append((plain(virtual_s, 3), "s", f"virtual time, in {plain(results.wall_s, 3)} s"))
    return cards


def _failures(results: Results) -> list[dict[str, Any]]:
    return [
        {
            "where": f"{place_at(results, outcome.point)}, seed {outcome.seed}",
            "why": first_line(outcome),
            "log": "\n".join(log_of(outcome, _LOG_LINES)),
            "kept": outcome.log,
            "command": outcome.command,
        }
        for outcome in results.outcomes
        if outcome.error is not None
    ]


def _again(results: Results) -> list[tuple[str, list[str]]]:
    found = sorted(by_point(results.outcomes).items())
    return [(place_at(results, number), commands(outcomes)) for number, outcomes in found]


def _remarks(results: Results) -> list[tuple[str, str]]:
    return [
        (f"{place_at(results, found.point)}, seed {found.seed}", found.remarks)
        for found in results.outcomes
        if found.remarks
    ]


def _setup(results: Results) -> list[tuple[str, str]]:
    """List what was varied, and what was not."""
    experiment = results.experiment
    rows: list[tuple[str, Any]] = [
        ("file", experiment.path),
        ("topology", ", ".join(dict.fromkeys(point.topology for point in experiment.points))),
        ("workload", ", ".join(dict.fromkeys(point.workload for point in experiment.points))),
    ]
    rows += [(axis.name, ", ".join(level.label for level in axis.levels)) for axis in experiment.axes]
    overrides = [point.overrides for point in experiment.points]
    common = [one for one in overrides[0] if all(one in others for others in overrides)] if overrides else []
    if common:
        rows.append(("set everywhere", "; ".join(common)))
    for place in experiment.places:
        own = [point.overrides for point in experiment.in_place(place).points]
        differing = [one for one in own[0] if one not in common and all(one in others for others in own)]
        if differing:
            rows.append((f"set in {place}", "; ".join(differing)))
    rows.append(("repetitions", repetitions(experiment.repetitions)))
    seeds = sorted({found.seed for found in results.outcomes})
    if seeds:
        rows.append(("seeds", str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]} at each point"))
    return rows


def repetitions(rule: Repetitions) -> str:
    """Return the rule in words."""
    if rule.half_width is None:
        return f"{count(rule.least, 'trial')} of each point"
    share = plain(rule.half_width * 100, 3)
    return (
        f"{rule.least} to {rule.most} trials of each point, until the 95 % confidence interval is within "
        f"\N{PLUS-MINUS SIGN}{share} % of the mean"
    )
