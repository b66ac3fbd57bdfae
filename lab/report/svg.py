# SPDX-License-Identifier: MIT
"""Draws figures as SVG, in milliseconds and without a plotting library, so that each run can afford its report.

Colours are CSS variables: inside report.html the page sets them, a file of its own carries STYLE, and both follow
the reader's light or dark scheme. Coordinates are rounded to a hundredth, so equal records give equal files.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from lab.report.figure import DASHES, PALETTE, PALETTE_DARK, Figure, Line, Panel
from lab.report.numbers import plain, ticks

WIDTH = 880
_TOP, _BOTTOM, _LEFT, _RIGHT, _BETWEEN = 58, 46, 62, 16, 56
_LEGEND = 22
_RULE_LABELS = 18
_ROW = 34  # height of a row of spans
_CHARACTER = 6.6  # width of one, on average, at the size of labels


def _variables(palette: tuple[str, ...], ink: str, soft: str, grid: str, paper: str) -> str:
    colours = "".join(f"--c{index}:{colour};" for index, colour in enumerate(palette))
    return f"{colours}--ink:{ink};--soft:{soft};--grid:{grid};--paper:{paper};"


LIGHT = _variables(PALETTE, "#1c2127", "#5b6570", "#dfe3e8", "#ffffff")
DARK = _variables(PALETTE_DARK, "#e8eaed", "#a2abb5", "#343b43", "#15181c")
MARKS = """
.plot{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
.plot .title{font-size:15px;font-weight:600}
.plot .about,.plot .tick,.plot .axis,.plot .mark{fill:var(--soft)}
.plot .panel{font-weight:600}
.plot .grid{stroke:var(--grid);stroke-width:1}
.plot .base{stroke:var(--soft);stroke-width:1}
.plot .rule{stroke:var(--ink);stroke-width:1;stroke-dasharray:3 3;opacity:.65}
.plot .band{fill:var(--soft);opacity:.16}
.plot .tint{opacity:.16}
.plot .line{fill:none;stroke-width:1.8;stroke-linejoin:round}
.plot .thin{opacity:.9}
"""
STYLE = (
    f"<style>svg{{{LIGHT}background:var(--paper)}}@media (prefers-color-scheme:dark){{svg{{{DARK}}}}}{MARKS}</style>"
)


@dataclass(frozen=True)
class _Box:
    """Where a panel's axes lie, and how its numbers become coordinates."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def right(self) -> float:
        return self.left + self.width

    def x(self, value: float) -> float:
        low, high = self.x_range
        position = self.left + (value - low) / (high - low) * self.width
        return min(max(position, self.left), self.right)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.bottom - (value - low) / (high - low) * self.height


def draw(figure: Figure, *, standalone: bool = False) -> str:
    """The figure as an ``<svg>`` element; ``standalone``: as the content of a file."""
    legend, legend_rows = _legend(figure)
    head = _TOP + _LEGEND * legend_rows + (_RULE_LABELS if _has_marks(figure) else 0)
    body = _body_height(figure)
    height = head + body + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(figure.title)}">',
        STYLE if standalone else "",
        _text(0, 18, figure.title, "title"),
        _text(0, 37, figure.about, "about"),
        legend,
    ]
    count = len(figure.panels)
    left = max(_LEFT, *(_label_width(panel) for panel in figure.panels))
    width = (WIDTH - left - _RIGHT - (count - 1) * _BETWEEN) / count
    for index, panel in enumerate(figure.panels):
        y_range = (0.0, float(len(panel.rows))) if panel.rows else _shared_y(figure)
        box = _Box(left + index * (width + _BETWEEN), head, width, body, panel.x_range, y_range)
        parts += _chart(panel, box) if panel.rows else _plot(panel, box, first=index == 0)
    return "".join(parts) + "</svg>\n"


def _shared_y(figure: Figure) -> tuple[float, float]:
    """Panels side by side are there to be compared: one y axis for all."""
    ranges = [panel.y_range for panel in figure.panels]
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _has_marks(figure: Figure) -> bool:
    return any(panel.title or panel.rules or any(band.label for band in panel.bands) for panel in figure.panels)


def _body_height(figure: Figure) -> int:
    rows = max(len(panel.rows) for panel in figure.panels)
    return rows * _ROW if rows else figure.height - _TOP - _BOTTOM


def _label_width(panel: Panel) -> float:
    return max((len(row) for row in panel.rows), default=0) * _CHARACTER + 14


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start", turn: bool = False) -> str:
    turned = f' transform="rotate(-90 {_n(x)} {_n(y)})"' if turn else ""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{_n(x)}" y="{_n(y)}" class="{kind}"{placed}{turned}>{escape(text)}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<path d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" class="{kind}"/>'


def _bar(x: float, y: float, width: float, height: float, attributes: str, title: str = "") -> str:
    told = f"<title>{escape(title)}</title>" if title else ""
    return f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" {attributes}>{told}</rect>'


def _legend(figure: Figure) -> tuple[str, int]:
    """The legend and how many rows it takes."""
    x, row, parts = 0.0, 0, []
    for label, colour in figure.legend:
        width = 34 + len(label) * _CHARACTER
        if x and x + width > WIDTH:
            x, row = 0.0, row + 1
        y = 48 + row * _LEGEND
        parts.append(_bar(x, y, 12, 12, f'fill="var(--c{colour})" rx="2"'))
        parts.append(_text(x + 17, y + 10, label, "mark"))
        x += width
    return "".join(parts), row + 1 if figure.legend else 0


