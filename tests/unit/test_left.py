# SPDX-License-Identifier: MIT
"""What a guest has left is opened only if it is a regular file of its own."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from lab import left
from lab.errors import RunError
from lab.text import last_lines

SECRET = "secret of the host"


def _link(path: Path) -> None:
    path.with_name("secret").write_text(SECRET)
    path.symlink_to("secret")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


@pytest.mark.parametrize("put", [_link, os.mkfifo, _socket, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_nothing_else_is_opened(tmp_path: Path, put: Callable[[Path], None]) -> None:
    """A FIFO without a writer would never open."""
    path = tmp_path / "x.out"
    put(path)
    for reader in (left.content, left.text, lambda one: last_lines(one, 3)):
        with pytest.raises(RunError, match=r"x\.out is not a regular file; a program in the guest has put something"):
            reader(path)


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.out").write_bytes(b"a\r\n\xff\n")
    assert left.content(tmp_path / "x.out") == b"a\r\n\xff\n"
    assert left.text(tmp_path / "x.out") == "a\n\N{REPLACEMENT CHARACTER}\n"
    with pytest.raises(FileNotFoundError):
        left.content(tmp_path / "y.out")


def test_a_document_is_not_longer_than_memory(tmp_path: Path) -> None:
    with (tmp_path / "guest.json").open("wb") as file:
        file.truncate(5_000_000_000)
    with pytest.raises(RunError, match="guest.json has 5,000 MB; at most 500 MB are read"):
        left.document(tmp_path / "guest.json")
