# SPDX-License-Identifier: MIT
"""Widths of texts."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.ft2font import FT2Font, LoadFlags

from lab.drawing.shapes import FACES
from lab.drawing.words import shortened, text_width, wrapped


@pytest.mark.parametrize(("kind", "file"), [("tick", "DejaVuSans.ttf"), ("title", "DejaVuSans-Bold.ttf")])
def test_widths_are_those_of_the_font(kind: str, file: str) -> None:
    font = FT2Font(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / file))
    font.set_size(FACES[kind].size, 72)
    for code in range(ord(" "), ord("~") + 1):
        glyph = font.load_char(code, flags=LoadFlags.NO_HINTING)
        assert text_width(chr(code), kind) == pytest.approx(glyph.linearHoriAdvance / 65536, abs=0.02), chr(code)


@given(st.text(max_size=80), st.floats(20, 300))
def test_shortened_texts_fit(text: str, room: float) -> None:
    found = shortened(text, room)
    assert text_width(found) <= room
    assert found == " ".join(text.split()) or found.endswith("…")


@given(st.text(max_size=200))
def test_wrapped_texts_fit(text: str) -> None:
    lines = wrapped(text, 150, "about")
    assert all(text_width(line, "about") <= 150 for line in lines)
