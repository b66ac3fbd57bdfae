# SPDX-License-Identifier: MIT
"""The kind of SVG that the lab once drew: colours and strokes from CSS with variables, which only browsers know."""

from __future__ import annotations

import re

from lab.drawing.palette import NAMED, PALETTE

_COLOURS = {colour: f"c{number}" for number, colour in enumerate(PALETTE)}
_COLOURS |= {colours[0]: name for name, colours in NAMED.items()}


def with_variables(svg: str) -> str:
    """The same drawing in that kind, which had no paper but a background of CSS."""
    style = "".join(f"--{name}:{colour};" for colour, name in _COLOURS.items())
    svg = re.sub(
        r'(fill|stroke)="(#[0-9a-f]{6})"',
        lambda found: f'{found[1]}="var(--{_COLOURS[found[2]]})"' if found[2] in _COLOURS else found[0],
        svg,
    )
    return re.sub("<style>.*</style><path .*?/>", f"<style>svg{{{style}background:var(--paper)}}</style>", svg)
