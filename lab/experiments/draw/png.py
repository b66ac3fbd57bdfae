# SPDX-License-Identifier: MIT
"""A drawing as PNG, with matplotlib; loaded only where PNG is wanted, since that takes a while."""

from __future__ import annotations

from pathlib import Path as File

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle as RoundPatch
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from lab.experiments.draw.scene import BOLD, MARGIN, PLAIN, SIZES, TEXT, Circle, Path, Scene, Text
from lab.report.figure import PALETTE

_DPI = 160
_PIXELS_AN_INCH = 96.0  # of CSS
_POINTS = 72.0
_COLOURS = {"ink": "#1c2127", "soft": "#5b6570", "grid": "#dfe3e8", "paper": "#ffffff"}
_ALIGN = {"start": "left", "middle": "center", "end": "right"}


def draw(scene: Scene, path: File) -> None:
    """Write the drawing to ``path``. Equal drawings give equal bytes with one version of matplotlib."""
    wide, high = scene.width + 2 * MARGIN, scene.height + 2 * MARGIN
    canvas = Figure(figsize=(wide / _PIXELS_AN_INCH, high / _PIXELS_AN_INCH), facecolor="white")
    FigureCanvasAgg(canvas)
    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(-MARGIN, scene.width + MARGIN)
    axes.set_ylim(scene.height + MARGIN, -MARGIN)
    for order, shape in enumerate(scene.shapes):
        if isinstance(shape, Path):
            axes.add_patch(_outline(shape, order))
        elif isinstance(shape, Circle):
            look = _look(shape.stroke, shape.fill, shape.width)
            axes.add_patch(RoundPatch((shape.x, shape.y), shape.radius, zorder=order, **look))
        else:
            _write(shape, axes, order)
    canvas.savefig(path, dpi=_DPI, metadata={"Software": None})


def _colour(colour: int | str | None) -> str:
    if colour is None:
        return "none"
    if isinstance(colour, int):
        return PALETTE[colour]
    return _COLOURS.get(colour, colour)


def _points(pixels: float) -> float:
    return pixels * _POINTS / _PIXELS_AN_INCH


def _look(stroke: int | str | None, fill: int | str | None, width: float) -> dict[str, object]:
    return {
        "edgecolor": _colour(stroke),
        "facecolor": _colour(fill),
        "linewidth": _points(width) if stroke is not None else 0.0,
    }


def _outline(path: Path, order: int) -> PathPatch:
    codes = [Outline.MOVETO] + [Outline.LINETO] * (len(path.places) - 1)
    places = list(path.places)
    if path.closed:
        codes.append(Outline.CLOSEPOLY)
        places.append(path.places[0])
    look = _look(path.stroke, path.fill, path.width)
    if path.dash:
        look["linestyle"] = (0, tuple(float(part) / path.width for part in path.dash.split()))
    return PathPatch(Outline(places, codes), alpha=path.opacity, zorder=order, capstyle="butt", **look)


def _write(text: Text, axes: object, order: int) -> None:
    colour = text.colour or ("ink" if text.kind in PLAIN else "soft")
    axes.text(  # type: ignore[attr-defined]
        text.x,
        text.y,
        text.text,
        fontsize=_points(SIZES.get(text.kind, TEXT)),
        fontweight="bold" if text.kind in BOLD else "normal",
        color=_colour(colour),
        ha=_ALIGN[text.anchor],
        va="baseline",
        rotation=-text.turn,
        rotation_mode="anchor",
        zorder=order,
        parse_math=False,  # a $ in a name is a dollar
    )
