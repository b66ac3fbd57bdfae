# SPDX-License-Identifier: MIT
"""Steps of scripted runs only: processes, probes, the clock, and the end."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.commands import size_text, stack_environment
from lab.guest.errors import GuestError
from lab.guest.steps import Step
from lab.guest.tasks import ENVIRONMENT
from lab.shared import types
from lab.shared.paths import IMAGES, RAW

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

GRACE_NS = 2_000_000_000  # between signalling the last processes and killing them


class Start(NamedTuple):
    """Start a process: a program, or a probe that runs one."""

    process: types.Process

    @property
    def place(self) -> str:
        """Its node, and its name."""
        return f"{self.process.node}, as {self.process.id}"

    def describe(self) -> Iterator[str]:
        process = self.process
        yield shlex.join(process.argv)
        if process.watched_file:
            yield f"# size of {process.watched_file}{_pace(process)}, its SHA-256 when {process.id} has ended"

    def execute(self, guest: LiveGuest) -> None:
        guest.processes.start(self.process)


class Sample(NamedTuple):
    """A probe starts to run its command repeatedly."""

    process: types.Process

    @property
    def place(self) -> str:
        """Its node, its interval and its name."""
        return f"{self.process.node}{_pace(self.process)}, as {self.process.id}"

    def describe(self) -> Iterator[str]:
        yield shlex.join(self.process.argv)

    def execute(self, guest: LiveGuest) -> None:
        guest.processes.sample(self.process)


class Listen(NamedTuple):
    """A probe starts to record what a daemon's control socket reports."""

    process: types.Process

    def describe(self) -> Iterator[str]:
        process = self.process
        yield f"# in {process.node}: {process.probe} ({process.id}) listens to the control socket"

    def execute(self, guest: LiveGuest) -> None:
        out = RAW / f"{self.process.id}.out"
        out.touch()

        def write(uptime_ns: int, text: str) -> None:
            with out.open("a") as file:
                file.write(f"{guest.clock.since_start_ns(uptime_ns)} {text.rstrip()}\n")

        guest.controls[self.process.node].listen(write)


def _pace(process: types.Process) -> str:
    return f" every {process.every_ns / 1e9:g} s" if process.every_ns is not None else ""


_BEGIN: dict[str, Callable[[types.Process], Step]] = {"command": Start, "sample": Sample, "control": Listen}


def begin(process: types.Process) -> Step:
    """The step that starts a process or a probe, by its mode."""
    return _BEGIN[process.mode](process)


class AwaitReady(NamedTuple):
    """Wait until a process is ready to serve."""

    process: types.Process
    ready: types.Ready

    def describe(self) -> Iterator[str]:
        what = f"{self.process.id} to be ready ({self.ready.listening or self.ready.log})"
        yield f"# wait for {what}, at most {self.ready.timeout_ns / 1e9:g} s"

    def execute(self, guest: LiveGuest) -> None:
        """Wait for it, or for the end of the process."""
        from lab.guest import ready as conditions

        process, ready, pid = self.process, self.ready, guest.pid(self.process.node)
        task = guest.processes.tasks[process.id]
        listening = ready.listening
        is_ready = conditions.listening(pid, listening) if listening else conditions.logged(task, ready.log or "")
        guest.loop.wait_for(
            lambda: is_ready() or not task.alive,
            ready.timeout_ns,
            f"{process.id} to be ready ({listening or ready.log})",
            state=lambda: conditions.listens_on(process.node, pid) if listening else "",
            culprit=process.id,
            logs=task.logs,
            where=process.source,
        )
        guest.raise_failure()


class AwaitHealthy(NamedTuple):
    """Wait until the health check of a process succeeds."""

    process: types.Process
    health: types.Health

    def describe(self) -> Iterator[str]:
        every, most = self.health.interval_ns / 1e9, self.health.retries
        yield f"# wait for {self.process.id} to be healthy; every {every:g} s, at most {most} failures in a row:"
        yield f"#   {shlex.join(self.health.argv)}"

    def execute(self, guest: LiveGuest) -> None:
        """Wait until it does, or the process has ended."""
        from lab.guest.health import await_healthy  # few plans need it

        process = self.process
        root, task = guest.container(process.node).own, guest.processes.tasks[process.id]
        await_healthy(guest.loop, root, process, self.health, task)
        guest.raise_failure()


