# SPDX-License-Identifier: MIT
"""Draws figures: their content (figure, marks), their layout (layout), and files (svg, paper).

    scene = lay_out(Figure("goodput", "One transfer", "bytes that arrived, per second", [Panel(...)]))
    svg(scene)                                    # an element of a page
    save(scene, directory / "goodput", FORMATS)   # goodput.svg, goodput.png, goodput.pdf

Charts of one page are laid out together, so that equal x axes line up.
A scene is laid out once; all writers write the same shapes and do not depend on figures.
"""

from lab.drawing.figure import Figure, Panel
from lab.drawing.files import FORMATS, save
from lab.drawing.layout import WIDTH, lay_out, lay_out_together
from lab.drawing.marks import Band, Line, Rule, Span
from lab.drawing.svg import svg

__all__ = [
    "FORMATS",
    "WIDTH",
    "Band",
    "Figure",
    "Line",
    "Panel",
    "Rule",
    "Span",
    "lay_out",
    "lay_out_together",
    "save",
    "svg",
]
