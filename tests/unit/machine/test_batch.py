# SPDX-License-Identifier: MIT
"""Commands for a guest from a pipe: how they reach it, and what comes back."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest

from lab.errors import RunError
from lab.machine import batch
from lab.machine.channel import Channel
from lab.machine.guest import Guest
from lab.machine.process import Setup

# in place of the agent: prints each line as a node's console does, and leaves its number as the status
ECHOES = r"""
for word; do case $word in hostask=*) ends=${word#hostask=} ;; esac; done
exec 8< "/proc/self/fd/${ends%,*}" 9> "/proc/self/fd/${ends#*,}"
n=0
while read -r line <&8; do
    line=${line#*: \"}
    printf '%s\r\r\n' "${line%\"*}"
    n=$((n + 1))
    echo "{\"status\": $n}" >&9
done
echo '{"status": 0}' >&9
"""


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    raise AssertionError(f"nobody asks: {asked}")


def start(setup: Setup) -> batch.Start:
    @contextmanager
    def started(console: IO[bytes]) -> Iterator[Guest]:
        with Channel() as channel, Guest.started(setup, "batch", console=console, channel=channel) as guest:
            yield guest

    return started


def test_lines_reach_the_guest_and_their_output_comes_back(setup: Callable[[str], Setup]) -> None:
    output = io.BytesIO()
    assert batch.run(start(setup(ECHOES)), [b"nodes\n", b"sta1 true\n", b"no line end"], output, answer) == 3
    assert output.getvalue() == b"agent batch\nnodes\nsta1 true\nno line end\n"


def test_a_line_is_run_before_the_next_one_comes(setup: Callable[[str], Setup]) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as back, os.fdopen(writing, "wb") as output:

        def lines() -> Iterator[bytes]:
            yield b"first\n"
            assert back.readline() == b"agent batch\n"
            yield b"after " + back.readline()

        assert batch.run(start(setup(ECHOES)), lines(), output, answer) == 2
        assert back.readline() == b"after first\n"


def test_exit_is_the_last_line(setup: Callable[[str], Setup]) -> None:
    output = io.BytesIO()
    assert batch.run(start(setup(ECHOES)), [b"nodes\n", b" exit \n", b"links\n"], output, answer) == 1
    assert b"links" not in output.getvalue()


def test_exit_has_the_status_that_it_names(setup: Callable[[str], Setup]) -> None:
    assert batch.run(start(setup(ECHOES)), [b"nodes\n", b"exit 3\n", b"links\n"], io.BytesIO(), answer) == 3


def test_a_guest_that_fails_without_commands(setup: Callable[[str], Setup]) -> None:
    with pytest.raises(RunError, match="its output shows why"):
        batch.run(start(setup("echo Traceback\n")), [], io.BytesIO(), answer)


def test_output_that_nobody_reads_ends_it(setup: Callable[[str], Setup]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        batch.run(start(setup(ECHOES)), [b"nodes\n"] * 3, os.fdopen(writing, "wb", buffering=0), answer)


def test_a_guest_that_ends_too_early(setup: Callable[[str], Setup]) -> None:
    with pytest.raises(RunError, match="the guest ended before it ran all commands"):
        batch.run(start(setup("echo Traceback\n")), [b"nodes\n"], io.BytesIO(), answer)
