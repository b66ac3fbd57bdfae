# SPDX-License-Identifier: MIT
"""What an analysis of changes adds to the terminal, the report and the results: one-at-a-time.json and .csv."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from lab.experiments.changes.analysis import Changed, Changes, Judged
from lab.experiments.output.more import More
from lab.numbers import NONE, count
from lab.tables import Column, Table, words

KEY = "one_at_a_time"
FILE = "one-at-a-time"
_NAMED = 6  # changes that a cell of the terminal names
_WORDS = {True: "holds", False: "FAILED", None: NONE}  # in the table of all claims and changes


def more(found: Changes) -> More:
    """Return its section of the report and its files."""
    document = as_json(found)
    return More(
        KEY,
        "One thing changed",
        "The claims where one thing is changed and nothing else: each uncertain parameter to the ends of its range, "
        f"and what the files list under what_if. The seeds are the same. {FILE}.csv has the values.",
        document,
        [_turned(found), _all(found), _changes(found)],
        files={
            f"{FILE}.json": json.dumps(document, indent=2, ensure_ascii=False) + "\n",
            f"{FILE}.csv": _csv(found),
        },
    )


def _turned(found: Changes) -> Table:
    columns = [words("claim", "claim"), words("now", "as it is"), words("turned", "turned by")]
    rows = [
        {"claim": claim.name, "now": _WORDS[bool(found.base[number].passed)], "turned": _turning(found, number)}
        for number, claim in enumerate(found.claims)
    ]
    failed = [f"{one.failed} with {one.change.label}" for one in found.changed if one.failed]
    remark = f"Of {count(found.trials, 'trial')}, these failed: {', '.join(failed)}." if failed else ""
    return Table(FILE, f"With one thing changed, {count(len(found.changed), 'change')}", columns, rows, remark=remark)


def _turning(found: Changes, number: int) -> str:
    """Name the changes that turn a claim; if none does, the one that comes nearest."""
    nearest = found.nearest(number) if not found.base[number].passed else None
    text = _named(found.turned(number)) or (f"none; {nearest.change.label} comes nearest" if nearest else "none")
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
    rows = [{"change": one.change.label, "sets": _settings(one), "why": one.change.why} for one in found.changed]
    return Table("changes", "What was changed", columns, rows, in_terminal=False)


def _settings(one: Changed) -> str:
    return ", ".join(f"{key}: {value}" for key, value in one.change.settings.items())


def as_json(found: Changes) -> dict[str, Any]:
    """Return its entry of results.json."""
    return {
        "claims": [
            {"name": claim.name, "that": claim.that, **_judgement(found.base[number])}
            for number, claim in enumerate(found.claims)
        ],
        "changes": [
            {
                "name": one.change.label,
                "set": {key: value for key, value in one.change.settings.items()},
                "why": one.change.why,
                "failed_trials": one.failed,
                "claims": [_judgement(judged) for judged in one.judged],
                "turned": [claim.name for number, claim in enumerate(found.claims) if one in found.turned(number)],
            }
            for one in found.changed
        ],
    }


def _judgement(one: Judged) -> dict[str, Any]:
    return {"passed": one.passed, "margin": one.margin, "value": one.value}


def _csv(found: Changes) -> str:
    """Return a line for each change and claim."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["change", "claim", "holds", "margin", "value"])
    for label, judged in [("", found.base), *((one.change.label, one.judged) for one in found.changed)]:
        for claim, one in zip(found.claims, judged, strict=True):
            holds = "" if one.passed is None else str(one.passed).lower()
            lines.writerow([label, claim.name, holds, "" if one.margin is None else f"{one.margin:.6g}", one.value])
    return text.getvalue()
