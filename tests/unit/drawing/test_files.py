# SPDX-License-Identifier: MIT
"""SVG, PNG and PDF of every kind of chart show the same, outside of a browser too."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lab.drawing import FORMATS, save, svg
from lab.drawing.paper import SCALE
from lab.drawing.shapes import MARGIN, Drawing, Text
from lab.drawing.shapes import Path as Lines

from . import samples
from .rendered import apart, rsvg, size
from .variables import with_variables

MOST_APART = 5.0  # of 255; letters and edges, which two programs smooth in two ways, come to 1 to 4
NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", samples.NAMES)
def test_svg_and_png_are_the_same_picture(name: str, tmp_path: Path) -> None:
    scene = samples.scene(name)
    save(scene, tmp_path / name, ["svg", "png"])
    theirs, ours = rsvg(tmp_path / f"{name}.svg"), tmp_path / f"{name}.png"
    assert size(theirs) == size(ours) == (SCALE * (scene.width + 2 * MARGIN), SCALE * (scene.height + 2 * MARGIN))
    assert apart(theirs, ours) < MOST_APART


@pytest.mark.parametrize("name", ["lines", "bar", "heat-map"])
def test_svg_with_variables_would_be_noticed(name: str, tmp_path: Path) -> None:
    save(samples.scene(name), tmp_path / name, ["svg", "png"])
    old = tmp_path / "old.svg"
    old.write_text(with_variables((tmp_path / f"{name}.svg").read_text()))
    assert apart(rsvg(old), tmp_path / f"{name}.png") > MOST_APART


def test_a_line_that_is_missing_would_be_noticed(tmp_path: Path) -> None:
    scene = samples.scene("lines")
    (tmp_path / "without").mkdir()
    save(scene, tmp_path / "lines", ["svg"])
    lines = [shape for shape in scene.shapes if isinstance(shape, Lines) and len(shape.points) > 20]
    rest = [shape for shape in scene.shapes if shape not in lines]
    assert len(lines) == 2
    save(Drawing(scene.width, scene.height, scene.title, rest), tmp_path / "without" / "lines", ["png"])
    assert apart(rsvg(tmp_path / "lines.svg"), tmp_path / "without" / "lines.png") > MOST_APART


@pytest.mark.parametrize("name", samples.NAMES)
def test_each_element_says_how_it_looks(name: str) -> None:
    text = svg(samples.scene(name), standalone=True)
    assert "var(" not in text and "style=" not in text and text.count("<style>") == 1
    for element in ET.fromstring(text).iter():
        tag = element.tag.removeprefix(NAMESPACE)
        if tag in ("svg", "title", "style"):
            continue
        for paint in ("fill", "stroke"):
            assert re.fullmatch("none|#[0-9a-f]{6}", element.attrib[paint])
        if tag == "text":
            assert {"font-family", "font-size", "text-anchor"} <= element.attrib.keys()
        elif element.attrib["stroke"] != "none":
            assert float(element.attrib["stroke-width"]) > 0


@pytest.mark.parametrize("name", samples.NAMES)
def test_every_word_of_a_figure_is_text_in_its_pdf(name: str, tmp_path: Path) -> None:
    scene = samples.scene(name)
    save(scene, tmp_path / name, ["pdf"])
    path = tmp_path / f"{name}.pdf"
    found = subprocess.run(["pdftotext", "-raw", path, "-"], check=True, capture_output=True, text=True).stdout
    letters = "".join(found.split())
    for shape in scene.shapes:
        if isinstance(shape, Text) and not shape.turn:
            assert "".join(shape.text.split()) in letters
    fonts = subprocess.run(["pdffonts", path], check=True, capture_output=True, text=True).stdout
    assert "CID TrueType" in fonts and "Type 3" not in fonts  # which publishers refuse


@pytest.mark.parametrize("format", FORMATS)
def test_equal_scenes_give_equal_bytes(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        save(samples.scene("box"), tmp_path / name, [format])
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")  # dates are in none of them
    assert (tmp_path / f"one.{format}").read_bytes() == (tmp_path / f"two.{format}").read_bytes()


def test_settings_of_a_reader_do_not_count(tmp_path: Path) -> None:
    import matplotlib

    for name, settings in (("one", {}), ("two", {"font.family": ["serif"], "lines.scale_dashes": False})):
        with matplotlib.rc_context(settings):
            save(samples.scene("lines"), tmp_path / name, ["png"])
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_letters_that_no_font_has_are_no_warning(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    shapes = [Text(0, 20, "\N{HIRAGANA LETTER A} $x$ \x1b[31m \x00", "about")]
    save(Drawing(100, 40, "any \x00", [*shapes]), tmp_path / "any", FORMATS)
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]
    ET.fromstring((tmp_path / "any.svg").read_text())
