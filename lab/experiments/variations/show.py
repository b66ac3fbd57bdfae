# SPDX-License-Identifier: MIT
"""What variations add to the terminal, the report and the results: tables, a figure, JSON and CSV."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from lab.drawing import lay_out
from lab.drawing.figure import Axes, Chart, Ramp, Scale
from lab.drawing.marks import HeatCell, Mark
from lab.drawing.shapes import Drawing
from lab.experiments.variations.changes import Change
from lab.experiments.variations.judged import Changed, Changes, Held, Judged, Sensitivity
from lab.numbers import MINUS, NONE, count, plain
from lab.tables import Column, Table, csv_text, words

_NAMED = 6  # changes that a cell of the terminal names
_WORDS = {True: "holds", False: "FAILED", None: NONE}  # in the table of all claims and changes
_REASONS = 3  # correlations that are named
_HEIGHT = 100  # of the figure, besides the rows
_ROW = 26


@dataclass(frozen=True)
class More:
    """An analysis of an experiment, ready to be shown and written."""

    key: str  # its entry in results.json
    title: str  # of its section of the report
    about: str  # what it is, below the title
    document: dict[str, Any]  # its entry in results.json
    tables: list[Table]
    scenes: dict[str, Drawing] = field(default_factory=dict)  # figures, by the name of their files
    files: dict[str, str] = field(default_factory=dict)  # texts, by file name

    @property
    def written(self) -> list[str]:
        """The names of its files, one of each figure."""
        return [*self.files, *(f"{name}.svg" for name in self.scenes)]


def _cells(one: Judged) -> tuple[str, str]:
    """Return whether a claim holds, and its margin, for a CSV file."""
    holds = "" if one.passed is None else str(one.passed).lower()
    return holds, "" if one.margin is None else f"{one.margin:.6g}"


# Changes


def of_changes(found: Changes, at_a_time: int) -> More:
    """Return what an analysis of changes adds; ``at_a_time``: one, or up to two are made together."""
    number = {1: "one", 2: "two"}[at_a_time]
    key = f"{number}-at-a-time"
    together = " Then two of them together." if at_a_time == 2 else ""
    document = _changes_json(found)
    lines = [["change", "claim", "holds", "margin", "value"]]
    for label, judged in [("", found.base), *((one.change.label, one.judged) for one in found.changed)]:
        for claim, one in zip(found.claims, judged, strict=True):
            lines.append([label, claim.name, *_cells(one), one.value])
    return More(
        key.replace("-", "_"),
        {1: "One thing changed", 2: "One or two things changed"}[at_a_time],
        "The claims where one thing is changed and nothing else: each uncertain parameter to the ends of its range, "
        f"and what the files list under what_if.{together} The seeds are the same. {key}.csv has the values.",
        document,
        [_turned(found, key), _all(found), _changes(found)],
        files={
            f"{key}.json": json.dumps(document, indent=2, ensure_ascii=False) + "\n",
            f"{key}.csv": csv_text(lines, "\n"),
        },
    )


def _turned(found: Changes, key: str) -> Table:
    columns = [words("claim", "claim"), words("now", "as it is"), words("turned", "turned by")]
    rows = [
        {"claim": claim.name, "now": _WORDS[bool(found.base[number].passed)], "turned": _turning(found, number)}
        for number, claim in enumerate(found.claims)
    ]
    failed = [f"{one.failed} with {one.change.label}" for one in found.changed if one.failed]
    remark = f"Of {count(found.trials, 'trial')}, these failed: {', '.join(failed)}." if failed else ""
    single = sum(isinstance(one.change, Change) for one in found.changed)
    title = f"With one thing changed, {count(single, 'change')}"
    if key == "two-at-a-time":
        both = count(len(found.changed) - single, "pair")
        title = f"With one or two things changed, {count(single, 'change')} and {both}"
    return Table(key, title, columns, rows, remark=remark)


def _turning(found: Changes, number: int) -> str:
    """Name the changes that turn a claim, and pairs of which none does so alone; or the one that comes nearest."""
    nearest = found.nearest(number) if not found.base[number].passed else None
    text = _named(found.explaining(number)) or (f"none; {nearest.change.label} comes nearest" if nearest else "none")
    lost = _named(found.without_value(number))
    return f"{text}; without a value: {lost}" if lost else text


def _named(changed: list[Changed]) -> str:
    rest = len(changed) - _NAMED
    return ", ".join(one.change.label for one in changed[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _all(found: Changes) -> Table:
    """Return a row for each change and a column for each claim."""
    columns = [words("change", "change")]
    columns += [Column(str(number), str(number), number=False) for number in range(1, len(found.claims) + 1)]
    rows = [_row("nothing", found.base), *(_row(one.change.label, one.judged) for one in found.changed)]
    listed = "; ".join(f"{number}: {claim.name}" for number, claim in enumerate(found.claims, 1))
    return Table("claims-by-change", "Claims by change", columns, rows, in_terminal=False, remark=listed)


def _row(label: str, judged: tuple[Judged, ...]) -> dict[str, Any]:
    return {"change": label, **{str(number): _WORDS[one.passed] for number, one in enumerate(judged, 1)}}


def _changes(found: Changes) -> Table:
    columns = [words("change", "change"), words("sets", "sets"), words("why", "why")]
    rows = [
        {
            "change": one.label,
            "sets": ", ".join(f"{key}: {value}" for key, value in one.overrides.items()),
            "why": one.why,
        }
        for one in (changed.change for changed in found.changed)
        if isinstance(one, Change)
    ]
    return Table("changes", "What was changed", columns, rows, in_terminal=False)


def _changes_json(found: Changes) -> dict[str, Any]:
    return {
        "claims": [
            {"name": claim.name, "that": claim.that, **vars(found.base[number])}
            for number, claim in enumerate(found.claims)
        ],
        "changes": [
            {
                "name": one.change.label,
                "set": one.change.overrides,
                "why": "; ".join(part.why for part in one.change.parts),
                "failed_trials": one.failed,
                "claims": [vars(judged) for judged in one.judged],
                "turned": [claim.name for number, claim in enumerate(found.claims) if one in found.turned(number)],
            }
            for one in found.changed
        ],
    }


# Places


def of_places(found: Sensitivity) -> More:
    """Return what a sensitivity analysis adds."""
    document = _places_json(found)
    names = [one.name for one in found.parameters]
    lines = [["place", *names, *(f"{head} {held.claim.name}" for held in found.held for head in ("holds", "margin"))]]
    for index, place in enumerate(found.places):
        cells = [cell for held in found.held for cell in _cells(held.judged[index])]
        lines.append([str(place.number + 1), *(place.values[name] for name in names), *cells])
    return More(
        "sensitivity",
        "Sensitivity",
        "How the claims fare where the place is another one that is as plausible: the parameters that are known only "
        "within a range were drawn together, as a Latin hypercube. sensitivity.csv has a line for each place.",
        document,
        [_claims(found), _parameters(found)],
        {"sensitivity": lay_out(chart(found))},
        {
            "sensitivity.json": json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n",
            "sensitivity.csv": csv_text(lines, "\n"),
        },
    )


def _places_json(found: Sensitivity) -> dict[str, Any]:
    return {
        "places": len(found.places),
        "trials_of_each_point": found.reps,
        "seed": found.seed,
        "failed_trials": found.failed,
        "parameters": [
            {
                "name": one.name,
                "keys": list(one.keys),
                "values": list(one.labels),
                "range": not one.listed,
                "spacing": "log" if one.log else "linear",
                "source": one.source,
            }
            for one in found.parameters
        ],
        "claims": [
            {
                "name": held.claim.name,
                "that": held.claim.that,
                "holds": held.holds,
                "evaluated": held.evaluated,
                "share": held.share,
                "ci95": held.interval,
                "correlations": {one.parameter: {"rho": one.rho, "p": one.p} for one in held.correlations},
            }
            for held in found.held
        ],
    }


def _claims(found: Sensitivity) -> Table:
    columns = [
        words("claim", "claim"),
        words("holds", "holds in"),
        words("interval", "95 % CI"),
        words("follows", "follows"),
    ]
    title = f"In {count(len(found.places), 'plausible place')}, {count(found.reps, 'trial')} of each point"
    rows = [
        {"claim": held.claim.name, "holds": _share(held), "interval": _interval(held), "follows": _reasons(held)}
        for held in found.held
    ]
    failed = f"{count(found.failed, 'trial')} failed." if found.failed else ""
    return Table("sensitivity", title, columns, rows, remark=failed)


def _parameters(found: Sensitivity) -> Table:
    columns = [words("parameter", "parameter"), words("range", "plausible values"), words("source", "source")]
    rows = [{"parameter": one.name, "range": one.range, "source": one.source} for one in found.parameters]
    return Table("uncertain", "What was varied", columns, rows, in_terminal=False)


def _share(held: Held) -> str:
    """Format a share: ``14 of 20 (70 %)``; partly evaluated: ``14 of 18 (78 %), 2 without a value``."""
    without = len(held.judged) - held.evaluated
    more = f", {without} without a value" if without else ""
    if held.share is None:
        return f"no place{more}"
    return f"{held.holds} of {held.evaluated} ({plain(100 * held.share, 2)} %){more}"


def _interval(held: Held) -> str | None:
    if held.interval is None:
        return None
    low, high = (plain(100 * end, 2) for end in held.interval)
    return f"{low} to {high} %"


def _reasons(held: Held) -> str:
    """Name the parameters that its margin follows: ``wall +0.81, k -0.52`` (with a minus sign)."""
    found = [f"{one.parameter} {_signed(one.rho)}" for one in held.reasons[:_REASONS]]
    return ", ".join(found) or "nothing clearly"


def _signed(rho: float) -> str:
    return f"{'+' if rho >= 0 else MINUS}{abs(rho):.2f}"


def chart(found: Sensitivity) -> Chart:
    """Return a column of cells for each claim: its share on top, below it a correlation for each parameter."""
    names = [one.name for one in reversed(found.parameters)]
    marks: list[Mark] = []
    for column, held in enumerate(found.held):
        marks += _correlation_cells(held, column, names)
        marks.append(_share_cell(held, column, len(names)))
    columns = tuple(str(number) for number in range(1, len(found.held) + 1))
    panel = Axes(Scale("claim", columns), Scale("", (*names, "holds in")), tuple(marks))
    listed = "; ".join(f"{number}: {held.claim.name}" for number, held in enumerate(found.held, 1))
    return Chart(
        "sensitivity",
        f"Claims in {count(len(found.places), 'plausible place')}",
        "Top row: share of the places in which a claim holds. Below: Spearman's rank correlation of its margin with "
        f"each parameter; only those that are unlikely to be chance (p < 0.05, Holm) have a number. {listed}.",
        [panel],
        height=_HEIGHT + _ROW * (len(names) + 1),
        ramp=Ramp("strength of the correlation, or share", "0", "1"),
        stacked=True,
    )


def _share_cell(held: Held, column: int, row: int) -> HeatCell:
    text = NONE if held.share is None else f"{plain(100 * held.share, 2)} %"
    between = _interval(held)
    tip = f"{held.claim.name}: holds in {_share(held)}" + (f", 95 % confidence interval {between}" if between else "")
    return HeatCell(column, row, held.share, text, tip=tip)


def _correlation_cells(held: Held, column: int, names: list[str]) -> list[Mark]:
    found = {one.parameter: one for one in held.correlations}
    cells: list[Mark] = []
    for row, name in enumerate(names):
        one = found.get(name)
        if one is None:
            cells.append(HeatCell(column, row, None, "", tip=f"{name}: not computed"))
            continue
        text = _signed(one.rho) if one.significant else ""
        strength = abs(one.rho) if one.significant else 0.0
        cells.append(HeatCell(column, row, strength, text, tip=f"{name}: {_signed(one.rho)}, p = {plain(one.p, 2)}"))
    return cells
