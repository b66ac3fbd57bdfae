# SPDX-License-Identifier: MIT
"""Writes a drawing to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from lab.drawing.shapes import Drawing
from lab.drawing.svg import svg
from lab.errors import ELSEWHERE, writing


def save(scene: Drawing, stem: Path, formats: Iterable[str], hint: str = ELSEWHERE) -> None:
    """Write ``stem.svg``, ``stem.png``, … for each of ``formats`` (see FORMATS); raise HostError if that fails."""
    for name in formats:
        path = stem.with_name(f"{stem.name}.{name}")
        with writing(path, hint):
            _WRITERS[name](scene, path)


def _svg(scene: Drawing, path: Path) -> None:
    path.write_text(svg(scene, standalone=True), encoding="utf-8", newline="")


def _paper(scene: Drawing, path: Path) -> None:
    from lab.drawing.paper import write  # imports matplotlib, which takes half a second

    write(scene, path)


_WRITERS: dict[str, Callable[[Drawing, Path], None]] = {"svg": _svg, "png": _paper, "pdf": _paper}
FORMATS = tuple(_WRITERS)
