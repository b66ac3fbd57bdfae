# SPDX-License-Identifier: MIT
"""Writes a drawing as PNG or PDF with matplotlib, without its layout; imported only when needed.

Equal scenes give equal bytes with the same version of matplotlib: its own fonts are used, and user settings are not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path as File
from typing import Any, Literal

import matplotlib
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.text import Text as Label
from matplotlib.transforms import Affine2D

from lab.drawing.palette import Colour, on_white
from lab.drawing.shapes import FACES, FAMILY, MARGIN, Dots, Drawing, Path, Text
from lab.printable import printable

SCALE = 2  # pixels of a PNG per pixel of the scene
_PIXELS_AN_INCH = 96  # CSS pixels
_POINTS_AN_INCH = 72
_SETTINGS = {"font.family": [FAMILY[0]], "pdf.fonttype": 42}  # 42: TrueType, for text that can be copied and edited
_METADATA: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
_ALIGN: dict[str, Literal["left", "center", "right"]] = {"start": "left", "middle": "center", "end": "right"}


def write(scene: Drawing, path: File) -> None:
    """Write the drawing to ``path``, which ends in ``.png`` or ``.pdf``."""
    wide, high = scene.width + 2 * MARGIN, scene.height + 2 * MARGIN
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # drawn as a box
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        canvas = Figure(figsize=(wide / _PIXELS_AN_INCH, high / _PIXELS_AN_INCH), facecolor=on_white("paper"))
        points = Affine2D().translate(MARGIN, MARGIN).scale(1 / wide, -1 / high).translate(0, 1) + canvas.transFigure
        for order, shape in enumerate(scene.shapes):
            artist = _ARTISTS[type(shape)](shape)
            artist.set_transform(points)
            artist.set_zorder(order)
            canvas.add_artist(artist)
        canvas.savefig(path, dpi=SCALE * _PIXELS_AN_INCH, metadata=_METADATA[path.suffix])


def _points(pixels: float) -> float:
    return pixels * _POINTS_AN_INCH / _PIXELS_AN_INCH


def _colour(colour: Colour | None) -> str:
    return "none" if colour is None else on_white(colour)


def _path(path: Path) -> PathPatch:
    codes = [Outline.MOVETO] + [Outline.LINETO] * (len(path.points) - 1)
    points = list(path.points)
    if path.closed:
        codes.append(Outline.CLOSEPOLY)
        points.append(path.points[0])
    patch = PathPatch(
        Outline(points, codes),
        edgecolor=_colour(path.stroke),
        facecolor=_colour(path.fill),
        linewidth=0 if path.stroke is None else _points(path.width),
        alpha=path.opacity,
        capstyle="butt",
        joinstyle="miter" if path.closed else "round",
    )
    if path.dash:  # in multiples of the line width
        patch.set_linestyle((0, tuple(float(part) / path.width for part in path.dash.split())))
    return patch


def _dots(dots: Dots) -> Line2D:
    return Line2D(
        [x for x, _ in dots.points],
        [y for _, y in dots.points],
        linestyle="none",
        marker="o",
        markersize=_points(2 * dots.radius),
        markerfacecolor=_colour(dots.fill),
        markeredgecolor=_colour(dots.stroke),
        markeredgewidth=0 if dots.stroke is None else _points(dots.width),
    )


def _text(text: Text) -> Label:
    face = FACES[text.face]
    return Label(
        text.x,
        text.y,
        printable(text.text),
        fontsize=_points(face.size),
        fontweight="bold" if face.bold else "normal",
        color=_colour(face.colour if text.colour is None else text.colour),
        horizontalalignment=_ALIGN[text.anchor],
        verticalalignment="baseline",
        rotation=-text.turn,
        rotation_mode="anchor",
        parse_math=False,  # a $ in a name is not mathematics
    )


_ARTISTS: dict[type, Callable[[Any], Artist]] = {Path: _path, Dots: _dots, Text: _text}
