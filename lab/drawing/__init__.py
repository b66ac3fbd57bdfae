# SPDX-License-Identifier: MIT
"""All that is drawn: what a figure shows (figure, marks), where it goes (layout), and files of it (svg, paper).

    scene = lay_out(Figure("goodput", "One transfer", "bytes that arrived, per second", [Panel(...)]))
    svg(scene)                                    # an element of a page
    save(scene, directory / "goodput", FORMATS)   # goodput.svg, goodput.png, goodput.pdf

A scene is laid out once; the writers put the same shapes into a file and know nothing of figures.
"""

from lab.drawing.figure import Figure, Panel
from lab.drawing.files import FORMATS, save
from lab.drawing.layout import WIDTH, lay_out
from lab.drawing.marks import Band, Line, Rule, Span
from lab.drawing.palette import PALETTE
from lab.drawing.svg import svg

__all__ = [
    "FORMATS",
    "PALETTE",
    "WIDTH",
    "Band",
    "Figure",
    "Line",
    "Panel",
    "Rule",
    "Span",
    "lay_out",
    "save",
    "svg",
]
