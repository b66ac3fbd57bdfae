# SPDX-License-Identifier: MIT
"""The figure of a sensitivity analysis: for each claim its share of places, and the rank correlations of its margin."""

from __future__ import annotations

from lab.drawing.figure import Axes, Chart, Ramp, Scale
from lab.drawing.marks import Cell, Mark
from lab.experiments.sensitivity.analysis import Held, Sensitivity
from lab.experiments.sensitivity.tables import interval, share, signed
from lab.numbers import NONE, count, plain

NAME = "sensitivity"
_HEIGHT = 100  # besides the rows
_ROW = 26


def chart(found: Sensitivity) -> Chart:
    """Return a column of cells for each claim: its share on top, below it a correlation for each parameter."""
    names = [one.name for one in reversed(found.parameters)]
    marks: list[Mark] = []
    for column, held in enumerate(found.held):
        marks += _correlations(held, column, names)
        marks.append(_share(held, column, len(names)))
    columns = tuple(str(number) for number in range(1, len(found.held) + 1))
    panel = Axes(Scale("claim", columns), Scale("", (*names, "holds in")), tuple(marks))
    listed = "; ".join(f"{number}: {held.claim.name}" for number, held in enumerate(found.held, 1))
    return Chart(
        NAME,
        f"Claims in {count(len(found.places), 'plausible place')}",
        "Top row: share of the places in which a claim holds. Below: Spearman's rank correlation of its margin with "
        f"each parameter; only those that are unlikely to be chance (p < 0.05, Holm) have a number. {listed}.",
        [panel],
        height=_HEIGHT + _ROW * (len(names) + 1),
        ramp=Ramp("strength of the correlation, or share", "0", "1"),
        stacked=True,
    )


def _share(held: Held, column: int, row: int) -> Cell:
    text = NONE if held.share is None else f"{plain(100 * held.share, 2)} %"
    between = interval(held)
    tip = f"{held.claim.name}: holds in {share(held)}" + (f", 95 % confidence interval {between}" if between else "")
    return Cell(column, row, held.share, text, tip=tip)


def _correlations(held: Held, column: int, names: list[str]) -> list[Mark]:
    found = {one.parameter: one for one in held.correlations}
    cells: list[Mark] = []
    for row, name in enumerate(names):
        one = found.get(name)
        if one is None:
            cells.append(Cell(column, row, None, "", tip=f"{name}: not computed"))
            continue
        text = signed(one.rho) if one.significant else ""
        strength = abs(one.rho) if one.significant else 0.0
        cells.append(Cell(column, row, strength, text, tip=f"{name}: {signed(one.rho)}, p = {plain(one.p, 2)}"))
    return cells
