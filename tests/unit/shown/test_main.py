# SPDX-License-Identifier: MIT
"""The verb as a whole, on commands that need no guest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.shown import printed
from tests.shown.__main__ import main

PAGE = """\
# Page

<!-- file: a.yaml -->
```yaml
name: a
nodes:
  h1: {kind: host}
  h2: {kind: host}
links:
  - {between: [h1, h2], delay: 16 ms}
```

It has a delay of 15 ms.

```
$ lab show a.yaml idle
idle on a: 60 s, seed 1
…
name   ends                shape
h1-h2  h1-eth0 to h2-eth0  delay 15 ms
$ lab shell a.yaml
lab> exit
$ firefox report.html
```
"""


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["shown", *words])
    return main()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def test_stale_lines_are_reported_by_file_and_line(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, str(page)) == 1
    assert page.read_text() == PAGE
    assert (
        capsys.readouterr().out
        == f"""\
{page}:20
  shown    h1-h2  h1-eth0 to h2-eth0  delay 15 ms
  printed  h1-h2  h1-eth0 to h2-eth0  delay 16 ms
{page}:22: not run: a shell runs in real time, so its output differs each time
{page}:13: prose says 15; the block had 15, now 16
3 lines of 1 commands: 1 stale, 0 to check by hand
"""
    )


def test_write_puts_in_what_is_printed_now(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, str(page), "--write") == 0
    assert page.read_text() == PAGE.replace("h2-eth0  delay 15 ms", "h2-eth0  delay 16 ms")
    assert run(monkeypatch, str(page)) == 0


def test_what_is_no_longer_printed_is_for_a_person(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page.write_text(PAGE.replace("h1-h2  h1", "h1-h3  h1").replace("lab show a.yaml", "lab show b.yaml"))
    assert run(monkeypatch, str(page), "--write") == 1
    output = capsys.readouterr().out
    assert f"{page}:20\n  shown    h1-h3  h1-eth0 to h2-eth0  delay 15 ms\n  printed  no clear counterpart" in output
    assert "lab show b.yaml idle ended with status 2: lab: " in output
    assert "0 stale, 3 to check by hand" in output


def test_a_comment_that_means_nothing_is_reported(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page.write_text(f"<!-- file: b.yaml from c.yaml; x -> y -->\n{PAGE}")
    assert run(monkeypatch, str(page)) == 1
    assert f"{page}:1: no block shows the file c.yaml" in capsys.readouterr().out


DRAWING = """\
<!-- draws: images/table.svg -->
```
$ lab --version
$ python -m tests.unit.shown.draw {}
```
"""


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    """A page with a picture that its command does not draw any more."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "table.svg").write_text("<svg/>")
    path = tmp_path / "page.md"
    path.write_text(DRAWING.format("table.svg"))
    return path


def test_a_picture_that_is_not_drawn_any_more_is_stale_and_is_replaced(
    drawing: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = drawing.parent / "images" / "table.svg"
    assert run(monkeypatch, str(drawing)) == 1
    assert f"{drawing}:5: images/table.svg is not the picture that is drawn now" in capsys.readouterr().out
    assert picture.read_text() == "<svg/>"
    assert run(monkeypatch, str(drawing), "--write") == 0
    assert picture.read_text() == "drawn"
    assert run(monkeypatch, str(drawing)) == 0


def test_a_picture_that_no_command_draws_is_for_a_person(
    drawing: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing.write_text(DRAWING.format("chair.svg"))
    assert run(monkeypatch, str(drawing), "--write") == 1
    assert "python -m tests.unit.shown.draw chair.svg has not drawn table.svg" in capsys.readouterr().out


def test_programs_of_python_are_for_readers() -> None:
    assert printed.why_not(["python", "-m", "workloads.chat.ladder"]) is None
    assert printed.why_not(["lab", "shell", "one-ap", "<", "commands"]) is None
    assert "real time" in (printed.why_not(["lab", "shell", "one-ap"]) or "")
    assert printed.why_not(["python", "workloads/chat/theory.py"]) == "of Python, only modules are run (python -m)"


def test_a_terminal_of_80_columns_is_what_commands_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LINES", "50")
    output = printed.run(["lab", "list"], tmp_path)
    assert output.status == 0
    assert 70 < max(map(len, output.lines)) <= 80
    assert not any("\x1b" in line for line in output.lines)


def test_a_word_that_ends_in_a_star_stands_for_files(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "cell.yaml").write_text("name: cell\n")
    (line, *_) = printed.run(["lab", "check", "given/*"], tmp_path).lines
    assert line.startswith("lab: given/cell.yaml:1 ")
    (line, *_) = printed.run(["lab", "check", "none/*"], tmp_path).lines
    assert "none/*" in line
