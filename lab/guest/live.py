# SPDX-License-Identifier: MIT
"""The running guest that steps act on: the network, its daemons, the medium, the clock and the plan's processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lab.guest.clock import Clock
from lab.guest.commands import Mount, memory_kills_text, pids_text
from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.loop import Loop, Timer, now_ns
from lab.guest.network.container import Container
from lab.guest.processes import Processes
from lab.guest.tasks import Task, run
from lab.shared import types
from lab.shared.paths import DAEMON_LOGS, RAW

if TYPE_CHECKING:
    from lab.guest.medium.medium import Medium
    from lab.guest.medium.record import MediumRecord
    from lab.guest.network.air_capture import AirCapture
    from lab.guest.nl80211 import Nl80211

Drive = Callable[["LiveGuest", int], None]
UP_TIMEOUT_NS = 30_000_000_000  # for hostapd to beacon, for a station to associate


class Network(Protocol):
    """The nodes that have been made."""

    def add(self, spec: types.Node, mounts: Sequence[Mount], class_name: str, lists: Sequence[str]) -> object:
        """Make a node of the plan; the names are for whoever looks at it as Mininet does."""

    def container(self, node: str) -> Container:
        """The container of a node."""


class LiveGuest:
    """The objects that steps act on.

    ``controls`` has the control connection of each node whose daemon has one; ``air`` is the capture of the medium, if
    any.
    """

    def __init__(self, plan: types.Plan, loop: Loop, network: Network, drive: Drive | None = None) -> None:
        """``drive`` takes the timeline as far as somebody wants it to go; None: it goes to its end."""
        self.plan = plan
        self._drive = drive
        self._levels: list[Timer] = []  # changes of levels that are to come, or have been
        self.loop = loop
        self.network = network
        self.clock = Clock()
        self.daemons: dict[tuple[str, str], Task] = {}
        self.controls: dict[str, Control] = {}
        self.air: AirCapture | None = None
        self.events: list[dict[str, Any]] = []  # past events, as guest.json has them
        self.failure: GuestError | None = None
        self.processes = Processes(self)
        self._daemons_are_needed = False
        self._nl80211: Nl80211 | None = None
        self._medium: Medium | None = None
        self._looks: MediumRecord | None = None

    # Failures of callbacks in the loop

    def fail(self, error: GuestError) -> None:
        """End the run with a failure, if it is the first."""
        self.failure = self.failure or error

    def raise_failure(self) -> None:
        """Raise the failure, if any."""
        if self.failure:
            raise self.failure

    def guard(self, callback: Callable[[], object]) -> None:
        """Run a callback of the loop; its failure ends the run."""
        try:
            callback()
        except GuestError as error:
            self.fail(error)

    def call_at(self, at_ns: int, callback: Callable[[], object], changes_levels: bool = False) -> None:
        """Have the loop call ``callback`` at a time of the timeline.

        Args:
            at_ns: that time.
            callback: it may raise GuestError, which ends the run.
            changes_levels: since nodes move, which may be told to go elsewhere.
        """
        timer = self.loop.call_at(self.clock.start_ns + at_ns, lambda: self.guard(callback))
        if changes_levels:
            self._levels.append(timer)

    def forget_levels(self) -> None:
        """Drop the changes of levels that are to come: others take their place."""
        for timer in self._levels:
            timer.cancel()
        self._levels.clear()

    # The timeline

    def run_timeline(self, duration_ns: int) -> None:
        """Run until a time of the timeline or a failure; from now on the death of a daemon ends the run."""
        self._daemons_are_needed = True
        if self.air:
            self.daemon_ended(self.air.task)
        for (node, _), task in self.daemons.items():
            self.daemon_ended(task, node)
        end_ns = self.clock.start_ns + duration_ns
        if self._drive is None:
            self.loop.run_until(end_ns, lambda: self.failure is not None)
            return
        # the same looks at the clock as without a driver, since each takes some time; what is due begins before it asks
        if self.loop.has_due(self.clock.start_ns) and now_ns() < end_ns:
            self.loop.step(self.clock.start_ns)
        self._drive(self, duration_ns)

    def daemon_ended(self, task: Task, node: str | None = None) -> None:
        """End the run if a daemon has ended that the timeline needs; ``node``: in which it ran."""
        if self._daemons_are_needed and not task.alive and not task.expected:
            because = self.limits_reached(node, task) if node else ""
            self.fail(GuestError(f"{task.name} {task.describe_end()}{because}", task.name, task.logs))

    def limits_reached(self, name: str, task: Task) -> str:
        """The limits of a node that may be why a program ended there, after a colon; empty if there are none."""
        node, container = self.plan.node(name), self.container(name)
        why = []
        if kills := container.memory_kills():
            why.append(memory_kills_text(node, 0 if task.signal == signal.SIGKILL else kills))
        if container.forks_refused():
            why.append(pids_text(node))
        return f": {name} {' and '.join(why)}" if why else ""

    def fire(self, event: types.Event, act: Callable[[], str]) -> None:
        """Execute an event; ``act`` returns the content of its entry.

        Raises:
            GuestError: It failed; with file and line of the event.
        """
        entry = {
            "t_ns": event.at_ns,
            "kind": event.kind,
            "target": event.target,
            "params": event.params,
            "ok": False,
            "output": "",
        }
        self.events.append(entry)
        try:
            entry["output"] = act()
        except GuestError as error:
            message = f"{event.source}: {event.kind} {event.target}: {error.message}"
            raise GuestError(message, error.culprit, error.logs) from None
        entry["ok"] = True

    # Nodes

    def create(self, spec: types.Node, mounts: Sequence[Mount], class_name: str, lists: Sequence[str]) -> None:
        """Make a node of the plan. The end of its container ends the run."""
        self.network.add(spec, mounts, class_name, lists)
        container = self.container(spec.name)
        if spec.docker:
            from lab.guest.network.docker import DockerRoot

            container.own = DockerRoot(spec, spec.docker, mounts, container)

        def ended() -> None:
            self.loop.remove_reader(container.pidfd)
            self.fail(GuestError(f"{spec.source}: {container.describe_end()}", spec.name))

        self.loop.add_reader(container.pidfd, ended)

    def container(self, node: str) -> Container:
        """The container of a node."""
        return self.network.container(node)

    def pid(self, node: str) -> int:
        """The process id of a node's first process."""
        return self.container(node).pid

    def run(self, argv: Sequence[str], node: str | None, input_text: str = "", culprit: str | None = None) -> str:
        """Run a command to its end, in a node or outside of all nodes; returns its output."""
        if node is None:
            return run(argv, input_text, culprit)
        return self.container(node).run(*argv, input_text=input_text)

    def run_for_user(self, argv: Sequence[str], node: str) -> str:
        """Run a command to its end in a node, or in its Docker image if that has it; returns its output."""
        command, environment = self.container(node).launch_found(argv)
        return run(command, culprit=node, environment=environment)

    def configure(self, argv: Sequence[str], node: str, input_text: str = "") -> None:
        """Run a command to its end in a node's network namespace."""
        with self.container(node).network():
            run(argv, input_text, culprit=node)

    def set_sysctl(self, key: str, value: str, node: str, source: str = "") -> None:
        """Set a network parameter of a node's kernel.

        Raises:
            GuestError: The kernel does not take it; with file and line, if given.
        """
        from lab.guest.network.sysctls import set_sysctl

        try:
            with self.container(node).network():
                set_sysctl(key, value)
        except GuestError as error:
            raise GuestError(f"{source}: {error.message}" if source else error.message, node) from None

    def write(self, path: str, text: str, node: str | None, mode: int = 0o644) -> None:
        """Write a text file, in a node or outside of all nodes."""
        if node is None:
            Path(path).write_text(text)
        else:
            self.container(node).write(path, text, mode)

    def place(self, file: types.File, seed: int) -> None:
        """Write a file of the workload to its node."""
        root = self.container(file.node).own
        if file.text is not None:
            chunks: Iterable[bytes] = [file.text.encode()]
        elif file.packed_bytes is not None:
            from base64 import b64decode

            chunks = [b64decode(self.plan.packed[file.sha256])]
        else:
            from lab.shared.random_files import random_chunks

            chunks = random_chunks(seed, file.name, file.random_bytes or 0)
        try:
            root.write_chunks(file.path, chunks, file.mode)
        except GuestError as error:
            raise GuestError(f"files.{file.name}: {error.message}", error.culprit) from None

    def collect(self, wanted: Sequence[types.Collect]) -> None:
        """Copy files of nodes into the run's directory.

        Raises:
            GuestError: Some of them could not be copied; the others were.
        """
        from lab.guest.collecting import collect

        failures = []
        for entry in wanted:
            try:
                collect(self.container(entry.node).own, entry)
            except KeyError:  # the run failed before there was this node
                continue
            except GuestError as error:
                failures.append(error)
        if failures:
            raise GuestError("\n".join(error.message for error in failures), failures[0].culprit)

    def pause(self, duration_ns: int) -> None:
        """Let virtual time pass."""
        self.loop.run_until(now_ns() + duration_ns)

    # Daemons

    def start_daemon(self, node: str, name: str, argv: Sequence[str]) -> None:
        """Start a daemon in a node; its death ends the run."""
        log = DAEMON_LOGS / f"{node}-{name}.log"

        def ended(task: Task) -> None:
            self.daemon_ended(task, node)

        self.daemons[node, name] = Task(
            self.loop, f"{name} on {node}", self.container(node).command(*argv), log, on_exit=ended
        )

    def await_socket(self, node: str, daemon: str, path: str) -> None:
        """Wait until a daemon has created its socket."""
        task = self.daemons[node, daemon]
        socket = self.container(node).root / path.lstrip("/")
        self.loop.wait_for(
            lambda: socket.exists() or not task.alive,
            UP_TIMEOUT_NS,
            f"{path} of {task.name}",
            culprit=task.name,
            logs=task.logs,
        )
        if not task.alive:
            raise GuestError(f"{task.name} {task.describe_end()}", task.name, task.logs)

    def attach(self, node: str, daemon: str, path: str) -> None:
        """Connect to the control socket of hostapd or wpa_supplicant."""
        self.await_socket(node, daemon, path)
        earlier = self.controls.get(node)
        self.controls[node] = Control(self.loop, self.container(node).root, path, self.daemons[node, daemon])
        if earlier is not None:
            self.controls[node].follow(earlier)

    def kill_daemons(self, node: str) -> None:
        """Kill the daemons of a node; it may start them anew."""
        tasks = [task for (owner, _), task in self.daemons.items() if owner == node]
        for task in tasks:
            task.send(signal.SIGKILL)
        self.loop.wait_for(
            lambda: not any(task.alive for task in tasks), UP_TIMEOUT_NS, f"the daemons of {node} to end", culprit=node
        )
        if node in self.controls:
            self.controls[node].close()

    def await_up(self, node: str, status: str, event: str, what: str, source: str) -> None:
        """Wait until a daemon has done ``what``, according to its status or an event."""
        control = self.controls[node]
        if status in control.request("STATUS"):
            return
        self.loop.wait_for(
            lambda: control.seen(event),
            UP_TIMEOUT_NS,
            what,
            control.last,
            control.task.name,
            control.task.logs,
            source,
        )

    # Radios

    @property
    def nl80211(self) -> Nl80211:
        """The kernel's configuration of radios."""
        from lab.guest.nl80211 import Nl80211

        if self._nl80211 is None:
            self._nl80211 = Nl80211()
        return self._nl80211

    @property
    def medium(self) -> Medium:
        """The medium of a plan that has one."""
        from lab.guest.medium.medium import Medium

        if self._medium is None:
            assert self.plan.medium is not None  # callers have checked
            self._medium = Medium(self.plan.medium)
        return self._medium

    def look_at_medium(self, every_ns: int | None = None) -> None:
        """Record the counters; with ``every_ns``, again at its next multiple, unless the last reading is due then.

        An event that takes time (exec) delays a reading, so readings have the actual time, not the planned one.
        """
        from lab.guest.medium.record import MediumRecord

        if self._looks is None:
            self._looks = MediumRecord(self.medium, self.clock.start_ns)
        elapsed_ns = self.clock.elapsed_ns()
        self._looks.look(elapsed_ns)
        if every_ns is None:
            return
        next_ns = (elapsed_ns // every_ns + 1) * every_ns
        if next_ns < self.plan.duration_ns:
            self.call_at(next_ns, lambda: self.look_at_medium(every_ns))

    def record_medium(self) -> None:
        """Read the counters for the last time, and write all readings to a file."""
        self.guard(self.look_at_medium)
        if self._looks is not None:
            self._looks.write(RAW)

    def capture_air(self, argv: Sequence[str]) -> None:
        """Start to capture the medium."""
        from lab.guest.network.air_capture import AirCapture

        self.air = AirCapture(self.loop, argv, self.daemon_ended)
