# SPDX-License-Identifier: MIT
"""The running processes and probes of the plan."""

from __future__ import annotations

import fcntl
import os
import re
import signal
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from lab.guest.clock import Clock
from lab.guest.commands import pids_text
from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.network.container import Container
from lab.guest.sampling import FileSizeSampler, Sampler
from lab.guest.tasks import Task
from lab.shared import types
from lab.shared.paths import RAW, RAW_IN_NODE

if TYPE_CHECKING:
    from lab.guest.output_times import OutputTimes
    from lab.shared.outcome import Ended

_FURTHER, _FIRST_FREE = 3, 64  # descriptors of a program: the first after its streams, the first that it never gets
# signals of a crash: a program that ends by one fails the run even if it had been asked to end
_CRASHES = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGSYS})
_MUST_END = "; a client must end by itself: make duration: longer, or write stop: or may_run_on: true"


class GuestOfProcesses(Protocol):
    """The guest as processes need it."""

    plan: types.Plan
    loop: Loop
    clock: Clock

    def container(self, node: str) -> Container:
        """Return the container of a node."""

    def limits_reached(self, name: str, task: Task) -> str:
        """Return the limits of a node that may be why a program ended there, after a colon; empty without any."""

    def fail(self, error: GuestError) -> None:
        """End the run with a failure, if it is the first."""


def with_open_files(process: types.Process) -> tuple[list[str], list[int]]:
    """Open the files in RAW that the command of a probe names; return the command with their descriptors instead.

    A node does not see the folder: its programs could replace files of others.
    """
    opened: dict[str, int] = {}

    def descriptor(named: re.Match[str]) -> str:
        if named[1] not in opened:
            file = os.open(RAW / f"{process.id}.{named[1]}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            opened[named[1]] = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)  # not a number in the program
            os.close(file)
        return f"/dev/fd/{_FURTHER + [*opened].index(named[1])}"

    pattern = rf"{re.escape(f'{RAW_IN_NODE}/{process.id}')}\.(\w+)"
    return [re.sub(pattern, descriptor, word) for word in process.argv], [*opened.values()]


class Processes:
    """Starts and ends processes. ``tasks`` are the started ones, by id."""

    def __init__(self, guest: GuestOfProcesses) -> None:
        self.tasks: dict[str, Task] = {}
        self._guest = guest
        self._samplers: dict[str, Sampler] = {}
        self._sizes: list[FileSizeSampler] = []
        self._times: OutputTimes | None = None

    def start(self, process: types.Process) -> None:
        """Start a program, and watch its file if it has one."""
        container = self._guest.container(process.node)
        if process.prints is not None:
            self._output_times().watch(RAW / f"{process.id}.out")
        argv, files = with_open_files(process) if process.probe else (process.argv, [])
        command, environment = (container if process.probe else container.own).launch(argv, user=process.user)
        task = Task(
            self._guest.loop,
            process.id,
            command,
            RAW / f"{process.id}.out",
            RAW / f"{process.id}.err",
            lambda task: self._ended(process, task),
            environment,
            further=files,
        )
        self.tasks[process.id] = task
        if process.watched_file:
            sampler = FileSizeSampler(self._guest.loop, self._guest.clock, process, container, task)
            self._sizes.append(sampler)
            sampler.tick()

    def _output_times(self) -> OutputTimes:
        from lab.guest.output_times import OutputTimes  # most runs do not need it

        if self._times is None:
            self._times = OutputTimes(self._guest.loop)
        return self._times

    def sample(self, process: types.Process) -> None:
        """Start to run a probe's command repeatedly."""
        argv = self._guest.container(process.node).command(*process.argv)
        sampler = Sampler(self._guest.loop, self._guest.clock, process, argv)
        self._samplers[process.id] = sampler
        sampler.tick()

    def _ended(self, process: types.Process, task: Task) -> None:
        for sampler in self._sizes:
            sampler.finish(task)
        if not process.required or (task.expected and task.signal not in _CRASHES):
            return
        if task.exit == 0 and (process.acts or process.ready is None):
            return  # a client that has finished
        self._fail(process, task, task.describe_end())

    def _fail(self, process: types.Process, task: Task, what: str, advice: str = "") -> None:
        """Fail the run because of a process; if its node has reached a limit, that may be why."""
        because = self._guest.limits_reached(process.node, task)
        self._guest.fail(GuestError(f"{process.source}: {process.id} {what}{because}{advice}", process.id, task.logs))

    def check_ends(self, clients: Iterable[types.Process]) -> None:
        """Fail the run if a client has not ended by itself, and nobody asked it to; or if a node could start no more.

        A shell that cannot start a program continues, and may end with 0.
        """
        unasked = [(process, task) for process in clients if (task := self.tasks.get(process.id)) and not task.expected]
        if any(task.alive for _, task in unasked):  # or a command of the timeline kept the loop from noticing its end
            self._guest.loop.step(now_ns())
        for process, task in unasked:
            if task.alive:
                end = self._guest.plan.duration_ns / 1e9
                self._fail(process, task, f"still ran at the end of the run, {end:g} s", _MUST_END)
        for node in self._guest.plan.nodes:
            if self._guest.container(node.name).forks_refused():
                self._guest.fail(GuestError(f"{node.source}: {node.name} {pids_text(node)}", node.name))

    def excuse(self) -> None:
        """Allow processes to be unfinished: the run ends early."""
        for task in self.tasks.values():
            task.expected = task.expected or task.alive

    def send(self, process: str, number: signal.Signals) -> None:
        """Signal a process; a probe that samples ends without a signal."""
        if process in self._samplers:
            self._samplers[process].stop()
        if process in self.tasks:
            self.tasks[process].send(number)

    def end(self, asked: Mapping[str, signal.Signals], grace_ns: int) -> None:
        """Send processes that still run their signal; kill those that do not end within ``grace_ns``."""
        for sampler in self._samplers.values():
            sampler.stop()
        for sizes in self._sizes:
            sizes.stop()
        tasks = {name: self.tasks[name] for name in asked if name in self.tasks}
        for name, task in tasks.items():
            task.send(asked[name])
        self._await_ends(tasks.values(), grace_ns)
        for task in tasks.values():
            task.send(signal.SIGKILL)
        self._await_ends(tasks.values(), grace_ns)
        if self._times is not None:
            self._times.finish()

    def _await_ends(self, tasks: Collection[Task], longest_ns: int) -> None:
        self._guest.loop.run_until(now_ns() + longest_ns, lambda: not any(task.alive for task in tasks))

    def outcome(self) -> list[Ended]:
        """Return the outcome of each."""
        from lab.shared.outcome import Ended  # at the end: during the run an import would take virtual time

        nodes = {process.id: process.node for process in self._guest.plan.processes}
        since = self._guest.clock.since_start_ns
        return [
            Ended(
                id=task.name,
                node=nodes[task.name],
                started_ns=since(task.started_ns),
                ended_ns=None if task.expected or task.ended_ns is None else since(task.ended_ns),
                exit=None if task.expected else task.exit,
                signal=None if task.expected else task.signal,
            )
            for task in self.tasks.values()
        ]
