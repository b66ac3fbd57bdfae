# SPDX-License-Identifier: MIT
"""What changes the meaning of a Python file, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.meaning import meaning, meanings, reads_text
from lab.cache import memo

CODE = b'''"""A module."""

from json import dumps

def f(x: int) -> str:
    """Return it."""
    return dumps(["a", x])

class C:
    """A class."""

    async def g(self) -> None:
        """Do nothing."""
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"""A module."""', b"# SPDX\n"),
        (b'    """Return it."""\n', b'    """Return\n\n    it, as text."""\n    # really\n'),
        (b'"""A class."""', b"'another class'"),
        (b"Do nothing", b"Wait"),
        (b'dumps(["a", x])', b"dumps(\n        [\n            'a', x,\n        ]\n    )  # noqa"),
    ],
)
def test_words_for_people_and_layout_change_nothing(old: bytes, new: bytes) -> None:
    assert old in CODE
    assert meaning(CODE.replace(old, new)) == meaning(CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"a"', b'"b"'),
        (b'"a"', b'b"a"'),
        (b'["a", x]', b'("a", x)'),
        (b"x: int", b"x: float"),
        (b'"""Return it."""', b'x = """Return it."""'),
        (b'    """Return it."""\n    return', b'    """Return it."""\n    1\n    return'),
        (b"async def", b"def"),
        (b"from json", b"from .json"),
    ],
)
def test_code_and_data_do(old: bytes, new: bytes) -> None:
    assert old in CODE
    assert meaning(CODE.replace(old, new)) != meaning(CODE)


@pytest.mark.parametrize("reader", [b"ABOUT = __doc__", b"inspect.getdoc(f)", b"from ast import get_docstring"])
def test_code_that_reads_docstrings_is_found(reader: bytes) -> None:
    assert reads_text(reader) and not reads_text(CODE)


@pytest.mark.parametrize("broken", [b"import", b"\0", b"\xff = 1"])
def test_what_is_no_python_counts_as_it_is(broken: bytes) -> None:
    assert meaning(broken) != meaning(broken + b" ")


def test_it_is_found_out_once_for_each_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache" / "meanings.json"
    first = meanings(path)
    assert first.of(CODE) == meaning(CODE)
    first.keep()
    monkeypatch.setattr("ast.parse", lambda content: pytest.fail("it is known"))
    assert meanings(path).of(CODE) == first.of(CODE)


@pytest.mark.parametrize("damage", ["", "[]", '{"x": 1}', "{"])
def test_a_damaged_memory_is_made_again(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "meanings.json"
    path.write_text(damage)
    found = meanings(path)
    assert found.of(CODE) == meaning(CODE)
    found.keep()
    assert list(meanings(path)._known.values()) == [meaning(CODE)]


def test_of_very_many_files_only_those_in_use_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "_MOST_REMEMBERED", 1)
    path = tmp_path / "meanings.json"
    first = meanings(path)
    first.of(b"1")
    first.keep()
    second = meanings(path)
    second.of(b"2")
    second.keep()
    assert list(meanings(path)._known.values()) == [meaning(b"2")]
