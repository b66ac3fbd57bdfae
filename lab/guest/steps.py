# SPDX-License-Identifier: MIT
"""Steps: what the guest does, one after the other. The guest executes them, ``lab run --dry-run`` prints them.

lab/guest/script.py generates them from a plan, with those of lab/nodes/*/guest.py and lab/events/*/guest.py, which may
define steps of their own. They are named tuples, not dataclasses: a guest imports them at every boot, and a dataclass
takes ten times as long to make.

Process ids are unknown when steps are printed. So a function of type ``Pid`` provides them.
"""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.shared import types
from lab.shared.paths import CGROUPS, NODES

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

Pid = Callable[[str], int | str]  # of a node's first process, whose namespaces are the node's

GUEST = "the guest"  # the place of commands that belong to no node


def place_of(step: Step) -> str:
    """The place of a step, for a heading; empty if its lines name it."""
    return getattr(step, "place", "")


class Step(Protocol):
    """One thing that the guest does.

    The lines of a step with a property ``place`` are printed below a heading that names it.
    """

    def describe(self) -> Iterator[str]:
        """Its lines: commands as a shell would have them, everything else as comments."""

    def execute(self, guest: LiveGuest) -> str | None:
        """Execute it; returns what the record of an event has of it.

        Raises:
            GuestError: The run cannot continue.
        """


class Run(NamedTuple):
    """Run a command to its end, in a node or outside of all nodes; ``lines`` are its standard input."""

    argv: Sequence[str]
    node: str | None = None
    lines: Sequence[str] = ()
    culprit: str | None = None  # whom an error names, if not ``node``
    of_user: bool = False  # in the node's Docker image, if that has such a program

    @property
    def place(self) -> str:
        """The node."""
        return self.node or GUEST

    def describe(self) -> Iterator[str]:
        """The command, its input as a here-document."""
        return _command(self.argv, self.lines)

    def execute(self, guest: LiveGuest) -> str:
        """Run it; returns its output."""
        if self.node is not None and self.of_user:
            return guest.run_for_user(self.argv, self.node)
        return guest.run(self.argv, self.node, "".join(f"{line}\n" for line in self.lines), self.culprit)


class Configure(NamedTuple):
    """Run a command to its end in a node's network namespace; ``lines`` are its standard input.

    It sees the node's interfaces, but the guest's files: not the node's /sys, by which ``iw`` finds radios.
    """

    argv: Sequence[str]
    node: str
    lines: Sequence[str] = ()

    @property
    def place(self) -> str:
        """The node."""
        return self.node

    def describe(self) -> Iterator[str]:
        """The command, its input as a here-document."""
        return _command(self.argv, self.lines)

    def execute(self, guest: LiveGuest) -> None:
        """Run it."""
        guest.configure(self.argv, self.node, "".join(f"{line}\n" for line in self.lines))


