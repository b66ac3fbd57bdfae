# SPDX-License-Identifier: MIT
"""A node's container, on an overlay of the image.

Own mount, PID, network, UTS and IPC namespaces; own /etc, /var and /tmp through the overlay; memory and pids
limited by its cgroup. ``container`` (images/initrd/container.c) starts it; ``enter`` starts other programs in it.
Not isolated: user ids and the clock, which the nodes share, and the CPU, which virtual time makes free.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.tasks import run
from lab.shared import types
from lab.shared.paths import BASE, CGROUPS, ENTER, NODES

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000  # sched.h


@cache
def _own_network() -> int:
    """The network namespace of the guest's first processes."""
    return os.open("/proc/1/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _enter_network(namespace: int) -> None:
    """setns(2); raises GuestError if it fails."""
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise GuestError(f"setns: {os.strerror(ctypes.get_errno())}")


def mount(source: str, target: Path, kind: str, data: str, flags: int = 0) -> None:
    """mount(2); raises GuestError if it fails."""
    if _libc.mount(source.encode(), str(target).encode(), kind.encode(), flags, data.encode()) != 0:
        raise GuestError(f"mount {kind} on {target}: {os.strerror(ctypes.get_errno())}")


class Container:
    """A started container. ``root`` is its file system as the agent sees it, ``pid`` its first process."""

    def __init__(self, spec: types.Node, mounts: Sequence[commands.Mount]) -> None:
        name = spec.name
        self.name = name
        home = NODES / name
        self.root = home / "root"
        for directory in (home, self.root, home / "upper", home / "work"):
            directory.mkdir()
        mount(
            "overlay",
            self.root,
            "overlay",
            f"lowerdir={BASE},upperdir={home}/upper,workdir={home}/work",
        )
        (self.root / "etc/hostname").write_text(f"{name}\n")
        self._cgroup = CGROUPS / f"lab-{name}"
        self._cgroup.mkdir()
        (self._cgroup / "memory.max").write_text(str(spec.memory_bytes))
        (self._cgroup / "pids.max").write_text(str(spec.pids_max))
        self._procs = self._cgroup / "cgroup.procs"
        self.pid = int(run(commands.start_container(name, mounts), culprit=name))
        self._network = os.open(f"/proc/{self.pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def command(self, *argv: str) -> list[str]:
        """The command that runs ``argv`` inside this container."""
        return [ENTER, str(self.pid), str(self._procs), *argv]

    def run(self, *argv: str, input_text: str = "") -> str:
        """Run a short command inside to its end; GuestError if it fails."""
        return run(self.command(*argv), input_text, culprit=self.name)

    @contextmanager
    def network(self) -> Iterator[None]:
        """Be in its network namespace, with the programs that start here.

        ``enter`` takes two more processes for each command; the agent is one thread, and may change places.
        """
        _enter_network(self._network)
        try:
            yield
        finally:
            _enter_network(_own_network())

    def memory_kills(self) -> int:
        """How many of its processes the kernel has killed because the node ran out of memory."""
        events = dict(line.split() for line in (self._cgroup / "memory.events").read_text().splitlines())
        return int(events["oom_kill"])

    def write(self, path: str, content: bytes | str, mode: int = 0o644) -> None:
        """Write a file to its file system; creates parent directories."""
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)


class Containers:
    """The nodes of a scripted run: containers alone, since importing Mininet takes longer than making two of them."""

    def __init__(self) -> None:
        self._by_node: dict[str, Container] = {}

    def add(self, spec: types.Node, mounts: Sequence[commands.Mount], _class_name: str, _lists: Sequence[str]) -> None:
        """Make a node of the plan; nobody looks at it as Mininet does."""
        self._by_node[spec.name] = Container(spec, mounts)

    def container(self, node: str) -> Container:
        """The container of a node."""
        return self._by_node[node]
