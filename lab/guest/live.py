# SPDX-License-Identifier: MIT
"""The running guest that steps act on: the network, its daemons, the medium, the clock and the plan's processes."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from lab.guest.clock import Clock
from lab.guest.commands import Mount, memory_kills_text, pids_text
from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.loop import Loop, Timer
from lab.guest.network.container import Container
from lab.guest.processes import Processes
from lab.guest.tasks import Task
from lab.shared import types
from lab.shared.paths import RAW, RUN

if TYPE_CHECKING:
    from lab.guest.hwsim import Hwsim
    from lab.guest.medium.medium import MediumControl
    from lab.guest.medium.record import MediumRecord
    from lab.guest.network.air_capture import AirCapture
    from lab.guest.nl80211 import Nl80211

Drive = Callable[["LiveGuest", int], None]


class Network(Protocol):
    """The nodes that have been made."""

    def add(self, spec: types.Node, mounts: Sequence[Mount], class_name: str, lists: Sequence[str]) -> object:
        """Make a node of the plan; the names are for those that see it as Mininet does."""

    def container(self, node: str) -> Container:
        """Return the container of a node."""


class LiveGuest:
    """The objects that steps act on.

    ``controls`` has the control connections of daemons, by the name of the node, or of an interface after its first;
    ``air`` is the capture of the medium, if any; ``looks`` are the readings of its counters. Once
    ``daemons_are_needed``, the death of one ends the run. ``drive`` advances the timeline as far as its caller wants;
    None: to its end.
    """

    def __init__(self, plan: types.Plan, loop: Loop, network: Network, drive: Drive | None = None) -> None:
        self.plan = plan
        self.drive = drive
        self._levels: list[Timer] = []  # changes of levels that are to come, or have been
        self.loop = loop
        self.network = network
        owned = [one for node in plan.nodes for one in (*node.radios()[1:], *node.further_networks())]
        self._homes = {one.name: one.home for one in owned}
        self.clock = Clock()
        self.daemons: dict[tuple[str, str], Task] = {}
        self.controls: dict[str, Control] = {}
        self.air: AirCapture | None = None
        self.events: list[tuple[types.Event, bool, bytes, str | None]] = []  # past: success, output, its file in raw/
        self._kept = Counter[str]()  # by kind of event
        self.failure: GuestError | None = None
        self.on_guarded: Callable[[GuestError], None] = self.fail  # a session reports it instead
        self.processes = Processes(self)
        self.daemons_are_needed = False
        self._nl80211: Nl80211 | None = None
        self._medium: MediumControl | None = None
        self.looks: MediumRecord | None = None

    # Failures of callbacks in the loop

    def fail(self, error: GuestError) -> None:
        """End the run with a failure, if it is the first."""
        self.failure = self.failure or error

    def raise_failure(self) -> None:
        """Raise the failure, if any."""
        if self.failure:
            raise self.failure

    def guard(self, callback: Callable[[], object]) -> None:
        """Run a callback of the loop; its failure ends the run, unless it is a session."""
        try:
            callback()
        except GuestError as error:
            self.on_guarded(error)

    def call_at(self, at_ns: int, callback: Callable[[], object], changes_levels: bool = False) -> None:
        """Have the loop call ``callback`` at a time of the timeline.

        A GuestError of it ends the run. ``changes_levels``: since nodes move, which a later event may send elsewhere.
        """
        timer = self.loop.call_at(self.clock.start_ns + at_ns, lambda: self.guard(callback))
        if changes_levels:
            self._levels.append(timer)

    def forget_levels(self) -> None:
        """Drop the changes of levels that are to come: others take their place."""
        for timer in self._levels:
            timer.cancel()
        self._levels.clear()

    def happened(self, event: types.Event, ok: bool, output: bytes, kept: bool) -> list[str]:
        """Note an event; return the file in the run directory that its output will be in, if it is ``kept``."""
        raw = None
        if kept:
            self._kept[event.kind] += 1
            raw = f"{event.kind}/{self._kept[event.kind]}-{event.target}.out"
        self.events.append((event, ok, output, raw))
        return [str((RAW / raw).relative_to(RUN))] if raw else []

    # Daemons

    def daemon_ended(self, task: Task, node: str | None = None) -> None:
        """End the run if a daemon has ended that the timeline needs; ``node``: in which it ran."""
        if self.daemons_are_needed and not task.alive and not task.expected:
            because = self.limits_reached(node, task) if node else ""
            self.fail(GuestError(f"{task.name} {task.describe_end()}{because}", task.name, task.logs))

    def limits_reached(self, name: str, task: Task) -> str:
        """Return the limits of a node that may be why a program ended there, after a colon; empty without any."""
        node, container = self.plan.node(name), self.container(name)
        why = []
        if kills := container.memory_kills():
            why.append(memory_kills_text(node, 0 if task.signal == signal.SIGKILL else kills))
        if container.forks_refused():
            why.append(pids_text(node))
        return f": {name} {' and '.join(why)}" if why else ""

    # Nodes

    def container(self, node: str) -> Container:
        """Return the container of a node, or of the one that has the radio of that name."""
        return self.network.container(self._homes.get(node, node))

    def pid(self, node: str) -> int:
        """Return the process id of a node's first process."""
        return self.container(node).pid

    # Radios

    @property
    def nl80211(self) -> Nl80211:
        """The kernel's configuration of radios."""
        from lab.guest.nl80211 import Nl80211

        if self._nl80211 is None:
            self._nl80211 = Nl80211()
        return self._nl80211

    @property
    def hwsim(self) -> Hwsim:
        """The kernel's driver of radios."""
        from lab.guest.hwsim import Hwsim

        return Hwsim()

    @property
    def medium(self) -> MediumControl:
        """The medium of a plan that has one."""
        from lab.guest.medium.medium import MediumControl

        if self._medium is None:
            assert self.plan.medium is not None  # callers have checked
            self._medium = MediumControl(self.plan.medium)
        return self._medium
