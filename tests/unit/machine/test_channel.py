# SPDX-License-Identifier: MIT
"""Lines to a program that inherits the other ends, as a guest does, and back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lab.machine.channel import Channel, inherited

ECHOES = """
import os, sys
reads, writes = map(int, sys.argv[1:])
with os.fdopen(reads) as lines, os.fdopen(writes, "w") as answers:
    for line in lines:
        print(line.upper(), end="", file=answers, flush=True)
"""


@contextmanager
def started(program: str) -> Iterator[Channel]:
    with Channel() as channel:
        words = [sys.executable, "-c", program, *map(str, channel.inherited)]
        with inherited(channel) as descriptors:
            process = subprocess.Popen(words, pass_fds=descriptors)
        try:
            yield channel
        finally:
            channel.end_input()
            process.wait()


def test_lines_there_and_back_until_there_are_no_more() -> None:
    with started(ECHOES) as channel:
        channel.send("one")
        channel.send("two, and much of it " * 5000)
        assert channel.receive(within_s=60) == "ONE"
        assert channel.receive(within_s=60) == "TWO, AND MUCH OF IT " * 5000
        assert channel.receive(within_s=0) is None
        channel.end_input()
        with pytest.raises(EOFError):
            channel.receive(within_s=60)


def test_a_program_that_ends_is_noticed() -> None:
    with started("") as channel, pytest.raises(EOFError):
        channel.receive(within_s=60)


def test_without_a_channel_nothing_is_inherited() -> None:
    with inherited(None) as descriptors:
        assert descriptors == ()
