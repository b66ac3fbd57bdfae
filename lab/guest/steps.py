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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.loop import now_ns
from lab.guest.tasks import Task, run
from lab.shared import types
from lab.shared.paths import CGROUPS, DAEMON_LOGS, NODES

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

Pid = Callable[[str], int | str]  # of a node's first process, whose namespaces are the node's

GUEST = "the guest"  # the heading of commands that belong to no node
UP_TIMEOUT_NS = 30_000_000_000  # for hostapd to beacon, for a station to associate


def heading_of(step: Step) -> str:
    """Return the heading of a step; empty if its lines name it."""
    heading: str | None = getattr(step, "heading", getattr(step, "node", ""))
    return GUEST if heading is None else heading


class Step(Protocol):
    """One thing that the guest does.

    The lines of a step with a field ``node`` (None: no node) or a property ``heading`` are printed below that.
    """

    def describe(self) -> Iterator[str]:
        """Yield its lines: commands as a shell would have them, everything else as comments."""

    def execute(self, guest: LiveGuest) -> bytes | None:
        """Execute it; return what the record of an event keeps of it.

        Raises:
            GuestError: If the run cannot continue.
        """


class Do(NamedTuple):
    """Do what a few lines say, below its ``heading`` if it has one."""

    lines: Sequence[str]
    action: Callable[[LiveGuest], bytes | None]
    heading: str = ""

    def describe(self) -> Iterator[str]:
        return iter(self.lines)

    def execute(self, guest: LiveGuest) -> bytes | None:
        return self.action(guest)


class RunCommand(NamedTuple):
    """Run a command to its end, in a node or outside of all nodes; ``lines`` are its standard input."""

    argv: Sequence[str]
    node: str | None = None
    lines: Sequence[str] = ()
    culprit: str | None = None  # what an error names, if not ``node``
    of_user: bool = False  # in the node's Docker image, if that has such a program

    def describe(self) -> Iterator[str]:
        return _command(self.argv, self.lines)

    def execute(self, guest: LiveGuest) -> bytes:
        if self.node is None:
            return run(self.argv, _input(self.lines), self.culprit)
        container = guest.container(self.node)
        if self.of_user:
            command, environment = container.launch_found(self.argv)
            return run(command, culprit=self.node, environment=environment, of_user=self.argv)
        return container.run(*self.argv, input_text=_input(self.lines))


class Configure(NamedTuple):
    """Run a command to its end in a node's network namespace; ``lines`` are its standard input.

    It sees the node's interfaces, but the guest's files: not the node's /sys, by which ``iw`` finds radios.
    """

    argv: Sequence[str]
    node: str
    lines: Sequence[str] = ()

    def describe(self) -> Iterator[str]:
        return _command(self.argv, self.lines)

    def execute(self, guest: LiveGuest) -> None:
        with guest.container(self.node).network():
            run(self.argv, _input(self.lines), culprit=self.node)