class StartClock(NamedTuple):
    """The timeline begins."""

    def describe(self) -> Iterator[str]:
        yield "# wait for the next full second of uptime, where the timeline starts"

    def execute(self, guest: LiveGuest) -> None:
        guest.clock.start(guest.loop)


class CheckEnds(NamedTuple):
    """Have the run fail if a client still runs."""

    clients: tuple[types.Process, ...]

    def describe(self) -> Iterator[str]:
        if self.clients:
            yield f"# must have ended: {', '.join(process.id for process in self.clients)}"

    def execute(self, guest: LiveGuest) -> None:
        guest.processes.check_ends(self.clients)


class EndProcesses(NamedTuple):
    """End the remaining processes by a signal, and kill those that do not end."""

    asked: tuple[tuple[str, signal.Signals], ...]  # processes in the order of their start, each with its signal

    def describe(self) -> Iterator[str]:
        for process, number in self.asked:
            yield f"# {number.name} to {process}, if it still runs"
        if self.asked:
            yield f"# SIGKILL to those that still run {GRACE_NS / 1e9:g} s later"

    def execute(self, guest: LiveGuest) -> None:
        guest.processes.end(dict(self.asked), GRACE_NS)


class CaptureAir(NamedTuple):
    """Start to capture the medium."""

    argv: tuple[str, ...]
    node: None = None

    def describe(self) -> Iterator[str]:
        yield shlex.join(self.argv)
        yield "# wait until it captures every frame"

    def execute(self, guest: LiveGuest) -> None:
        from lab.guest.network.air_capture import AirCapture

        guest.air = AirCapture(guest.loop, self.argv, guest.daemon_ended)


class Collect(NamedTuple):
    """Copy files of nodes into the run's directory."""

    wanted: tuple[types.Collect, ...]

    def describe(self) -> Iterator[str]:
        for entry in self.wanted:
            unless = "; there may be none" if entry.optional else ""
            yield f"# in {entry.node}: collect {entry.path} (at most {size_text(entry.at_most_bytes)}{unless})"

    def execute(self, guest: LiveGuest) -> None:
        """Copy those that can be copied before an error of others."""
        from lab.guest.collecting import collect

        failures = []
        for entry in self.wanted:
            try:
                collect(guest.container(entry.node).own, entry)
            except KeyError:  # the run failed before there was this node
                continue
            except GuestError as error:
                failures.append(error)
        if failures:
            raise GuestError("\n".join(error.message for error in failures), failures[0].culprit)


class EndCapture(NamedTuple):
    """End the capture of the medium."""

    def describe(self) -> Iterator[str]:
        yield "# SIGINT to the tcpdump of the air, once the kernel has handed over its last frames"

    def execute(self, guest: LiveGuest) -> None:
        if guest.air:
            guest.air.finish()


class OfferStack(NamedTuple):
    """Mount the code of the plan's stack, and of those that it uses, for all nodes."""

    stacks: tuple[str, ...]

    def describe(self) -> Iterator[str]:
        places = " and ".join(f"/opt/{stack}" for stack in self.stacks)
        yield f"# mount the code of {' and '.join(self.stacks)}, which nodes see at {places}"
        for name, value in stack_environment(self.stacks).items():
            yield f"export {name}={shlex.quote(value)}"

    def execute(self, guest: LiveGuest) -> None:
        from lab.guest.network.devices import offer_stack

        offer_stack()
        ENVIRONMENT.update(stack_environment(self.stacks))


class OfferImages(NamedTuple):
    """Mount the images of nodes."""

    images: tuple[str, ...]
    first_device: int

    def describe(self) -> Iterator[str]:
        for name in self.images:
            yield f"# mount the image {name} on {IMAGES / name}"

    def execute(self, guest: LiveGuest) -> None:
        from lab.guest.network.devices import offer_images

        offer_images(self.images, self.first_device)


class SharePrograms(NamedTuple):
    """Write the programs of probes for all nodes."""

    programs: dict[str, str]

    def describe(self) -> Iterator[str]:
        from lab.shared.paths import PROGRAMS_IN_NODE

        yield f"# programs of probes, which nodes see in {PROGRAMS_IN_NODE}: {', '.join(sorted(self.programs))}"

    def execute(self, guest: LiveGuest) -> None:
        from lab.guest.network.programs import share_programs

        share_programs(self.programs)
