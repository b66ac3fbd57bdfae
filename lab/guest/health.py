# SPDX-License-Identifier: MIT
"""Docker's health checks: a program is ready once its check has succeeded, in virtual time."""

from __future__ import annotations

import signal
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.network.container import Root
from lab.guest.tasks import Task
from lab.shared import types
from lab.shared.paths import RAW

_DIES_NS = 1_000_000_000  # after SIGKILL


def await_healthy(loop: Loop, root: Root, process: types.Process, health: types.Health, task: Task) -> None:
    """Check as Docker does, until a check succeeds or the program ends.

    Raises:
        GuestError: If as many checks in a row have failed as may fail.
    """
    log = RAW / f"{process.id}.health"
    failures = 0
    while task.alive:
        starts = now_ns() - task.started_ns < health.start_period_ns
        loop.run_until(now_ns() + (health.start_interval_ns if starts else health.interval_ns), lambda: not task.alive)
        if not task.alive:
            return
        ended = _check(loop, root, process, health, log)
        if ended == "":
            return
        failures += now_ns() - task.started_ns >= health.start_period_ns
        if failures >= health.retries:
            times = f"{failures} times in a row" if failures > 1 else "once"
            raise GuestError(
                f"{process.source}: the health check of {process.id} has failed {times}: it {ended}",
                process.id,
                (str(log.relative_to(RAW.parent)), *task.logs),
            )


def _check(loop: Loop, root: Root, process: types.Process, health: types.Health, log: Path) -> str:
    """Return how a check has failed; an empty text if it has not."""
    command, environment = root.launch(health.argv)
    check = Task(loop, f"{process.id} health check", command, log, environment=environment)
    loop.run_until(now_ns() + health.timeout_ns, lambda: not check.alive)
    if check.alive:
        check.send(signal.SIGKILL)
        loop.run_until(now_ns() + _DIES_NS, lambda: not check.alive)
        return f"took longer than {health.timeout_ns / 1e9:g} s"
    return "" if check.exit == 0 else check.describe_end()