def _input(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _command(argv: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    command = shlex.join(argv)
    if not lines:
        yield command
        return
    yield f"{command} <<end"
    yield from lines
    yield "end"


def set_sysctl(key: str, value: str, node: str, source: str = "") -> Step:
    """Set a network parameter of a node's kernel.

    ``key`` is a path below /proc/sys/net; ``source``: FILE:LINE, if a user wrote it.
    """

    def write(guest: LiveGuest) -> None:
        from lab.guest.network import sysctls

        try:
            with guest.container(node).network():
                sysctls.set_sysctl(key, value)
        except GuestError as error:
            where = f"{source}: " if source else ""
            raise GuestError(f"{where}{error.message}", node) from None

    return Do([f"# /proc/sys/net/{key}: {value}"], write, node)


class Write(NamedTuple):
    """Write a text file."""

    path: str
    text: str
    node: str | None = None
    mode: int = 0o644

    def describe(self) -> Iterator[str]:
        yield f"# {self.path}:"
        for line in self.text.splitlines():
            yield f"#   {line}".rstrip()

    def execute(self, guest: LiveGuest) -> None:
        if self.node is None:
            Path(self.path).write_text(self.text)
        else:
            guest.container(self.node).write(self.path, self.text, self.mode)


def place_file(file: types.File, seed: int) -> Step:
    """Write a file of the workload to its node."""

    def write(guest: LiveGuest) -> None:
        try:
            guest.container(file.node).own.write_chunks(file.path, _chunks(file, seed, guest), file.mode)
        except GuestError as error:
            raise GuestError(f"files.{file.name}: {error.message}", error.culprit) from None

    content = f"{file.random_bytes} random bytes" if file.random_bytes is not None else f"{file.size_bytes} bytes"
    if file.text is not None:
        content = f"{len(file.text)} characters"
    line = f"# in {file.node}: {file.path} ({content}, mode {file.mode:04o}, sha256 {file.sha256[:16]}…)"
    return Do([line], write)


def _chunks(file: types.File, seed: int, guest: LiveGuest) -> Iterable[bytes]:
    if file.text is not None:
        return [file.text.encode()]
    if file.packed_bytes is not None:
        from base64 import b64decode

        return [b64decode(guest.plan.packed[file.sha256])]
    from lab.shared.random_files import random_chunks

    return random_chunks(seed, file.name, file.random_bytes or 0)


def create(node: types.Node, mounts: tuple[commands.Mount, ...], class_name: str, lists: tuple[str, ...]) -> Step:
    """Create a node's container, whose end ends the run, and Mininet's view of the node.

    ``class_name``: Mininet's for such nodes; ``lists``: the attributes of Mininet's network that it is in.
    """

    def make(guest: LiveGuest) -> None:
        guest.network.add(node, mounts, class_name, lists)
        container = guest.container(node.name)
        if node.docker:
            from lab.guest.network.docker import DockerRoot

            container.own = DockerRoot(node, node.docker, mounts, container)

        def ended() -> None:
            guest.loop.remove_reader(container.pidfd)
            guest.fail(GuestError(f"{node.source}: {container.describe_end()}", node.name))

        guest.loop.add_reader(container.pidfd, ended)

    limits = f"at most {commands.size_text(node.memory_bytes)} of memory and {node.pids_max} processes"
    of = f"the images {node.image} and base" if node.image and not node.docker else "the image"
    lines = [f"# {NODES}/{node.name}/root: an overlay of {of}; {CGROUPS}/lab-{node.name}: {limits}"]
    lines += [shlex.join(commands.start_container(node, commands.mounts_of(node, mounts)))]
    if node.docker:
        root = f"{NODES}/{node.name}/{commands.DOCKER}root"
        lines += [f"# {root}: an overlay of {node.docker.source}; PID: what it printed"]
        lines += [shlex.join(commands.start_docker(node, mounts, "PID"))]
    return Do(lines, make, GUEST)


def start_daemon(node: str, name: str, argv: Sequence[str]) -> Step:
    """Start a daemon of a node; its end ends the run."""

    def start(guest: LiveGuest) -> None:
        guest.daemons[node, name] = Task(
            guest.loop,
            f"{name} on {node}",
            guest.container(node).command(*argv),
            DAEMON_LOGS / f"{node}-{name}.log",
            on_exit=lambda task: guest.daemon_ended(task, node),
        )

    return Do([shlex.join(argv)], start, node)


def await_socket(node: str, daemon: str, path: str) -> Step:
    """Wait until a daemon has created its socket."""
    return Do([f"# wait for {daemon}'s {path}"], lambda guest: _await_socket(guest, node, daemon, path), node)


def _await_socket(guest: LiveGuest, node: str, daemon: str, path: str, configs: Sequence[str] = ()) -> None:
    socket = guest.container(node).root / path.lstrip("/")
    _await_daemon(guest, node, daemon, socket.exists, path, configs)


def await_listening(node: str, daemon: str, port: str) -> Step:
    """Wait until a daemon listens on a port: ``tcp/6653``."""

    def wait(guest: LiveGuest) -> None:
        from lab.guest import ready

        _await_daemon(guest, node, daemon, ready.listening(guest.pid(node), port), port)

    return Do([f"# wait for {daemon} to listen on {port}"], wait, node)


def _await_daemon(
    guest: LiveGuest, node: str, daemon: str, condition: Callable[[], bool], what: str, configs: Sequence[str] = ()
) -> None:
    task = guest.daemons[node, daemon]
    guest.loop.wait_for(
        lambda: condition() or not task.alive,
        UP_TIMEOUT_NS,
        f"{what} of {task.name}",
        culprit=task.name,
        logs=task.logs,
    )
    if not task.alive:
        why = next(filter(None, (_refused(guest, node, daemon, config) for config in configs)), "")
        where = guest.plan.node(node).source
        raise GuestError(why or f"{where}: {task.name} {task.describe_end()}", task.name, task.logs)


def _refused(guest: LiveGuest, node: str, daemon: str, config: str) -> str:
    """Return which line of the topology a daemon refuses, if it says so."""
    from lab.guest.hostap_refusal import refusal

    text = (guest.container(node).root / config.lstrip("/")).read_text()
    return refusal(daemon, guest.plan.node(node), text, guest.daemons[node, daemon].out.read_text(errors="replace"))


def attach(
    node: str,
    daemon: str,
    path: str,
    configs: Sequence[str],
    listener: Callable[[LiveGuest, int, str], None] | None = None,
    name: str | None = None,
) -> Step:
    """Connect to the control socket of hostapd or wpa_supplicant, and receive its events; so does ``listener``.

    ``configs``: its configuration files, for the message about a line that it refuses. ``name``: by which others ask
    for the connection, if not that of the node.
    """
    key = name or node

    def connect(guest: LiveGuest) -> None:
        _await_socket(guest, node, daemon, path, configs)
        earlier = guest.controls.get(key)
        control = Control(guest.loop, guest.container(node).root, path, guest.daemons[node, daemon])
        guest.controls[key] = control
        if earlier is not None:
            control.follow(earlier)
        elif listener is not None:
            control.listen(partial(listener, guest))

    return Do([f"# wait for {daemon}'s {path}, send ATTACH"], connect, node)


def ask(node: str, daemon: str, request: str) -> Step:
    """Have hostapd or wpa_supplicant do something."""

    def send(guest: LiveGuest) -> bytes:
        control = guest.controls[node]
        answer = control.request(request).strip()
        if answer != "OK":
            raise GuestError(f"{control.task.name} answers {request} with {answer}", control.task.name)
        return answer.encode()

    return Do([f"# to {daemon} on {node}: {request}"], send)


def await_up(node: types.Node, status: str, event: str, what: str) -> Step:
    """Wait until a daemon with a control socket has done its task.

    ``status``: a line of the answer to STATUS; otherwise ``event`` comes later. ``what``: "ap1 to enable its access
    point".
    """

    def wait(guest: LiveGuest) -> None:
        control = guest.controls[node.name]
        if status in control.request("STATUS"):
            return
        task = control.task
        guest.loop.wait_for(
            lambda: control.seen(event) or not task.alive,
            UP_TIMEOUT_NS,
            what,
            control.last,
            task.name,
            task.logs,
            node.source,
        )
        if not task.alive:
            raise GuestError(f"{node.source}: {task.name} {task.describe_end()}", task.name, task.logs)

    return Do([f"# wait for {what}: {status} in the answer to STATUS, or {event}"], wait)


def pause(duration_ns: int) -> Step:
    """Let virtual time pass."""
    return Do([f"# wait for {duration_ns / 1e6:g} ms"], lambda guest: guest.loop.run_until(now_ns() + duration_ns))


def note(text: str) -> Step:
    """Return a remark for readers of the steps; the guest does nothing."""
    return Do([f"# {text}"], lambda guest: None)


def send_signal(process: str, number: signal.Signals) -> Step:
    """Send a process of the workload a signal; its end is then not a failure."""
    return Do([f"# {number.name} to {process}"], lambda guest: guest.processes.send(process, number))


def lines(steps: Iterable[Step]) -> Iterator[str]:
    """Describe steps in order, below their headings. A text that is written several times is shown once."""
    here = ""
    written: dict[str, str] = {}  # text -> where it was shown
    for step in steps:
        heading = heading_of(step)
        if heading and heading != here:
            yield f"# in {heading}"
            here = heading
        first = written.setdefault(step.text, heading) if isinstance(step, Write) else heading
        if isinstance(step, Write) and first != heading:
            yield f"# {step.path}: as in {first}"
        else:
            yield from step.describe()
