# SPDX-License-Identifier: MIT
"""Entry of the agent: build the network of /lab/run/plan.json, then run its timeline or give a prompt.

A guest that is to compile the lab's code (lab.machine.guest_code) has no plan.
"""

from __future__ import annotations

import sys
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.loop import Loop
from lab.guest.network.network import LabNet
from lab.guest.scripted_run import ScriptedRun, write_outcome
from lab.shared.paths import DAEMON_LOGS, RUN
from lab.shared.types import Plan


def _plan() -> Plan:
    plan = Plan.from_json((RUN / "plan.json").read_text())
    DAEMON_LOGS.mkdir(parents=True)
    if plan.stack:
        from lab.guest.network.stack import offer

        offer(plan.stack)
    if plan.programs:
        from lab.guest.network.programs import share_programs

        share_programs(plan.programs)
    return plan


def run() -> None:
    """A scripted run; always leaves guest.json, with "error" where it failed."""
    plan = _plan()
    loop = Loop()
    network = LabNet(plan, loop)
    scripted = ScriptedRun(plan, network, loop)
    error: dict[str, Any] | None = None
    try:
        network.build()
        network.start()
        scripted.run()
    except GuestError as failure:
        error = _told(failure)
    outcome = scripted.outcome()
    if network.air:
        try:
            network.air.finish()
        except GuestError as failure:
            error = error or _told(failure)
    write_outcome({**outcome, "error": error})


def _told(failure: GuestError) -> dict[str, Any]:
    """A failure as guest.json has it."""
    return {"message": failure.message, "culprit": failure.culprit, "log": failure.log}


def shell() -> None:
    """An interactive prompt in real time."""
    from lab.guest.shell import Shell

    plan = _plan()
    loop = Loop()
    network = LabNet(plan, loop)
    network.build()
    network.start()
    Shell(network)


def compile_() -> None:
    """The bytecode of this code."""
    from lab.guest.bytecode import compile_code

    compile_code()


def main() -> None:
    """Dispatch on the mode given by lab.agent= on the kernel's command line."""
    {"run": run, "shell": shell, "compile": compile_}[sys.argv[1]]()


main()
