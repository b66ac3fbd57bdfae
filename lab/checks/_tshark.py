# SPDX-License-Identifier: MIT
"""Count frames that match a display filter, with tshark in a cage.

The frames are a student's, and a dissector may have a fault that they trigger. So tshark has: nothing to write, nothing
to read but the system's programs, no network, no other processes; it is nobody if root starts it; and limits of
memory, of processor time and of what it prints.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from lab import left
from lab.checks import _confined
from lab.errors import HostError, InputError
from lab.machine import cage, landlock
from lab.model.exercise_check import EvidenceError

_PATH = "/usr/bin:/bin"
_TIMEOUT_S = 120
_MOST_BYTES = 64 << 20  # of frame numbers: ten million frames
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/wireshark", "/dev/null", "/dev/urandom")
_EMPTY = bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")  # a capture without frames
_NOTHING = "an empty capture"
_INVALID = 2  # exit status of tshark for a filter that is none


def require() -> None:
    """Check that tshark is there; raise HostError if not, or if this host has no cage for it."""
    _program()
    cage.require()


def _program() -> str:
    if (found := shutil.which("tshark", path=_PATH)) is None:
        raise HostError("tshark is missing", hint="install it: apt-get install --no-install-recommends tshark")
    return found


def count(capture: Path, display_filter: str) -> int:
    """Return the number of frames of a capture that match a filter.

    Raises:
        InputError: If the filter is not valid.
        EvidenceError: If tshark fails, or takes too long.
    """
    with left.opened(capture) as file:
        return _frames(file.fileno(), display_filter, capture.name)


def _check(display_filter: str) -> None:
    """Check a filter; raise InputError if it is not valid."""
    reading, writing = os.pipe()
    try:
        os.write(writing, _EMPTY)
        os.close(writing)
        _frames(reading, display_filter, _NOTHING)
    finally:
        os.close(reading)


def _frames(capture: int, display_filter: str, name: str) -> int:
    argv = [_program(), "-n", "-r", "-", "-Y", display_filter, "-T", "fields", "-e", "frame.number"]
    with _confinement() as (prefix, rules):
        running = subprocess.Popen(
            [*prefix, *argv],
            stdin=capture,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[rules],
            env={"PATH": _PATH, "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"},
            cwd="/",
            process_group=0,  # Ctrl-C is for the lab, which ends it
        )
        assert running.stdout is not None and running.stderr is not None
        with running, _ended_after(running) as late:
            printed = running.stdout.read(_MOST_BYTES + 1)
            if len(printed) > _MOST_BYTES:
                running.kill()
            said = running.stderr.read(_MOST_BYTES).decode(errors="replace").strip().partition("\n")[0]
    if late.is_set() or len(printed) > _MOST_BYTES:
        raise EvidenceError(f"tshark takes too long for {name}, or prints too much")
    if running.returncode == 0:
        return len(printed.split())
    if running.returncode == _INVALID and name == _NOTHING:
        raise InputError(f'"{display_filter}" is not a display filter: {said.removeprefix("tshark: ")}')
    if running.returncode == _INVALID:  # of a damaged capture, too
        _check(display_filter)
    raise EvidenceError(f"tshark cannot read {name}: {said or f'status {running.returncode}'}")


@contextlib.contextmanager
def _ended_after(running: subprocess.Popen[bytes]) -> Iterator[threading.Event]:
    """End a program after a time; the event says whether that came."""
    late = threading.Event()

    def end() -> None:
        late.set()
        running.kill()

    timer = threading.Timer(_TIMEOUT_S, end)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


@contextlib.contextmanager
def _confinement() -> Iterator[tuple[list[str], int]]:
    """Yield the command in front of tshark's, and the descriptor of the ruleset that it inherits."""
    of_file = landlock.READ_FILE | landlock.EXECUTE
    paths = [path for path in map(Path, _SYSTEM) if path.exists()]
    rules = landlock.ruleset({path: of_file | (landlock.READ_DIR if path.is_dir() else 0) for path in paths})
    try:
        program = [sys.executable, "-I", "-S", str(_confined.__file__), str(rules)]
        yield [*cage.namespaces(), *program], rules
    finally:
        os.close(rules)