def _command(argv: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    command = shlex.join(argv)
    if not lines:
        yield command
        return
    yield f"{command} <<end"
    yield from lines
    yield "end"


class SetSysctl(NamedTuple):
    """Set a network parameter of a node's kernel."""

    key: str  # path below /proc/sys/net
    value: str
    node: str
    source: str = ""  # file:line, if a user wrote it

    @property
    def place(self) -> str:
        """The node."""
        return self.node

    def describe(self) -> Iterator[str]:
        """The file and its content."""
        yield f"# /proc/sys/net/{self.key}: {self.value}"

    def execute(self, guest: LiveGuest) -> None:
        """Set it."""
        guest.set_sysctl(self.key, self.value, self.node, self.source)


class Write(NamedTuple):
    """Write a text file."""

    path: str
    text: str
    node: str | None = None
    mode: int = 0o644

    @property
    def place(self) -> str:
        """The node."""
        return self.node or GUEST

    def describe(self) -> Iterator[str]:
        """The text."""
        yield f"# {self.path}:"
        for line in self.text.splitlines():
            yield f"#   {line}".rstrip()

    def execute(self, guest: LiveGuest) -> None:
        """Write it."""
        guest.write(self.path, self.text, self.node, self.mode)


class Place(NamedTuple):
    """Write a file of the workload to its node."""

    file: types.File
    seed: int

    def describe(self) -> Iterator[str]:
        """Its content."""
        file = self.file
        content = f"{file.random_bytes} random bytes" if file.random_bytes is not None else f"{file.size_bytes} bytes"
        if file.text is not None:
            content = f"{len(file.text)} characters"
        yield f"# in {file.node}: {file.path} ({content}, mode {file.mode:04o}, sha256 {file.sha256[:16]}…)"

    def execute(self, guest: LiveGuest) -> None:
        """Write it."""
        guest.place(self.file, self.seed)


class Create(NamedTuple):
    """Create a node's container, and Mininet's view of the node."""

    node: types.Node
    mounts: tuple[commands.Mount, ...]
    class_name: str  # Mininet's name for the class of such nodes
    lists: tuple[str, ...]  # the attributes of Mininet's network that it is in

    @property
    def place(self) -> str:
        """No node."""
        return GUEST

    def describe(self) -> Iterator[str]:
        """Its limits, and the command that starts it."""
        node = self.node
        limits = f"at most {commands.memory_text(node)} of memory and {node.pids_max} processes"
        of = f"the images {node.image} and base" if node.image and not node.docker else "the image"
        yield f"# {NODES}/{node.name}/root: an overlay of {of}; {CGROUPS}/lab-{node.name}: {limits}"
        yield shlex.join(commands.start_container(node.name, commands.mounts_of(node, self.mounts)))
        if node.docker:
            root = f"{NODES}/{node.name}/{commands.DOCKER}root"
            yield f"# {root}: an overlay of {node.docker.source}; PID: what it printed"
            yield shlex.join(commands.start_docker(node.name, self.mounts, "PID"))

    def execute(self, guest: LiveGuest) -> None:
        """Create and start it."""
        guest.create(self.node, self.mounts, self.class_name, self.lists)


class Daemon(NamedTuple):
    """Start a daemon of a node; its end ends the run."""

    node: str
    name: str
    argv: Sequence[str]

    @property
    def place(self) -> str:
        """The node."""
        return self.node

    def describe(self) -> Iterator[str]:
        """The command."""
        yield shlex.join(self.argv)

    def execute(self, guest: LiveGuest) -> None:
        """Start it."""
        guest.start_daemon(self.node, self.name, self.argv)


class AwaitSocket(NamedTuple):
    """Wait until a daemon has created its socket."""

    node: str
    daemon: str
    path: str

    @property
    def place(self) -> str:
        """The node."""
        return self.node

    def describe(self) -> Iterator[str]:
        """Which socket."""
        yield f"# wait for {self.daemon}'s {self.path}"

    def execute(self, guest: LiveGuest) -> None:
        """Wait for it."""
        guest.await_socket(self.node, self.daemon, self.path)


class Attach(NamedTuple):
    """Connect to the control socket of hostapd or wpa_supplicant, and receive its events."""

    node: str
    daemon: str
    path: str

    @property
    def place(self) -> str:
        """The node."""
        return self.node

    def describe(self) -> Iterator[str]:
        """Which socket."""
        yield f"# wait for {self.daemon}'s {self.path}, send ATTACH"

    def execute(self, guest: LiveGuest) -> None:
        """Wait for the socket, and connect."""
        guest.attach(self.node, self.daemon, self.path)


class Ask(NamedTuple):
    """Have hostapd or wpa_supplicant do something."""

    node: str
    daemon: str
    request: str

    def describe(self) -> Iterator[str]:
        """The request."""
        yield f"# to {self.daemon} on {self.node}: {self.request}"

    def execute(self, guest: LiveGuest) -> str:
        """Send it; returns the answer.

        Raises:
            GuestError: It refuses.
        """
        control = guest.controls[self.node]
        answer = control.request(self.request).strip()
        if answer != "OK":
            raise GuestError(f"{control.task.name} answers {self.request} with {answer}", control.task.name)
        return answer


class AwaitUp(NamedTuple):
    """Wait until a daemon with a control socket has done its task."""

    node: str
    status: str  # a line of the answer to STATUS
    event: str  # otherwise this event comes later
    what: str  # "ap1 to enable its access point"
    source: str  # file:line of the node

    def describe(self) -> Iterator[str]:
        """What is waited for."""
        yield f"# wait for {self.what}: {self.status} in the answer to STATUS, or {self.event}"

    def execute(self, guest: LiveGuest) -> None:
        """Wait for it."""
        guest.await_up(self.node, self.status, self.event, self.what, self.source)


class Pause(NamedTuple):
    """Let virtual time pass."""

    duration_ns: int

    def describe(self) -> Iterator[str]:
        """How long."""
        yield f"# wait for {self.duration_ns / 1e6:g} ms"

    def execute(self, guest: LiveGuest) -> None:
        """Let it pass."""
        guest.pause(self.duration_ns)


class Note(NamedTuple):
    """A remark for readers of the steps; the guest does nothing."""

    text: str

    def describe(self) -> Iterator[str]:
        """The text."""
        yield f"# {self.text}"

    def execute(self, guest: LiveGuest) -> None:
        """Nothing."""


class Signal(NamedTuple):
    """Send a process of the workload a signal; its end is then not a failure."""

    process: str
    signal: signal.Signals

    def describe(self) -> Iterator[str]:
        """Which signal."""
        yield f"# {self.signal.name} to {self.process}"

    def execute(self, guest: LiveGuest) -> None:
        """Send it."""
        guest.processes.send(self.process, self.signal)
