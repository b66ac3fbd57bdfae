# SPDX-License-Identifier: MIT
"""How the guest of a plan starts, for whatever purpose: ``lab run``, ``lab shell``, a program that drives it, tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lab import library
from lab.builders.kernel.chosen import KernelChoice
from lab.builders.kernel.series import DEBUG
from lab.cache.report import Report
from lab.errors import writing
from lab.machine.channel import Channel
from lab.machine.guest import Guest
from lab.machine.machine import Machine, ensure_machine, prepare
from lab.machine.memory import guest_bytes, memory_keys
from lab.machine.run_directory import PLAN, claim
from lab.machine.watch import STALL_S
from lab.shared.types import Plan

# a kernel that checks itself takes that many times longer for the same work: even for the start of a process
_CHECKS_TAKE = 10


def machine_for(
    plan: Plan,
    workload: str,
    report: Report,
    *,
    source: Path | None = None,
    built: str | None = None,
) -> Machine:
    """Prepare to boot a plan; return the components of its guest, built unless they are cached.

    ``source``: directory of a kernel's source; ``built``: a kernel by the beginning of its hash or its path.

    Raises:
        InputError: If no such kernel, stack or image exists.
        BuildError, HostError: If something cannot be built, or the host lacks something.
    """
    prepare(memory_bytes=guest_bytes(plan), memory_keys=memory_keys(plan))
    code = library.code_of(workload, plan.stack)
    choice = KernelChoice(source, built, {name: library.module_called(name) for name in plan.modules})
    return ensure_machine(report, [code] if code else [], choice, plan)


@contextmanager
def started(
    plan: Plan,
    machine: Machine,
    directory: Path,
    stall_s: float = STALL_S,
    *,
    mode: str = "run",
    console: IO[bytes] | None = None,
    channel: Channel | None = None,
) -> Iterator[Guest]:
    """Start the guest of a plan in a run directory (empty); end it with the context.

    ``stall_s``: it has failed after so much without progress of virtual time (lab.machine.standstill says what
    counts), or after ten times as much if its kernel checks itself. ``mode``: one of lab.machine.process.MODES;
    ``console``: where its console goes; None: as the mode has it; ``channel``: to its agent.

    Raises:
        HostError: If a file cannot be written, or no directory suits the guest's memory.
        InputError: If another run uses the directory.
    """
    path = directory / PLAN
    with writing(path):
        claim(directory, plan.to_json())
    if DEBUG in machine.kernel.parts:
        stall_s *= _CHECKS_TAKE
    setup = machine.setup(plan, directory, mode)
    with Guest.started(setup, mode, stall_s=stall_s, console=console, channel=channel) as guest:
        yield guest
