# SPDX-License-Identifier: MIT
"""What of a torrent is on the disk: pieces, holes, and files that are too short."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...probes import _other_client_program as other_client
from ...probes import _torrent_program as program

PIECE = 1 << 16
DATA = bytes(number % 251 for number in range(3 * PIECE + 100))  # three pieces and a short one
HASHES = b"".join(hashlib.sha1(DATA[at : at + PIECE]).digest() for at in range(0, len(DATA), PIECE))


def encoded(value: Any) -> bytes:
    if isinstance(value, int):
        return b"i%de" % value
    if isinstance(value, bytes):
        return b"%d:%s" % (len(value), value)
    if isinstance(value, list):
        return b"l%se" % b"".join(map(encoded, value))
    return b"d%se" % b"".join(encoded(key) + encoded(value[key]) for key in sorted(value))


def torrent(more: dict[bytes, Any]) -> bytes:
    return encoded({b"info": {b"name": b"file", b"piece length": PIECE, b"pieces": HASHES, **more}})


ONE = torrent({b"length": len(DATA)})
TWO = torrent({b"files": [{b"length": 100, b"path": [b"a"]}, {b"length": len(DATA) - 100, b"path": [b"in", b"b"]}]})
VALUES = st.recursive(
    st.integers() | st.binary(), lambda part: st.lists(part) | st.dictionaries(st.binary(), part), max_leaves=20
)


@given(VALUES)
def test_every_value_can_be_read(value: Any) -> None:
    text = encoded(value)
    assert program.decode(text) == (value, len(text))


@given(st.binary())
def test_what_is_no_value_is_an_error_or_ends_somewhere(text: bytes) -> None:
    try:
        _, end = program.decode(text)
    except (ValueError, TypeError, IndexError, RecursionError):
        return
    assert 0 <= end <= len(text)


def seen(source: bytes, folder: Path) -> tuple[list[bool], int, int]:
    found = program.Torrent(source, folder)
    found.look()
    return found.right, found.have(), found.playable()


def test_a_file_that_grows(tmp_path: Path) -> None:
    assert seen(ONE, tmp_path) == ([False] * 4, 0, 0)
    (tmp_path / "file").write_bytes(DATA[: PIECE + 5])
    assert seen(ONE, tmp_path) == ([True, False, False, False], PIECE, PIECE)
    (tmp_path / "file").write_bytes(DATA)
    assert seen(ONE, tmp_path) == ([True] * 4, len(DATA), len(DATA))


def test_holes_and_wrong_bytes(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        os.pwrite(file.fileno(), DATA[PIECE:], PIECE)
    assert seen(ONE, tmp_path) == ([False, True, True, True], len(DATA) - PIECE, 0)
    (tmp_path / "file").write_bytes(DATA[:-1] + b"!")
    assert seen(ONE, tmp_path) == ([True, True, True, False], 3 * PIECE, 3 * PIECE)


def test_a_piece_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "file" / "in").mkdir(parents=True)
    (tmp_path / "file" / "in" / "b").write_bytes(DATA[100:])
    assert seen(TWO, tmp_path) == ([False, True, True, True], len(DATA) - PIECE, 0)
    (tmp_path / "file" / "a").write_bytes(DATA[:100])
    assert seen(TWO, tmp_path) == ([True] * 4, len(DATA), len(DATA))


def test_a_piece_that_was_right_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(DATA)
    found = program.Torrent(ONE, tmp_path)
    found.look()
    (tmp_path / "file").unlink()
    found.look()
    assert all(found.right)


@pytest.mark.parametrize("text", [b"", b"x", b"de", b"d4:infoi1ee", ONE[:-30]])
def test_what_is_no_torrent(text: bytes, tmp_path: Path) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        program.Torrent(text, tmp_path)


def test_what_was_there_at_the_start_is_known(tmp_path: Path) -> None:
    """The probe other-client counts the rest as downloaded."""
    (tmp_path / "swarm.torrent").write_bytes(ONE)
    (tmp_path / "file").write_bytes(DATA[: 2 * PIECE])
    reader = other_client.Reader(program.__file__, tmp_path / "swarm.torrent", str(tmp_path))
    (tmp_path / "file").write_bytes(DATA)
    look = reader.look()
    reader.end()
    assert (reader.at_start, look["have"]) == (2 * PIECE, len(DATA))
