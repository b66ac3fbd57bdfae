# SPDX-License-Identifier: MIT
"""One command of a build: logged in full, watched line by line, and ended with the lab."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import selectors
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

from lab.cache.store import lock_descriptors, no_space
from lab.checkout import INSTALL
from lab.errors import BuildError, HostError

TAIL_LINES = 15
TICK_S = 0.5
_ERROR = re.compile(r"\berror\b|^E: |\*\*\*", re.IGNORECASE)
# The part of our environment that a build sees: neither the flags of a calling make, nor a user's CFLAGS.
ENVIRONMENT = re.compile(r"PATH|HOME|TMPDIR|APT_CONFIG|(?:https?|ftp|no|all)_proxy", re.IGNORECASE)
# What the C library, tar, dpkg and squashfs-tools print when the disk is full.
NO_SPACE_TEXT = "No space left on device"


class CommandFailedError(BuildError):
    """A command of a build reported a failure; it was not ended by a signal or a full disk."""


class BuildLog:
    """The output of all commands of one build, in a file that outlives a failed build."""

    def __init__(self, path: Path, directory: Path) -> None:
        self.path = path
        self.directory = directory  # of the build, whose disk may become full
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("")

    def add(self, text: str) -> None:
        """Append a line."""
        with self.path.open("a") as file:
            file.write(f"{text}\n")

    def failure(self, step: str, reason: str, since: int = 0) -> BuildError | HostError:
        """Return the error of a failed step, whose log begins at byte ``since``: a full disk if the log reports it."""
        lines = self.path.read_bytes()[since:].decode(errors="replace").splitlines()
        if any(NO_SPACE_TEXT in line for line in lines):
            return no_space(self.directory)
        indented = "\n".join(f"    {line}" for line in relevant_lines(lines))
        return BuildError(f"{step} failed: {reason}\n{indented}", hint=f"the whole log: {self.path}")

    def run(
        self,
        step: str,
        argv: list[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        on_line: Callable[[str], None] | None = None,
        on_tick: Callable[[], None] | None = None,
        stdin: IO[bytes] | None = None,
        stdout: IO[bytes] | None = None,
    ) -> None:
        """Run a command to its end.

        Args:
            step: Description for the error: "unpacking the source".
            argv: The command.
            cwd: Its directory; default: the build's.
            env: Set in addition to the few variables that a build inherits; LC_ALL is C.
            on_line: Called with every new line of the log.
            on_tick: Called if there is no new line for half a second.
            stdin: Its standard input; default: none.
            stdout: Receives its standard output; default: the log.

        Raises:
            BuildError: If it failed; with the last lines of the log.
            HostError: If it is not installed, or the disk is full.
        """
        self.add(f"$ {' '.join(argv)}")
        since = self.path.stat().st_size
        require(argv[0])
        with running(argv, cwd or self.directory, env, stdin, stdout) as process:
            self._follow(process, on_line, on_tick)
        if process.returncode:
            failure = self.failure(step, _reason(process.returncode), since)
            if process.returncode > 0 and isinstance(failure, BuildError):
                raise CommandFailedError(failure.message, hint=failure.hint)
            raise failure

    def _follow(
        self,
        process: subprocess.Popen[bytes],
        on_line: Callable[[str], None] | None,
        on_tick: Callable[[], None] | None,
    ) -> None:
        stream = process.stderr if process.stdout is None else process.stdout
        assert stream is not None
        rest = b""
        with self.path.open("ab", buffering=0) as log, selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while True:
                if on_tick is not None and not selector.select(TICK_S):
                    on_tick()
                    continue
                chunk = os.read(stream.fileno(), 1 << 16)
                if not chunk:
                    break
                log.write(chunk)
                *lines, rest = (rest + chunk).split(b"\n")
                if on_line is not None:
                    for line in lines:
                        on_line(line.decode(errors="replace"))
        if rest and on_line is not None:
            on_line(rest.decode(errors="replace"))
        process.wait()


def require(program: str) -> None:
    """Raise HostError if a program is not installed."""
    if shutil.which(program) is None:
        raise HostError(f"{program} is not installed", hint=INSTALL)


def relevant_lines(lines: list[str]) -> list[str]:
    """Return the lines that explain a failure: those around the first error, since make continues, and the last."""
    first = next((number for number, line in enumerate(lines) if _ERROR.search(line)), len(lines))
    if first >= len(lines) - TAIL_LINES:
        return lines[-TAIL_LINES:]
    return [*lines[max(0, first - 2) : first + 6], "...", *lines[-5:]]


# Other descriptors than 0, 1 and 2 that a command inherits are numbered from here on. mmdebstrap needs the low ones:
# its sh writes to a descriptor, and accepts only one digit.
_HIGH_DESCRIPTOR = 200
# The command, and a guard in the same process group: when the pipe closes whose other end we hold, even by kill -9 of
# the lab, the guard ends the group.
_GUARDED = '{ read -r _ </proc/self/fd/"$0"; kill -TERM 0; } >/dev/null 2>&1 & exec "$@"'


@contextlib.contextmanager
def running(
    argv: list[str], cwd: Path, env: Mapping[str, str] | None, stdin: IO[bytes] | None, stdout: IO[bytes] | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a build command in its own session; its standard error (and output, unless it goes elsewhere) is a pipe.

    It ends with us, however we end. It holds our locks until it has ended.
    """
    inherited = {name: value for name, value in os.environ.items() if ENVIRONMENT.fullmatch(name)}
    guard, ours = os.pipe()
    passed = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH_DESCRIPTOR) for number in (guard, *lock_descriptors())]
    os.close(guard)
    try:
        process = subprocess.Popen(
            ["sh", "-c", _GUARDED, str(passed[0]), *argv],
            cwd=cwd,
            env={**inherited, **(env or {}), "LC_ALL": "C"},
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=stdout if stdout is not None else subprocess.PIPE,
            stderr=subprocess.PIPE if stdout is not None else subprocess.STDOUT,
            start_new_session=True,
            pass_fds=passed,
        )
    finally:
        for number in passed:
            os.close(number)
    try:
        yield process
    except BaseException:
        _end(process)
        raise
    finally:
        os.close(ours)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and all processes that it started."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=30)  # mmdebstrap removes its directory first
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _reason(status: int) -> str:
    return f"exit status {status}" if status > 0 else f"ended by {signal.Signals(-status).name}"