def _x_axis(panel: Panel, box: _Box) -> list[str]:
    parts = [_stroke(box.left, box.bottom, box.right, box.bottom, "base")]
    for value in ticks(*panel.x_range, wanted=max(2, int(box.width / 80))):
        x = box.x(value)
        parts.append(_stroke(x, box.bottom, x, box.bottom + 4, "base"))
        parts.append(_text(x, box.bottom + 17, plain(value), "tick", "middle"))
    parts.append(_text(box.left + box.width / 2, box.bottom + 36, panel.x_label, "axis", "middle"))
    return parts


def _plot(panel: Panel, box: _Box, *, first: bool) -> list[str]:
    """Lines over numbers."""
    parts = []
    for value in ticks(*box.y_range, wanted=5):
        parts.append(_stroke(box.left, box.y(value), box.right, box.y(value), "grid"))
        parts.append(_text(box.left - 7, box.y(value) + 4, plain(value), "tick", "end"))
    if first:
        parts.append(_text(13, box.top + box.height / 2, panel.y_label, "axis", "middle", turn=True))
    parts += _backdrop(panel, box)
    for line in panel.lines:
        parts += _line(line, box)
    return parts + _x_axis(panel, box)


def _backdrop(panel: Panel, box: _Box) -> list[str]:
    """What lies behind the lines: bands and rules, labelled above the axes."""
    parts = [_text(box.left, box.top - 8, panel.title, "panel")] if panel.title else []
    for band in panel.bands:
        x, width = box.x(band.begin), max(box.x(band.end) - box.x(band.begin), 1.5)
        attributes = 'class="band"' if band.colour is None else f'class="tint" fill="var(--c{band.colour})"'
        parts.append(_bar(x, box.top, width, box.height, attributes, band.label))
        if band.label and not panel.title:
            parts.append(_text(x + width / 2, box.top - 8, band.label, "mark", "middle"))
    for rule in panel.rules:
        x = box.x(rule.x)
        parts.append(_stroke(x, box.top, x, box.bottom, "rule"))
        parts.append(_text(x, box.top - 8, rule.label, "mark", "middle"))
    return parts


def _line(line: Line, box: _Box) -> list[str]:
    colour, dash = f"var(--c{line.colour})", DASHES[line.colour % len(DASHES)]
    points = [(box.x(x), box.y(y)) for x, y in zip(line.x, line.y, strict=True)]
    if line.dots:
        dots = "".join(f"M{_n(x)} {_n(y)}h0" for x, y in points)
        return [f'<path d="{dots}" fill="none" stroke="{colour}" stroke-width="3" stroke-linecap="round"/>']
    parts = []
    for run in _runs(line, points):
        path = _steps(run) if line.step else "L".join(f"{_n(x)} {_n(y)}" for x, y in run)
        if line.area or line.solid:
            base = box.y(max(box.y_range[0], 0.0))
            closed = f"M{_n(run[0][0])} {_n(base)}L{path}L{_n(run[-1][0])} {_n(base)}Z"
            tint = "" if line.solid else ' class="tint"'
            parts.append(f'<path d="{closed}"{tint} fill="{colour}"/>')
        if line.solid:
            continue
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(f'<path d="M{path}" class="line" stroke="{colour}"{dashed}/>')
    return parts


def _runs(line: Line, points: list[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Stretches without a gap."""
    runs: list[list[tuple[float, float]]] = []
    for index, point in enumerate(points):
        apart = index == 0 or (line.gap is not None and line.x[index] - line.x[index - 1] > line.gap)
        if apart:
            runs.append([])
        runs[-1].append(point)
    return runs


def _steps(points: list[tuple[float, float]]) -> str:
    """Each value holds from the point before it to its own."""
    path = [f"{_n(points[0][0])} {_n(points[0][1])}"]
    for x, y in points[1:]:
        path.append(f"V{_n(y)}H{_n(x)}")
    return "".join(path)


def _chart(panel: Panel, box: _Box) -> list[str]:
    """Spans in rows."""
    parts = []
    for value in ticks(*panel.x_range, wanted=max(2, int(box.width / 80))):
        parts.append(_stroke(box.x(value), box.top, box.x(value), box.bottom, "grid"))
    for index, row in enumerate(panel.rows):
        parts.append(_text(box.left - 9, box.top + index * _ROW + _ROW / 2 + 4, row, "tick", "end"))
    parts += _backdrop(panel, box)
    for span in panel.spans:
        x, width = box.x(span.begin), max(box.x(span.end) - box.x(span.begin), 1.2)
        top = box.top + span.row * _ROW
        fill = f'fill="var(--c{span.colour})"'
        if span.thin:
            parts.append(_bar(x, top + _ROW - 9, width, 3, 'fill="var(--ink)" class="thin"', span.label))
            parts.append(_span_label(span.label, x, width, top + _ROW / 2 + 4, box))
        else:
            parts.append(_bar(x, top + 7, width, _ROW - 18, f'{fill} rx="1.5"', span.label))
    return parts + _x_axis(panel, box)


def _span_label(label: str, x: float, width: float, y: float, box: _Box) -> str:
    """Right of the span, or left of it where there is no room."""
    if x + width + len(label) * _CHARACTER + 10 < box.right:
        return _text(x + width + 8, y, label, "mark")
    return _text(x - 8, y, label, "mark", "end")
