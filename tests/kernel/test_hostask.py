# SPDX-License-Identifier: MIT
"""hostask= offers a file whose read stops the whole guest until the host answers, and with it the guest's clock."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kernel.first_program import initrd_of
from tests.kernel.test_kunit import TIMEOUT_S, boot, command, environment

pytestmark = pytest.mark.guest

PAGE_BYTES = 4096
WAIT_S = 0.3


@pytest.fixture(scope="module")
def initrd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that holds tests/kernel/ask.c as /init."""
    return initrd_of("ask.c", tmp_path_factory.mktemp("ask"))


def arguments(initrd: Path) -> list[str]:
    return [f"initrd={initrd}", "root=/dev/ram0", "quiet"]


@dataclass
class Asking:
    """A guest that asks: the host's ends of both pipes."""

    process: subprocess.Popen[str]
    answers: int
    questions: int

    def question(self, end: bytes = b"\n") -> bytes:
        """What it writes, up to the end of a line."""
        found = b""
        while not found.endswith(end):
            byte = os.read(self.questions, 1)
            assert byte, found
            found += byte
        return found

    def log(self) -> list[str]:
        """What it has printed, once it is off."""
        text, _ = self.process.communicate(timeout=TIMEOUT_S)
        return [line.removeprefix("ask: ") for line in text.splitlines() if line.startswith("ask: ")]


@contextmanager
def asking(initrd: Path, place: Path) -> Iterator[Asking]:
    theirs_in, answers = os.pipe()
    questions, theirs_out = os.pipe()
    process = subprocess.Popen(
        command(place, *arguments(initrd), "lab.seed=1", f"hostask={theirs_in},{theirs_out}"),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=(theirs_in, theirs_out),
    )
    os.close(theirs_in)
    os.close(theirs_out)
    guest = Asking(process, answers, questions)
    try:
        yield guest
    finally:
        process.kill()
        process.wait()
        os.close(guest.questions)


def be_busy() -> None:
    """Let wall time pass; meanwhile nothing happens that a guest could wait for."""
    until_s = time.monotonic() + WAIT_S
    while time.monotonic() < until_s:
        pass


def test_time_stands_still_until_the_host_answers(initrd: Path, tmp_path: Path) -> None:
    with asking(initrd, tmp_path) as guest:
        assert guest.question(b"ready\n") == bytes(PAGE_BYTES) + b"ready\n"
        for line in (b"one\n", b"two\n"):
            be_busy()
            guest.process.send_signal(signal.SIGALRM)  # interrupts the host's read
            guest.process.send_signal(signal.SIGIO)
            be_busy()
            os.write(guest.answers, line)
            assert guest.question() == b"next\n"
        os.close(guest.answers)
        assert guest.log() == [
            "again: Device or resource busy",
            "seek: Illegal seek",
            "poll: 1",
            "read nothing: 0",
            "write nothing: 0",
            "write from nowhere: Bad address",
            f"write much: {PAGE_BYTES}",
            "write: 6",
            "read to nowhere: Bad address",
            "one after 0 us",
            "two after 0 us",
            "end: 0",
            "write to nobody: 5",
            "open anew: done",
        ]


def test_a_writer_without_a_reader_gets_an_error(initrd: Path, tmp_path: Path) -> None:
    with asking(initrd, tmp_path) as guest:
        guest.question(b"ready\n")
        os.close(guest.questions)
        guest.questions = os.open(os.devnull, os.O_RDONLY)  # for the end
        os.write(guest.answers, b"one\n")
        os.close(guest.answers)
        log = guest.log()
        assert "next: Broken pipe" in log
        assert log[-2:] == ["write to nobody: Broken pipe", "open anew: done"]


def test_without_descriptors_there_is_no_file(initrd: Path, tmp_path: Path) -> None:
    assert "ask: open: No such file or directory" in boot(tmp_path, *arguments(initrd))


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ("77,78", "hostask: 77,78: error -9"),
        ("3", "hostask: 3: write hostask=<fd>,<fd>"),
        ("0,1x", "hostask: 0,1x: write hostask=<fd>,<fd>"),
    ],
)
def test_invalid_descriptors_are_reported(initrd: Path, tmp_path: Path, given: str, reported: str) -> None:
    log = boot(tmp_path, *arguments(initrd), f"hostask={given}")
    assert reported in log
    assert "ask: open: No such file or directory" in log
