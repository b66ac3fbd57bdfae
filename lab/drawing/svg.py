# SPDX-License-Identifier: MIT
"""Writes a drawing as SVG that looks the same in a browser, in Inkscape, in office programs and in LaTeX.

Elements have presentation attributes with literal colours. Classes and a style sheet override them for readers who
prefer dark pages. Coordinates are rounded to 0.01: equal scenes give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from lab.drawing.palette import Colour, class_of, dark_style, on_white
from lab.drawing.shapes import FACES, FAMILY, MARGIN, XY, Dots, Drawing, Path, Shape, Text, box
from lab.printable import printable

_FAMILY = ",".join(FAMILY)


def svg(scene: Drawing, *, standalone: bool = False) -> str:
    """Return an ``<svg>`` element for a page with ``palette.page_style``; with ``standalone``, for its own file."""
    margin, shapes, size, style = 0.0, scene.shapes, "", ""
    if standalone:
        margin = MARGIN
        paper = box(-margin, -margin, scene.width + margin, scene.height + margin)
        shapes = [Path(paper, fill="paper", closed=True), *shapes]
        size = f' width="{_n(scene.width + 2 * margin)}" height="{_n(scene.height + 2 * margin)}"'
        style = f"<style>{dark_style({name for shape in shapes for name in _classes(shape)})}</style>"
    view = " ".join(map(_n, (-margin, -margin, scene.width + 2 * margin, scene.height + 2 * margin)))
    body = "".join(_WRITERS[type(shape)](shape) for shape in shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot"{size} viewBox="{view}" role="img" '
        f'aria-label="{_escaped(scene.title)}">{style}{body}</svg>\n'
    )


def _escaped(text: str) -> str:
    return escape(printable(text))


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _colours(shape: Shape) -> dict[str, Colour | None]:
    if isinstance(shape, Text):
        return {"fill": FACES[shape.face].colour if shape.colour is None else shape.colour, "stroke": None}
    return {"fill": shape.fill, "stroke": shape.stroke}


def _classes(shape: Shape) -> list[str]:
    found = [class_of(what, colour) for what, colour in _colours(shape).items() if colour is not None]
    return [name for name in found if name]


def _look(shape: Shape) -> str:
    """Return class and colours of an element."""
    classes = " ".join(_classes(shape))
    attributes = f' class="{classes}"' if classes else ""
    for what, colour in _colours(shape).items():
        attributes += f' {what}="{"none" if colour is None else on_white(colour)}"'
    if not isinstance(shape, Text) and shape.stroke is not None:
        attributes += f' stroke-width="{_n(shape.width)}"'
    return attributes


def _element(data: str, shape: Path | Dots, extra: str = "") -> str:
    tip = f"><title>{_escaped(shape.tip)}</title></path>" if shape.tip else "/>"
    return f'<path d="{data}"{_look(shape)}{extra}{tip}'


def _path(path: Path) -> str:
    extra = f' stroke-dasharray="{path.dash}"' if path.dash else ""
    extra += f' opacity="{_n(path.opacity)}"' if path.opacity != 1 else ""
    extra += ' stroke-linejoin="round"' if len(path.points) > 2 and not path.closed else ""
    return _element(_data(path.points) + ("Z" if path.closed else ""), path, extra)


def _data(points: tuple[XY, ...]) -> str:
    """Return path data, with short commands for horizontal and vertical lines."""
    parts: list[str] = []
    before = ("", "")
    for x, y in ((_n(x), _n(y)) for x, y in points):
        if not parts:
            parts.append(f"M{x} {y}")
        elif y == before[1]:
            parts.append(f"H{x}")
        elif x == before[0]:
            parts.append(f"V{y}")
        else:
            parts.append(f"L{x} {y}")
        before = x, y
    return "".join(parts)


def _dots(dots: Dots) -> str:
    r, wide = _n(dots.radius), _n(2 * dots.radius)
    circle = f"a{r} {r} 0 1 0 {wide} 0a{r} {r} 0 1 0 -{wide} 0z"
    return _element("".join(f"M{_n(x - dots.radius)} {_n(y)}{circle}" for x, y in dots.points), dots)


def _text(text: Text) -> str:
    face = FACES[text.face]
    font = f' font-family="{_FAMILY}" font-size="{_n(face.size)}"' + (' font-weight="bold"' if face.bold else "")
    turned = f' transform="rotate({_n(text.turn)} {_n(text.x)} {_n(text.y)})"' if text.turn else ""
    anchor = f' text-anchor="{text.anchor}"'
    where = f'x="{_n(text.x)}" y="{_n(text.y)}"'
    return f"<text {where}{_look(text)}{font}{anchor}{turned}>{_escaped(text.text)}</text>"


_WRITERS: dict[type, Callable[[Any], str]] = {Path: _path, Dots: _dots, Text: _text}
