# SPDX-License-Identifier: MIT
"""What a sensitivity analysis leaves beside the results: sensitivity.json, sensitivity.csv and its figure."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from lab.drawing import FORMATS, lay_out, save
from lab.drawing.shapes import Scene
from lab.errors import writing
from lab.experiments.sensitivity import draw
from lab.experiments.sensitivity.analysis import Sensitivity

_HINT = "choose another directory with --out; finished trials are stored and do not run again"


def scene(found: Sensitivity) -> Scene:
    """Return the figure, laid out."""
    return lay_out(draw.chart(found))


def write(found: Sensitivity, directory: Path) -> None:
    """Write all files.

    Raises:
        HostError: a file cannot be written.
    """
    texts = {
        "sensitivity.json": json.dumps(as_json(found), indent=2, sort_keys=True, ensure_ascii=False) + "\n",
        "sensitivity.csv": _csv(found),
    }
    for name, text in texts.items():
        with writing(directory / name, _HINT):
            (directory / name).write_text(text, encoding="utf-8", newline="")
    save(scene(found), directory / draw.NAME, FORMATS, _HINT)


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
