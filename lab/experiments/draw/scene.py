# SPDX-License-Identifier: MIT
"""A drawing as a list of shapes, which lab.experiments.draw.scene writes as SVG and lab.experiments.draw.png as PNG.

Both show the same, since nothing is laid out after this. Colours are numbers of lab.report.figure's palette, the
names of the page's own colours (ink, soft, grid, paper), or #rrggbb. Lengths are in pixels of the SVG.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from lab.report.svg import STYLE
from lab.report.text import printable

Place = tuple[float, float]
SIZES = {"title": 15.0, "note": 10.5}  # others: TEXT
TEXT = 12.0
MARGIN = 12.0  # around a drawing that is a file of its own
BOLD = ("title", "panel")
PLAIN = ("title", "panel", "inside")  # in the colour of ink, or their own; others are soft
_NARROW, _WIDE = "iljI.,:;'|!()[]{}ftr -/", "mwMW@%…—→"


@dataclass(frozen=True)
class Path:
    """Straight lines through places."""

    places: tuple[Place, ...]
    stroke: int | str | None = None
    fill: int | str | None = None
    closed: bool = False
    width: float = 1.8
    dash: str = ""
    opacity: float = 1.0
    tip: str = ""  # shown under the pointer


@dataclass(frozen=True)
class Circle:
    """A circle."""

    x: float
    y: float
    radius: float
    stroke: int | str | None = None
    fill: int | str | None = None
    width: float = 1.6
    tip: str = ""


@dataclass(frozen=True)
class Text:
    """A line of text; ``turn``: degrees, clockwise."""

    x: float
    y: float
    text: str
    kind: str  # title, about, panel, tick, axis, mark, inside, note
    anchor: str = "start"
    turn: float = 0.0
    colour: str | None = None


@dataclass(frozen=True)
class Scene:
    """All shapes, those behind first."""

    width: float
    height: float
    title: str
    shapes: list[Path | Circle | Text] = field(default_factory=list)


def text_width(text: str, kind: str = "tick") -> float:
    """How wide a text is, in pixels: an estimate for DejaVu Sans, which is wider than most."""
    size = SIZES.get(kind, TEXT)
    share = 0.0
    for letter in text:
        share += 0.37 if letter in _NARROW else 0.92 if letter in _WIDE else 0.7 if letter.isupper() else 0.62
        share += 0.4 if ord(letter) > 0x2E7F else 0.0  # of the scripts of East Asia
    return share * size * (1.08 if kind in BOLD else 1.0)


def shortened(text: str, room: float, kind: str = "tick") -> str:
    """The text, or as much of it as there is room for, and an ellipsis. Line breaks become spaces."""
    text = " ".join(text.split())
    if text_width(text, kind) <= room:
        return text
    while text and text_width(text + "…", kind) > room:
        text = text[:-1]
    return text + "…"


def wrapped(text: str, room: float, kind: str) -> list[str]:
    """The text in lines that fit; a word that does not is shortened."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", kind) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(shortened(word, room, kind))
    return lines


def svg(scene: Scene, *, standalone: bool = False) -> str:
    """As an ``<svg>`` element; ``standalone``: as the content of a file."""
    margin = MARGIN if standalone else 0.0
    view = (-margin, -margin, scene.width + 2 * margin, scene.height + 2 * margin)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="{" ".join(map(_n, view))}" '
        f'role="img" aria-label="{_escaped(scene.title)}">',
        STYLE if standalone else "",
    ]
    for shape in scene.shapes:
        if isinstance(shape, Path):
            parts.append(_path(shape))
        elif isinstance(shape, Circle):
            where = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"'
            paint = _paint(shape.stroke, shape.fill, shape.width)
            parts.append(f"<circle {where}{paint}{_tip('circle', shape.tip)}")
        else:
            parts.append(_text(shape))
    return "".join(parts) + "</svg>\n"


def _escaped(text: str) -> str:
    return escape(printable(text))


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _colour(colour: int | str) -> str:
    if isinstance(colour, int):
        return f"var(--c{colour})"
    return colour if colour.startswith("#") else f"var(--{colour})"


def _paint(stroke: int | str | None, fill: int | str | None, width: float) -> str:
    painted = f' fill="{_colour(fill)}"' if fill is not None else ' fill="none"'
    if stroke is not None:
        painted += f' stroke="{_colour(stroke)}" stroke-width="{_n(width)}"'
    return painted


def _tip(tag: str, tip: str) -> str:
    return f"><title>{_escaped(tip)}</title></{tag}>" if tip else "/>"


def _path(path: Path) -> str:
    data = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in path.places) + ("Z" if path.closed else "")
    extra = f' stroke-dasharray="{path.dash}"' if path.dash else ""
    extra += f' opacity="{_n(path.opacity)}"' if path.opacity != 1 else ""
    extra += ' stroke-linejoin="round"' if len(path.places) > 2 and not path.closed else ""
    return f'<path d="{data}"{_paint(path.stroke, path.fill, path.width)}{extra}{_tip("path", path.tip)}'


def _text(text: Text) -> str:
    turned = f' transform="rotate({_n(text.turn)} {_n(text.x)} {_n(text.y)})"' if text.turn else ""
    placed = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    look = f' style="fill:{_colour(text.colour)}"' if text.colour else ""
    if text.kind == "note":
        look = f' style="font-size:{_n(SIZES["note"])}px;fill:{_colour(text.colour or "soft")}"'
    return (
        f'<text x="{_n(text.x)}" y="{_n(text.y)}" class="{text.kind}"{placed}{turned}{look}>'
        f"{_escaped(text.text)}</text>"
    )
