# SPDX-License-Identifier: MIT
"""A directory belongs to one run."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.machine.run_directory import new_directory


def test_a_directory_that_another_process_uses_is_refused_while_it_does(tmp_path: Path) -> None:
    """Also while that has written nothing: `lab reproduce` writes at its end."""
    out = tmp_path / "out"
    out.mkdir()
    other = os.open(out, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(InputError, match=r"^another run uses .*/out\n  --out must name a new or empty directory$"):
        new_directory("x", out)
    os.close(other)
    assert new_directory("x", out) == out
    assert new_directory("x", out) == out, "this process may try again"


def test_a_directory_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not empty"):
        new_directory("x", tmp_path)
