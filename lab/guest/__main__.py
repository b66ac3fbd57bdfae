# SPDX-License-Identifier: MIT
"""Entry of the agent: build the network of /lab/run/plan.json, then run its timeline or give a prompt.

A guest that compiles the lab's code (lab.machine.guest_code) has no plan.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from lab.guest.file_limit import raise_file_limit
from lab.shared.paths import CODE, DAEMON_LOGS, INTERRUPTED, RUN
from lab.shared.types import Plan

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest
    from lab.guest.network.network import LabNet
    from lab.guest.shell import Shell

_LOCKSTEP = ("host", "calls", "lockstep")  # modules of the agent, each after those that it imports


def _plan() -> Plan:
    plan = Plan.from_json((RUN / "plan.json").read_text())
    raise_file_limit(len(plan.nodes), len(plan.processes))
    DAEMON_LOGS.mkdir(parents=True)
    return plan


def run() -> None:
    """Do a scripted run; always write guest.json, with "error" if it failed."""
    from lab.guest import scripted_run

    scripted_run.write_outcome(scripted_run.run(_plan()))
    os._exit(0)  # the guest powers off next: there is nothing to tidy up


def lockstep() -> None:
    """Do a run that the host drives; write guest.json as for a scripted one."""
    from lab.guest import scripted_run

    scripted_run.write_outcome(scripted_run.run(_plan(), _drive))
    os._exit(0)


def _drive(guest: LiveGuest, duration_ns: int) -> None:
    """Have the host drive the timeline.

    Until here, nothing may take other virtual time than in a run that nobody drives: the bytes are to be the same. An
    import takes 2 us of it, since it opens files by ``open``, which asks whether they are terminals; the calls of
    ``os`` take none.
    """
    for name in _LOCKSTEP:
        path = f"{CODE}/lab/guest/{name}.py"
        file = os.open(path, os.O_RDONLY)
        text = os.read(file, os.fstat(file).st_size)
        os.close(file)
        module = type(sys)(f"lab.guest.{name}")
        sys.modules[module.__name__] = module
        exec(compile(text, path, "exec"), module.__dict__)
    module.drive(guest, duration_ns)


def shell() -> None:
    """Give a prompt in real time. Ctrl-C before the prompt ends the session; at the prompt, Ctrl-\\ does nothing."""
    import signal

    from lab.guest.shell import Shell

    signal.signal(signal.SIGINT, _interrupted)
    signal.signal(signal.SIGQUIT, lambda *_: None)  # a handler, unlike SIG_IGN, is not inherited by programs
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGQUIT})  # images/initrd/init.c blocks them
    _open(Shell, typed=True)


def _interrupted(*_: object) -> None:
    """Report to the host that Ctrl-C came before the prompt, and end: the guest powers off next."""
    INTERRUPTED.touch()
    os._exit(0)


def batch() -> None:
    """Run the commands that the host passes on."""
    from lab.guest.batch import Batch

    _open(Batch, typed=False)


def _open(shell: type[Shell], *, typed: bool) -> None:
    """Run a shell on the network of the plan; end with a message if that does not come up. ``typed``: in real time."""
    from lab.guest.errors import GuestError
    from lab.guest.host import Host, opened
    from lab.guest.session import Session

    try:
        guest, network = _network(await_health=not typed)
    except GuestError as failure:
        print(f"lab: {failure.message}", flush=True)
        os._exit(0)
    network.build()
    session = Session(guest, Host(opened()))
    session.start(attachable=typed)
    shell(session, network)


def _network(*, await_health: bool) -> tuple[LiveGuest, LabNet]:
    """Return the running network of a plan, without its timeline.

    ``await_health``: of Docker images, which may take half a minute; in real time nobody waits for that.
    """
    from lab.guest import script
    from lab.guest.live import LiveGuest
    from lab.guest.loop import Loop
    from lab.guest.network.network import LabNet

    plan = _plan()
    network = LabNet(plan)
    guest = LiveGuest(plan, Loop(), network)
    for step in script.network(plan, guest.pid):
        step.execute(guest)
    for step in script.of_images(plan, await_health=await_health):
        step.execute(guest)
    guest.clock.start(guest.loop)
    return guest, network


def compile_() -> None:
    """Compile the lab's code."""
    from lab.guest.bytecode import compile_code

    compile_code()


def main() -> None:
    """Dispatch on the mode given by lab.agent= on the kernel's command line."""
    {"run": run, "lockstep": lockstep, "shell": shell, "batch": batch, "compile": compile_}[sys.argv[1]]()


main()
