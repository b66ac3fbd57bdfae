# SPDX-License-Identifier: MIT
"""Steps of scripted runs only: processes, probes, the clock, and the end."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lab.guest.commands import air_capture, size_text, stack_environment
from lab.guest.errors import GuestError
from lab.guest.steps import GUEST, Do, Step
from lab.guest.tasks import ENVIRONMENT
from lab.shared import types
from lab.shared.paths import IMAGES, PROGRAMS_IN_NODE, RAW

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

GRACE_NS = 2_000_000_000  # between signalling the last processes and killing them


def _start(process: types.Process) -> Step:
    """Start a process: a program, or a probe that runs one."""
    lines = [shlex.join(process.argv)]
    if process.watched_file:
        lines += [f"# size of {process.watched_file}{_pace(process)}, its SHA-256 when {process.id} has ended"]
    return Do(lines, lambda guest: guest.processes.start(process), f"{process.node}, as {process.id}")


def _sample(process: types.Process) -> Step:
    """Return the step that starts to run a probe's command repeatedly."""
    heading = f"{process.node}{_pace(process)}, as {process.id}"
    return Do([shlex.join(process.argv)], lambda guest: guest.processes.sample(process), heading)


def _listen(process: types.Process) -> Step:
    """Return the step that starts to record what a daemon's control socket reports."""

    def listen(guest: LiveGuest) -> None:
        out = RAW / f"{process.id}.out"
        out.touch()

        def write(uptime_ns: int, text: str) -> None:
            with out.open("a") as file:
                file.write(f"{guest.clock.since_start_ns(uptime_ns)} {text.rstrip()}\n")

        guest.controls[process.node].listen(write)

    return Do([f"# in {process.node}: {process.probe} ({process.id}) listens to the control socket"], listen)


def _pace(process: types.Process) -> str:
    return f" every {process.every_ns / 1e9:g} s" if process.every_ns is not None else ""


_BEGIN: dict[str, Callable[[types.Process], Step]] = {"command": _start, "sample": _sample, "control": _listen}


def begin(process: types.Process) -> Step:
    """Return the step that starts a process or a probe, by its mode."""
    return _BEGIN[process.mode](process)


def await_ready(process: types.Process, ready: types.Ready) -> Step:
    """Wait until a process is ready to serve, or has ended."""
    listening = ready.listening
    what = f"{process.id} to be ready ({listening or ready.log})"

    def wait(guest: LiveGuest) -> None:
        from lab.guest import ready as conditions

        pid = guest.pid(process.node)
        task = guest.processes.tasks[process.id]
        is_ready = conditions.listening(pid, listening) if listening else conditions.logged(task, ready.log or "")
        guest.loop.wait_for(
            lambda: is_ready() or not task.alive,
            ready.timeout_ns,
            what,
            state=lambda: conditions.listens_on(process.node, pid) if listening else "",
            culprit=process.id,
            logs=task.logs,
            where=process.source,
        )
        guest.raise_failure()

    return Do([f"# wait for {what}, at most {ready.timeout_ns / 1e9:g} s"], wait)


def await_healthy(process: types.Process, health: types.Health) -> Step:
    """Wait until the health check of a process succeeds, or the process has ended."""

    def wait(guest: LiveGuest) -> None:
        from lab.guest.health import await_healthy  # few plans need it

        root, task = guest.container(process.node).own, guest.processes.tasks[process.id]
        await_healthy(guest.loop, root, process, health, task)
        guest.raise_failure()

    every, most = health.interval_ns / 1e9, health.retries
    lines = [f"# wait for {process.id} to be healthy; every {every:g} s, at most {most} failures in a row:"]
    return Do([*lines, f"#   {shlex.join(health.argv)}"], wait)


def start_clock() -> Step:
    """Return the step that begins the timeline."""
    line = "# wait for the next full second of uptime, where the timeline starts"
    return Do([line], lambda guest: guest.clock.start(guest.loop))


def check_ends(clients: Sequence[types.Process]) -> Step:
    """Have the run fail if a client still runs."""
    lines = [f"# must have ended: {', '.join(process.id for process in clients)}"] if clients else []
    return Do(lines, lambda guest: guest.processes.check_ends(clients))


def end_processes(asked: dict[str, signal.Signals]) -> Step:
    """End the remaining processes, in the order of their start, by a signal, and kill those that do not end."""
    lines = [f"# {number.name} to {process}, if it still runs" for process, number in asked.items()]
    lines += [f"# SIGKILL to those that still run {GRACE_NS / 1e9:g} s later"] if asked else []
    return Do(lines, lambda guest: guest.processes.end(asked, GRACE_NS))


def capture_air() -> Step:
    """Start to capture the medium."""
    argv = air_capture()

    def capture(guest: LiveGuest) -> None:
        from lab.guest.network.air_capture import AirCapture

        guest.air = AirCapture(guest.loop, argv, guest.daemon_ended)

    return Do([shlex.join(argv), "# wait until it captures every frame"], capture, GUEST)


def end_capture() -> Step:
    """End the capture of the medium."""
    line = "# SIGINT to the tcpdump of the air, once the kernel has handed over its last frames"
    return Do([line], lambda guest: guest.air.finish() if guest.air else None)


def collect(wanted: Sequence[types.Collect]) -> Step:
    """Copy files of nodes into the run's directory: those that can be copied, before an error of others."""

    def copy(guest: LiveGuest) -> None:
        from lab.guest.collecting import collect

        failures = []
        for entry in wanted:
            try:
                collect(guest.container(entry.node).own, entry)
            except KeyError:  # the run failed before there was this node
                continue
            except GuestError as error:
                failures.append(error)
        if failures:
            raise GuestError("\n".join(error.message for error in failures), failures[0].culprit)

    lines = []
    for entry in wanted:
        unless = "; there may be none" if entry.optional else ""
        lines += [f"# in {entry.node}: collect {entry.path} (at most {size_text(entry.at_most_bytes)}{unless})"]
    return Do(lines, copy)


def offer_stack(stacks: Sequence[str]) -> Step:
    """Mount the code of the plan's stack, and of those that it uses, for all nodes."""

    def mount(guest: LiveGuest) -> None:
        from lab.guest.network.devices import offer_stack

        offer_stack()
        ENVIRONMENT.update(stack_environment(stacks))

    folders = " and ".join(f"/opt/{stack}" for stack in stacks)
    lines = [f"# mount the code of {' and '.join(stacks)}, which nodes see at {folders}"]
    return Do(
        [*lines, *(f"export {key}={shlex.quote(text)}" for key, text in stack_environment(stacks).items())], mount
    )


def offer_images(images: Sequence[str], first_device: int) -> Step:
    """Mount the images of nodes."""

    def mount(guest: LiveGuest) -> None:
        from lab.guest.network.devices import offer_images

        offer_images(images, first_device)

    return Do([f"# mount the image {name} on {IMAGES / name}" for name in images], mount)


def share_programs(programs: dict[str, str]) -> Step:
    """Write the programs of probes for all nodes."""

    def write(guest: LiveGuest) -> None:
        from lab.guest.network.programs import share_programs

        share_programs(programs)

    return Do([f"# programs of probes, which nodes see in {PROGRAMS_IN_NODE}: {', '.join(sorted(programs))}"], write)
