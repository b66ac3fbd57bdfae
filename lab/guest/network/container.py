# SPDX-License-Identifier: MIT
"""A node's container, on an overlay of the image.

Own mount, PID, network, UTS and IPC namespaces; own /etc, /var and /tmp through the overlay; memory and pids
limited by its cgroup. ``container`` (images/initrd/container.c) starts it; ``enter`` starts other programs in it.
Not isolated: user ids and the clock, which the nodes share, and the CPU, which virtual time makes free.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from lab.guest import commands
from lab.guest.network.root import Launch, Root, enter_network, overlay
from lab.guest.tasks import run
from lab.shared import types
from lab.shared.paths import BASE, CGROUPS, IMAGES, NODES


@cache
def _own_network() -> int:
    """The network namespace of the guest's first processes."""
    return os.open("/proc/1/ns/net", os.O_RDONLY | os.O_CLOEXEC)


class Container(Root):
    """A started container. ``root`` is its file system as the agent sees it, ``pid`` its first process.

    ``own`` is where the user's programs and files are: here, or in the Docker image that the node has beside it.
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
        pid = int(run(commands.start_container(name, commands.mounts_of(spec, mounts)), culprit=name))
        super().__init__(name, pid, self._cgroup / "cgroup.procs")
        self.pidfd = os.pidfd_open(self.pid)  # readable once the first process has ended, and with it all others
        self._network = os.open(f"/proc/{self.pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.own = self
        if spec.docker:
            from lab.guest.network.docker import DockerRoot

            self.own = DockerRoot(spec, spec.docker, mounts, self)

    @property
    def alive(self) -> bool:
        """Whether its first process still runs."""
        return not select.select([self.pidfd], [], [], 0)[0]

    def describe_end(self) -> str:
        """What its end means, for a message."""
        return f"{self.name} has stopped: its first process has ended, and with it all of its programs"

    @contextmanager
    def network(self) -> Iterator[None]:
        """Be in its network namespace, with the programs that start here.

        ``enter`` takes two more processes for each command; the agent is one thread, and may change places.
        """
        enter_network(self._network)
        try:
            yield
        finally:
            enter_network(_own_network())

    def launch_found(self, argv: Sequence[str], directory: str | None = None) -> Launch:
        """The command and environment of a program of the user's: that of the Docker image, or if that has none such,
        the base's."""
        return (self.own if self.own.has(argv[0], directory) else self).launch(argv, directory)

    def memory_kills(self) -> int:
        """How many of its processes the kernel has killed because the node ran out of memory."""
        return self._count("memory.events", "oom_kill")

    def forks_refused(self) -> int:
        """How often it could not start a process or thread because it had as many as it may."""
        return self._count("pids.events", "max")

    def _count(self, file: str, event: str) -> int:
        """How often an event has happened to its cgroup."""
        events = dict(line.split() for line in (self._cgroup / file).read_text().splitlines())
        return int(events[event])


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
