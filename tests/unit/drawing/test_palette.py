# SPDX-License-Identifier: MIT
"""Colours on white and on black."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

from lab.drawing import svg
from lab.drawing.palette import NAMED, PALETTE, PALETTE_DARK, dark_style, dash, of_node, page_style

from . import samples


def brightness(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("palette", "paper"), [(PALETTE, NAMED["paper"][0]), (PALETTE_DARK, NAMED["paper"][1])])
def test_series_can_be_seen_on_their_paper(palette: tuple[str, ...], paper: str) -> None:
    assert all(contrast(colour, paper) > 2.9 for colour in palette)


def place(colour: str) -> list[float]:
    """L*, a* and b* of a colour (CIE 1976)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0888
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, brightness(colour), z))
    return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]


@pytest.mark.parametrize("palette", [PALETTE, PALETTE_DARK])
def test_colours_of_twelve_nodes_differ(palette: tuple[str, ...]) -> None:
    assert len({palette[of_node(number)] for number in range(12)}) == 12
    assert min(math.dist(place(one), place(other)) for one, other in combinations(palette, 2)) > 14


def test_lines_of_one_colour_differ_in_dashes() -> None:
    looks = [(of_node(number), dash(number)) for number in range(24)]
    assert len(set(looks)) == len(looks)


def test_small_text_can_be_read_on_a_projector() -> None:
    for which, least in ((0, 7), (1, 7)):
        assert all(contrast(NAMED[name][which], NAMED["paper"][which]) >= least for name in ("ink", "soft"))


@pytest.mark.parametrize("name", samples.NAMES)
def test_every_class_of_a_drawing_has_a_dark_colour(name: str) -> None:
    text = svg(samples.scene(name), standalone=True)
    style, _, body = text.partition("</style>")
    used = {word for classes in re.findall(r' class="([^"]*)"', body) for word in classes.split()}
    ruled = set(re.findall(r"\.((?:fill|stroke)-\w+)\{", style))
    assert used == ruled
    assert ruled <= set(re.findall(r"\.((?:fill|stroke)-\w+)\{", page_style()))


def test_dark_rules_are_for_browsers_alone() -> None:
    """A program that applies rules inside of ``@media`` regardless must not know their selectors."""
    media, rules = dark_style().split("{", 1)
    assert media == "@media (prefers-color-scheme:dark)"
    selectors = re.findall(r"([^{}]+)\{", rules)
    assert len(selectors) == 2 * (len(PALETTE) + len(NAMED)) and all(each.startswith(":is(") for each in selectors)
