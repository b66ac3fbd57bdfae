# SPDX-License-Identifier: MIT
"""The end of a log, and the beginning of an output, however long they are."""

import re
from pathlib import Path

from lab.printable import printable
from lab.text import first_lines, last_lines


def test_only_the_end_of_a_log_is_read_and_long_lines_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    assert last_lines(path, 3) == []
    path.write_bytes(b"first\n" + b"x" * 1000 + b"\n\xff\nlast\n")
    assert last_lines(path, 2) == ["\ufffd", "last"]
    assert last_lines(path, 3)[0] == "x" * 300 + "…"
    path.write_bytes(b"y" * 10_000_000)
    assert last_lines(path, 3) == ["y" * 300 + "…"]


def test_the_beginning_of_an_output_is_short_and_names_its_file() -> None:
    assert first_lines("a\nb\n", 2, "raw/exec/1-h1.out") == ["a", "b"]
    assert first_lines(f"{'x' * 301}\nb\nc", 1, "FILE") == [
        f"{'x' * 300}… (the whole line: FILE)",
        "… 2 more lines: FILE",
    ]
    assert first_lines("a\n", 2, "FILE", more=7) == ["a", "… 7 more lines: FILE"]


def test_equal_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("begun\n" + "busy\n" * 38 + "twice\ntwice\nend\n")
    assert last_lines(path, 6) == ["begun", "busy", "… 37 more equal lines", "twice", "twice", "end"]
    assert last_lines(path, 2) == ["twice", "end"]
    path.write_text("y\n" * 100_000)
    assert last_lines(path, 5) == ["y", "… at least 32766 more equal lines"]
    path.write_text("")
    assert last_lines(path, 5) == []


def test_lines_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("begun\nno rfkill\nno rfkill\nend\n")
    assert last_lines(path, 2, re.compile("rfkill")) == ["begun", "end"]


def test_what_controls_terminals_or_reorders_text_is_escaped() -> None:
    assert printable("a\x1b[2J\u202eb\x9b\ud800\x00\r!") == "a\\x1b[2J\\u202eb\\x9b\\ud800\\x00\\r!"
    assert printable("µ\té\n… 日本 \N{NO-BREAK SPACE}\r\n") == "µ\té\n… 日本 \N{NO-BREAK SPACE}\r\n"
