# SPDX-License-Identifier: MIT
"""Reading YAML: lines are remembered, mistakes are reported with file and line, and nothing but LabError comes out."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputError, LabError
from lab.model.document import Document, parse, scalar
from lab.model.include import read
from tests.refused import refused


def document(text: str) -> Document:
    return parse(text, Path("mine.yaml"), "mine.yaml")


def test_every_key_and_entry_knows_its_line() -> None:
    found = document("a: 1\nlist:\n  - {x: 1,\n     y: 2}\n  - z\n")
    assert found.data == {"a": 1, "list": [{"x": 1, "y": 2}, "z"]}
    assert found.where(("a",)) == "mine.yaml:1"
    assert found.where(("list", 0)) == "mine.yaml:3"
    assert found.where(("list", 0, "y")) == "mine.yaml:4"
    assert found.where(("list", 1)) == "mine.yaml:5"


def test_a_missing_key_is_reported_where_it_should_be() -> None:
    assert document("a:\n  b: 1\n").where(("a", "c")) == "mine.yaml:1"


def test_errors_name_file_line_and_path() -> None:
    error = document("links:\n  - {loss: 5}\n").error(("links", 0, "loss"), '"5" has no unit; write 5%')
    assert str(error) == 'mine.yaml:2  links.0.loss: "5" has no unit; write 5%'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nodes:\n  h1: {kind: host\nlinks: []\n",
            "mine.yaml:2  is not valid YAML: this { is never closed; write } after it\n    h1: {kind: host\n        ^",
        ),
        ("a: b: c\n", 'mine.yaml:1  is not valid YAML: text with ": " needs quotes: a: "b: c"\n  a: b: c\n      ^'),
        ("", "mine.yaml  is empty"),
        ("# only a comment\n", "mine.yaml  is empty"),
        ("a: 1\nb: 2\na: 3\n", "mine.yaml:3  a: is a duplicate of the key at mine.yaml:1"),
        ("a: {{b}}\n", 'mine.yaml:1  a key must be text\n  put text with braces in quotes: "{server.ip}"'),
        ("&a [*a]\n", "mine.yaml:1  is nested too deeply, or refers to itself"),
        ('"a\\0": 1\n', "mine.yaml:1  'a\\x00' is not a valid key: it has unprintable characters; remove them"),
        ('a: "x\\0y"\n', "mine.yaml:1  a: 'x\\x00y' has a zero byte, which ends a text; remove it"),
        ('a: [1,\n "\\ud800"]\n', "mine.yaml:2  a.1: '\\ud800' has half of a UTF-16 pair, not a character; remove it"),
        ("a: !!int many\n", 'mine.yaml:1  "many" is not a valid int'),
        ("a: *b\n", "mine.yaml:1  is not valid YAML: found undefined alias 'b'\n  a: *b\n     ^"),
    ],
)
def test_what_is_not_yaml_is_reported_with_its_line(text: str, message: str) -> None:
    assert refused(document, text) == message


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        document("[" * 5000)
    with pytest.raises(InputError, match="nested too deeply"):
        document("[" * 100 + "]" * 100)


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 9)]
    with pytest.raises(InputError, match="nested too deeply"):
        document("\n".join(lines))


def test_numbers_remember_how_they_were_written() -> None:
    found = document("{a: 010, b: 0x10, c: 1.50, d: 1_000, e: true, f: ~}").data
    assert found == {"a": 10, "b": 16, "c": 1.5, "d": 1000, "e": True, "f": None}
    assert [found[key].written for key in "abcd"] == ["010", "0x10", "1.50", "1_000"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read(tmp_path / "latin.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(InputError, match=r"pipe\.yaml  is not a regular file"):
        read(tmp_path / "pipe.yaml")
    with pytest.raises(InputError, match="/dev/zero  is not a regular file"):
        read(Path("/dev/zero"))
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate(5_000_000_000)
    with pytest.raises(InputError, match=r"large\.yaml  has 5,000 MB; a file has at most 20 MB"):
        read(tmp_path / "large.yaml")


def test_labels_are_relative_to_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("a: 1\n")
    assert read(tmp_path / "mine.yaml").label == "mine.yaml"


def test_short_values_of_overrides() -> None:
    assert scalar("20 ms", "--set") == "20 ms"
    assert scalar("11", "--set") == 11
    assert scalar("[1 m, 2 m]", "--set") == ["1 m", "2 m"]
    assert scalar("", "--set") == ""


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.text())
def test_any_text_is_a_document_or_an_input_error(text: str) -> None:
    try:
        document(text)
    except LabError as error:
        assert "mine.yaml" in str(error)


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.text(alphabet="ab:{}[]-&*!|>%@#'\",? \n\t0.~<=", max_size=60))
def test_any_punctuation_is_a_document_or_an_input_error(text: str) -> None:
    try:
        document(text)
    except LabError as error:
        assert "mine.yaml" in str(error)
