# SPDX-License-Identifier: MIT
"""What a sensitivity analysis leaves beside the results: sensitivity.json, sensitivity.csv and its figure."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from lab.drawing import lay_out
from lab.experiments.output.more import More
from lab.experiments.sensitivity import draw
from lab.experiments.sensitivity.analysis import Sensitivity
from lab.experiments.sensitivity.tables import tables


def more(found: Sensitivity) -> More:
    """Return its section of the report and its files: sensitivity.json, sensitivity.csv and the figure."""
    document = as_json(found)
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return More(
        "sensitivity",
        "Sensitivity",
        "How the claims fare where the place is another one that is as plausible: the parameters that are known only "
        "within a range were drawn together, as a Latin hypercube. sensitivity.csv has a line for each place.",
        document,
        tables(found),
        {draw.NAME: lay_out(draw.chart(found))},
        {"sensitivity.json": text, "sensitivity.csv": _csv(found)},
    )


def as_json(found: Sensitivity) -> dict[str, Any]:
    """Return the content of sensitivity.json."""
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


def _csv(found: Sensitivity) -> str:
    """Return a line for each place: its values, and of each claim whether it holds and its margin."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    names = [one.name for one in found.parameters]
    lines.writerow(
        ["place", *names, *(f"{kind} {held.claim.name}" for held in found.held for kind in ("holds", "margin"))]
    )
    for index, place in enumerate(found.places):
        cells: list[Any] = [place.number + 1, *(place.values[name] for name in names)]
        for held in found.held:
            passed, margin = held.passed[index], held.margins[index]
            cells += ["" if passed is None else str(passed).lower(), "" if margin is None else f"{margin:.6g}"]
        lines.writerow(cells)
    return text.getvalue()
