# SPDX-License-Identifier: MIT
"""A file system of a node with the programs in it, as the agent uses it."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.tasks import ENVIRONMENT, run
from lab.shared.paths import ENTER

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000  # sched.h
_TIOCSPTLCK, _TIOCGPTPEER = 0x40045431, 0x5441  # asm-generic/ioctls.h
Launch = tuple[list[str], Mapping[str, str]]  # a command, and its environment


def enter_network(namespace: int) -> None:
    """setns(2); raises GuestError if it fails."""
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise GuestError(f"setns: {os.strerror(ctypes.get_errno())}")


@contextmanager
def _opened(directory: str) -> Iterator[int]:
    descriptor = os.open(directory, os.O_PATH | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a FIFO that nobody reads is an error."""
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def _change_root(directory: int) -> None:
    os.fchdir(directory)
    os.chroot(".")


def mount(source: str, target: Path, kind: str, data: str, flags: int = 0) -> None:
    """mount(2); raises GuestError if it fails."""
    if _libc.mount(source.encode(), str(target).encode(), kind.encode(), flags, data.encode()) != 0:
        raise GuestError(f"mount {kind} on {target}: {os.strerror(ctypes.get_errno())}")


def overlay(home: Path, prefix: str, lower: str) -> Path:
    """Mount an overlay for a node in its folder, empty over ``lower``; return where."""
    root, upper, work = (home / f"{prefix}{name}" for name in ("root", "upper", "work"))
    for directory in (root, upper, work):
        directory.mkdir()
    mount("overlay", root, "overlay", f"lowerdir={lower},upperdir={upper},workdir={work}")
    return root


class Root:
    """A started container. ``pid`` is its first process."""

    root: Path  # its file system, as the agent sees it, without what is mounted in there

    def __init__(self, name: str, pid: int, procs: Path) -> None:
        """``procs``: the file by which a process joins the node's cgroup."""
        self.name = name
        self.pid = pid
        self.procs = procs
        self._files = os.open(f"/proc/{self.pid}/root", os.O_PATH | os.O_CLOEXEC)

    def command(self, *argv: str) -> list[str]:
        """The command that runs ``argv`` inside this container."""
        return [ENTER, str(self.pid), str(self.procs), *argv]

    def launch(self, argv: Sequence[str], directory: str | None = None) -> Launch:
        """The command and environment of a program of the user's; ``directory``: where it works, if not as usual."""
        return self.command(*(["-d", directory] if directory else []), *argv), ENVIRONMENT

    def for_shell(self, line: str) -> str:
        """What the shell of the node runs for a line of the user's."""
        return line

    def as_words(self, line: str, background: bool) -> list[str]:
        """The command that does what a line does in the node's shell."""
        return ["bash", "-c", f"({line}) &" if background else line]

    def has(self, program: str, directory: str | None = None) -> bool:
        """Whether a program is to be looked for here; ``directory``: see ``launch``."""
        return True

    def run(self, *argv: str, input_text: str = "") -> str:
        """Run a short command inside to its end; GuestError if it fails."""
        return run(self.command(*argv), input_text, culprit=self.name)

    @contextmanager
    def files(self) -> Iterator[None]:
        """See the file system as its programs do, with its mounts and its symbolic links.

        Use nothing else inside: not even modules can be imported.
        """
        with _opened("/") as own_root, _opened(".") as directory:
            _change_root(self._files)
            try:
                yield
            finally:
                _change_root(own_root)
                os.fchdir(directory)

    def terminal(self) -> tuple[int, int]:
        """A new terminal of its own devpts, so that its programs find its name: both ends."""
        with self.files():
            master = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        fcntl.ioctl(master, _TIOCSPTLCK, struct.pack("i", 0))
        return master, fcntl.ioctl(master, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)

    def write(self, path: str, content: bytes | str, mode: int = 0o644) -> None:
        """Write a file to its file system; creates parent directories."""
        self.write_chunks(path, [content.encode() if isinstance(content, str) else content], mode)

    def write_chunks(self, path: str, chunks: Iterable[bytes], mode: int = 0o644) -> None:
        """The same with content that is too long for the agent's memory.

        Raises:
            GuestError: It cannot be written there.
        """
        target = Path("/", path)
        try:
            with self.files():
                target.parent.mkdir(parents=True, exist_ok=True)
                file = open(target, "wb", opener=_without_waiting)  # noqa: SIM115
            with file:
                file.writelines(chunks)
                os.fchmod(file.fileno(), mode)
        except OSError as error:
            full = error.errno == errno.ENOSPC
            why = "no space left in the guest, whose files are in its memory" if full else error.strerror
            raise GuestError(f"{path} in {self.name}: {why}", self.name) from error
