# SPDX-License-Identifier: MIT
"""A node's container, on an overlay of the image.

Own mount, PID, network, UTS and IPC namespaces; own /etc, /var and /tmp through the overlay; memory and pids
limited by its cgroup. ``container`` (images/initrd/container.c) starts it; ``enter`` starts other programs in it.
Not isolated: user ids and the clock, which the nodes share, and the CPU, which virtual time makes free.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.loop import readable
from lab.guest.tasks import ENVIRONMENT, run
from lab.shared import types
from lab.shared.paths import BASE, CGROUPS, ENTER, IMAGES, NODES

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000  # sched.h
_TIOCSPTLCK, _TIOCGPTPEER = 0x40045431, 0x5441  # asm-generic/ioctls.h
Launch = tuple[list[str], Mapping[str, str]]  # a command, and its environment


@cache
def _own_network() -> int:
    """Open the network namespace of the guest's first processes."""
    return os.open("/proc/1/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _enter_network(namespace: int) -> None:
    """Call setns(2); raise GuestError if it fails."""
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise GuestError(f"setns: {os.strerror(ctypes.get_errno())}")


@contextmanager
def opened(directory: str | Path) -> Iterator[int]:
    """Hold a directory, as what ``inside`` takes."""
    descriptor = os.open(directory, os.O_PATH | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def without_waiting(path: str, flags: int) -> int:
    """Open a file, a FIFO without anybody at its other end, too; a terminal does not become one's own."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o666)


def _change_root(directory: int) -> None:
    os.fchdir(directory)
    os.chroot(".")


@contextmanager
def inside(root: int) -> Iterator[None]:
    """See a directory as the root of all files. Use nothing else inside: not even modules can be imported."""
    with opened("/") as own_root, opened(".") as directory:
        _change_root(root)
        try:
            yield
        finally:
            _change_root(own_root)
            os.fchdir(directory)


def mount(source: str, target: Path, file_system: str, data: str, flags: int = 0) -> None:
    """Call mount(2); raise GuestError if it fails."""
    if _libc.mount(source.encode(), str(target).encode(), file_system.encode(), flags, data.encode()) != 0:
        raise GuestError(f"mount {file_system} on {target}: {os.strerror(ctypes.get_errno())}")


def overlay(home: Path, prefix: str, lower: str) -> Path:
    """Mount an overlay for a node in its folder, empty over ``lower`` and above its own changes; return where."""
    root, work = (home / f"{prefix}{name}" for name in ("root", "work"))
    for directory in (root, work):
        directory.mkdir()
    mount("overlay", root, "overlay", f"lowerdir={lower},upperdir={root},workdir={work}")
    return root


class Root:
    """A file system of a node, with its programs; ``pid``: its first process; ``procs``: cgroup.procs of its cgroup."""

    root: Path  # its file system, as the agent sees it, without what is mounted in there

    def __init__(self, name: str, pid: int, procs: Path) -> None:
        self.name = name
        self.pid = pid
        self.procs = procs
        self._files = os.open(f"/proc/{self.pid}/root", os.O_PATH | os.O_CLOEXEC)

    def command(self, *argv: str) -> list[str]:
        """Return the command that runs ``argv`` inside this container."""
        return [ENTER, str(self.pid), str(self.procs), *argv]

    def launch(
        self,
        argv: Sequence[str],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: int | None = None,
    ) -> Launch:
        """Return the command and environment of a program of the user's.

        ``cwd``: its directory; None: as programs have it here. ``env``: further variables. ``user``: number of the
        user, and of its group, that it runs as; None: as programs run here.
        """
        options = [*(["-d", cwd] if cwd else []), *(["-u", f"{user}:{user}"] if user is not None else [])]
        return self.command(*options, *argv), {**ENVIRONMENT, **(env or {})}

    def for_shell(self, line: str) -> str:
        """Return what the shell of the node runs for a line of the user's."""
        return line

    def as_words(self, line: str, background: bool) -> list[str]:
        """Return the command that does what a line does in the node's shell."""
        return ["bash", "-c", f"({line}) &" if background else line]

    def has(self, program: str, directory: str | None = None) -> bool:
        """Check whether a program is to be looked for here."""
        return True

    def run(self, *argv: str, input_text: str = "") -> bytes:
        """Run a short command inside to its end; raise GuestError if it fails."""
        return run(self.command(*argv), input_text, culprit=self.name, named=argv)

    @contextmanager
    def files(self) -> Iterator[None]:
        """See the file system as its programs do, with its mounts and its symbolic links.

        Use nothing else inside: not even modules can be imported.
        """
        with inside(self._files):
            yield

    def terminal(self) -> tuple[int, int]:
        """Open both ends of a new terminal in its devpts, so that its programs find the terminal's name."""
        master = os.open("dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=self._files)
        fcntl.ioctl(master, _TIOCSPTLCK, struct.pack("i", 0))
        return master, fcntl.ioctl(master, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)

    def write(self, path: str, content: bytes | str, mode: int = 0o644) -> None:
        """Write a file to its file system; create parent directories."""
        self.write_chunks(path, [content.encode() if isinstance(content, str) else content], mode)

    def write_chunks(self, path: str, chunks: Iterable[bytes], mode: int = 0o644) -> None:
        """Do the same with content that is too long for the agent's memory.

        Raises:
            GuestError: If it cannot be written there.
        """
        target = Path("/", path)
        try:
            with self.files():
                target.parent.mkdir(parents=True, exist_ok=True)
                file = open(target, "wb", opener=without_waiting)  # noqa: SIM115
            with file:
                file.writelines(chunks)
                os.fchmod(file.fileno(), mode)
        except OSError as error:
            full = error.errno == errno.ENOSPC
            why = "no space left in the guest, whose files are in its memory" if full else error.strerror
            raise GuestError(f"{path} in {self.name}: {why}", self.name) from error


class Container(Root):
    """A started container. ``root`` is its file system as the agent sees it, ``pid`` its first process.

    ``own`` is where the user's programs and files are: here, or in the Docker image that the node also has.
    """

    own: Root

    def __init__(self, spec: types.Node, mounts: Sequence[commands.Mount]) -> None:
        name = spec.name
        home = NODES / name
        home.mkdir()
        layered = spec.image and not spec.docker
        self.root = overlay(home, "", f"{IMAGES / spec.image}:{BASE}" if layered and spec.image else str(BASE))
        self._cgroup = CGROUPS / f"lab-{name}"
        self._cgroup.mkdir()
        (self._cgroup / "memory.max").write_text(str(spec.memory_bytes))
        (self._cgroup / "pids.max").write_text(str(spec.pids_max))
        pid = int(run(commands.start_container(spec, commands.mounts_of(spec, mounts)), culprit=name))
        super().__init__(name, pid, self._cgroup / "cgroup.procs")
        self.pidfd = os.pidfd_open(self.pid)  # readable once the first process has ended, and with it all others
        self._network = os.open(f"/proc/{self.pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.own = self

    @property
    def alive(self) -> bool:
        """Whether its first process still runs."""
        return not readable(self.pidfd)

    def describe_end(self) -> str:
        """Describe what its end means, for a message."""
        return f"{self.name} has stopped: its first process has ended, and with it all of its programs"

    @contextmanager
    def network(self) -> Iterator[None]:
        """Enter its network namespace, with the programs that start here.

        ``enter`` takes two more processes for each command; the agent is one thread, and may change places.
        """
        _enter_network(self._network)
        try:
            yield
        finally:
            _enter_network(_own_network())

    def launch_found(self, argv: Sequence[str], cwd: str | None = None, env: Mapping[str, str] | None = None) -> Launch:
        """Do as ``launch``, with a program of the Docker image; if it has no such program, with the base's."""
        return (self.own if self.own.has(argv[0], cwd) else self).launch(argv, cwd, env)

    def memory_kills(self) -> int:
        """Return how many of its processes the kernel has killed because the node ran out of memory."""
        return self._count("memory.events", "oom_kill")

    def forks_refused(self) -> int:
        """Return how often it could not start a process or thread because it had as many as it may."""
        return self._count("pids.events", "max")

    def _count(self, file: str, event: str) -> int:
        events = dict(line.split() for line in (self._cgroup / file).read_text().splitlines())
        return int(events[event])


class Containers:
    """The nodes of a scripted run: only containers, since importing Mininet takes longer than making two of them."""

    def __init__(self) -> None:
        self._by_node: dict[str, Container] = {}

    def add(self, spec: types.Node, mounts: Sequence[commands.Mount], _class_name: str, _lists: Sequence[str]) -> None:
        """Make a node of the plan; names for Mininet are not needed."""
        self._by_node[spec.name] = Container(spec, mounts)

    def container(self, node: str) -> Container:
        """Return the container of a node."""
        return self._by_node[node]

    def memory_kills(self) -> dict[str, int]:
        """Return how many programs the kernel has killed of each node that ran out of memory."""
        kills = {name: container.memory_kills() for name, container in self._by_node.items()}
        return {name: number for name, number in kills.items() if number}
