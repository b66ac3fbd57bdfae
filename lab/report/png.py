# SPDX-License-Identifier: MIT
"""Draws figures as PNG with matplotlib, for papers and slides; loaded only when asked for, since that takes a while."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lab.report.figure import DASHES, PALETTE, Figure, Line, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INCHES_WIDE = 8.8
_DPI = 160
_GREY = "#5b6570"


def draw(figure: Figure, path: Path) -> None:
    """Write the figure to ``path``. Equal figures give equal bytes with one version of matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas
    from matplotlib.patches import Patch

    rows = max(len(panel.rows) for panel in figure.panels)
    inches_high = 1.7 + 0.36 * rows if rows else figure.height / 100
    canvas = Canvas(figsize=(_INCHES_WIDE, inches_high), layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.subplots(1, len(figure.panels), squeeze=False, sharey=not rows)[0]
    for index, (panel, axis) in enumerate(zip(figure.panels, axes, strict=True)):
        _panel(panel, axis, first=index == 0)
    canvas.suptitle(figure.title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    if figure.legend:
        handles = [Patch(color=PALETTE[colour % len(PALETTE)], label=label) for label, colour in figure.legend]
        canvas.legend(handles=handles, loc="outside lower left", ncols=6, fontsize=8, frameon=False)
    canvas.savefig(path, dpi=_DPI, metadata={"Software": None})


def _panel(panel: Panel, axis: Axes, *, first: bool) -> None:
    axis.set_xlim(*panel.x_range)
    axis.set_xlabel(panel.x_label, fontsize=8, color=_GREY)
    axis.tick_params(labelsize=8, colors=_GREY)
    axis.grid(axis="x" if panel.rows else "y", color="#dfe3e8", linewidth=0.7)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    if first and panel.y_label:
        axis.set_ylabel(panel.y_label, fontsize=8, color=_GREY)
    if panel.title:
        axis.set_title(panel.title, fontsize=9, loc="left")
    for band in panel.bands:
        colour = _GREY if band.colour is None else PALETTE[band.colour]
        axis.axvspan(band.begin, band.end, color=colour, alpha=0.16, linewidth=0)
    for rule in panel.rules:
        axis.axvline(rule.x, color="black", linewidth=0.8, linestyle=":")
        axis.annotate(
            rule.label, (rule.x, 1), xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points",
            ha="center", fontsize=8, color=_GREY,
        )  # fmt: skip
    if panel.rows:
        _spans(panel, axis)
    else:
        axis.set_ylim(*panel.y_range)
        for line in panel.lines:
            _line(line, axis)


def _line(line: Line, axis: Axes) -> None:
    colour, dash = PALETTE[line.colour % len(PALETTE)], DASHES[line.colour % len(DASHES)]
    style = (0, tuple(float(part) for part in dash.split())) if dash else "solid"
    if line.dots:
        axis.plot(line.x, line.y, color=colour, linestyle="none", marker=".", markersize=3, label=line.label)
        return
    if line.solid:
        axis.fill_between(line.x, line.y, step="pre" if line.step else None, color=colour, linewidth=0)
        return
    steps = "steps-pre" if line.step else "default"
    axis.plot(line.x, line.y, color=colour, linewidth=1.3, linestyle=style, drawstyle=steps, label=line.label)
    if line.area:
        axis.fill_between(line.x, line.y, step="pre" if line.step else None, color=colour, alpha=0.16, linewidth=0)


def _spans(panel: Panel, axis: Axes) -> None:
    for span in panel.spans:
        if span.thin:
            axis.barh(span.row + 0.34, span.end - span.begin, left=span.begin, height=0.08, color="black")
            axis.annotate(
                span.label, (span.end, span.row + 0.34), xytext=(5, 3), textcoords="offset points", fontsize=8,
                color=_GREY,
            )  # fmt: skip
        else:
            colour = PALETTE[span.colour % len(PALETTE)]
            axis.barh(span.row, span.end - span.begin, left=span.begin, height=0.5, color=colour)
    axis.set_yticks(range(len(panel.rows)), panel.rows)
    axis.set_ylim(len(panel.rows) - 0.4, -0.6)
