# SPDX-License-Identifier: MIT
"""A fork of a process that drives a lab ends without ending the guest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import contextlib, os, sys
from pathlib import Path
from lab.lockstep.forks import close_only_here

@contextlib.contextmanager
def guest():
    try:
        yield
    finally:
        with Path(sys.argv[1]).open("a") as file:
            file.write(f"{os.getpid()} ")

def drive():
    closing = contextlib.ExitStack()
    closing.enter_context(guest())
    close_only_here(closing)
    if (child := os.fork()) == 0:
        END
    os.waitpid(child, 0)
    assert not Path(sys.argv[1]).exists()
    closing.close()
    print(os.getpid())

drive()
"""


@pytest.mark.parametrize("end", ["raise SystemExit", "raise ValueError", "return", "del closing; sys.exit()"])
def test_a_fork_does_not_end_the_guest(tmp_path: Path, end: str) -> None:
    argv = [sys.executable, "-c", PROGRAM.replace("END", end), str(tmp_path / "ended")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert (tmp_path / "ended").read_text().split() == done.stdout.split()
