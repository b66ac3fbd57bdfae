# SPDX-License-Identifier: MIT
"""The colours of drawings, on light and dark backgrounds.

A colour is an index into the palette, one of the names of NAMED, or a literal ``#rrggbb`` that is the same on both.
The first six can be distinguished by people with colour blindness (Okabe and Ito, 2008), and are those of series, which
also differ in markers. Nodes have all twelve; then they differ in dashes and rings.
"""

from __future__ import annotations

from collections.abc import Iterable

Colour = int | str

# Okabe and Ito's, without the two that are hard to see on white, and six of Tol's and ColorBrewer's that differ most
# from them; a lighter variant of each for dark backgrounds
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#b05a93", "#c98600", "#2f9fd6",
           "#332288", "#843c39", "#ee6677", "#637939", "#882255", "#6a3d9a")  # fmt: skip
PALETTE_DARK = ("#56b4e9", "#ff8c42", "#2fc79a", "#e39ac4", "#f0b93a", "#8ecdf0",
                "#8769f0", "#f03c5a", "#ffd2d2", "#82913a", "#e13ca5", "#f0e1ff")  # fmt: skip
SERIES = 6  # colours of series
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4")
NAMED = {
    "ink": ("#1c2127", "#e8eaed"),
    "soft": ("#4a545e", "#a2abb5"),
    "grid": ("#dfe3e8", "#343b43"),
    "paper": ("#ffffff", "#15181c"),
}
_DARK = "@media (prefers-color-scheme:dark){{{}}}"


def series(number: int) -> int:
    """Return the colour of a series; colours repeat if there are more series."""
    return number % SERIES


def of_node(number: int) -> int:
    """Return the colour of a node, or of a line over time."""
    return number % len(PALETTE)


def dash(number: int) -> str:
    """Return the dashes of a line over time, which differ for lines of the same colour."""
    return DASHES[(number + number // len(PALETTE)) % len(DASHES)]


def on_white(colour: Colour) -> str:
    """Return the colour as ``#rrggbb``."""
    if isinstance(colour, int):
        return PALETTE[colour]
    return NAMED[colour][0] if colour in NAMED else colour


def class_of(what: str, colour: Colour) -> str:
    """Return the class of an element whose ``what`` (fill or stroke) has this colour; empty for a literal one."""
    return f"{what}-{colour}" if isinstance(colour, int) or colour in NAMED else ""


def dark_style(classes: Iterable[str] | None = None) -> str:
    """Return CSS with the dark colours of these classes (None: of all) for readers who prefer dark pages.

    CSS overrides presentation attributes, which contain the light colours. LibreOffice applies all rules in ``@media``
    but the first as if they were outside it, which would make every drawing dark. It does not know ``:is()``, which
    hides the rules from it.
    """
    dark = {str(number): colour for number, colour in enumerate(PALETTE_DARK)}
    dark |= {name: colours[1] for name, colours in NAMED.items()}
    known = {f"{what}-{name}": f"{what}:{colour}" for what in ("fill", "stroke") for name, colour in dark.items()}
    wanted = known.keys() if classes is None else known.keys() & set(classes)
    rules = "".join(f":is(.plot) .{name}{{{rule}}}" for name, rule in known.items() if name in wanted)
    return _DARK.format(rules)


def page_style() -> str:
    """Return CSS for a page with drawings: its colours as variables, and dark drawings if the page is dark."""
    light, dark = ("".join(f"--{name}:{both[index]};" for name, both in NAMED.items()) for index in (0, 1))
    return f":root{{{light}}}" + _DARK.format(f":root{{{dark}}}") + dark_style()
