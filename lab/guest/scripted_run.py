# SPDX-License-Identifier: MIT
"""One run: the plan's network, files, processes, probes and events, at their virtual times.

What happened goes to /lab/run/guest.json, which holds virtual times only, so that equal plans leave equal bytes.
"""

from __future__ import annotations

import json
import os
from functools import partial
from typing import Any

from lab.guest import script
from lab.guest.errors import GuestError
from lab.guest.live import LiveGuest
from lab.guest.loop import Loop, now_ns
from lab.guest.script import Moment
from lab.shared import types
from lab.shared.paths import RUN

_WATCH_NS = 100_000_000  # how often daemons are looked after


class ScriptedRun:
    """Runs a plan from an empty guest to the last process."""

    def __init__(self, plan: types.Plan) -> None:
        self.plan = plan
        self.guest = LiveGuest(plan, Loop())
        self.events: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """The content of guest.json (see lab.record), with "error" where the run failed."""
        error: dict[str, Any] | None = None
        try:
            self._run()
        except GuestError as failure:
            error = _described(failure)
        outcome = self._outcome()
        try:
            for step in script.after_record(self.plan):
                step.execute(self.guest)
        except GuestError as failure:
            error = error or _described(failure)
        return {**outcome, "error": error}

    def _run(self) -> None:
        guest = self.guest
        for step in script.network(self.plan, guest.pid):
            step.execute(guest)
        for step in script.before_timeline(self.plan):
            step.execute(guest)
        for moment in script.timeline(self.plan):
            guest.call_at(moment.at_ns, partial(self._execute, moment))
        self._watch_daemons()
        guest.loop.run_until(guest.clock.start_ns + self.plan.duration_ns, lambda: guest.failure is not None)
        for step in script.end(self.plan):
            step.execute(guest)
        guest.raise_failure()

    def _execute(self, moment: Moment) -> None:
        if moment.event is not None:
            self._fire(moment.event, moment)
            return
        for step in moment.steps():
            step.execute(self.guest)

    def _fire(self, event: types.Event, moment: Moment) -> None:
        """An event, and its entry in guest.json."""
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
            entry["output"] = "".join(step.execute(self.guest) or "" for step in moment.steps())
        except GuestError as error:
            raise GuestError(
                f"{event.source}: {event.kind} {event.target}: {error.message}", error.culprit, error.log
            ) from None
        entry["ok"] = True

    def _watch_daemons(self) -> None:
        """The death of a daemon ends the run."""
        dead = self.guest.dead_daemon()
        if dead:
            self.guest.fail(GuestError(f"{dead.name} {dead.describe_end()}", dead.name, dead.log))
        self.guest.loop.call_at(now_ns() + _WATCH_NS, self._watch_daemons)

    def _outcome(self) -> dict[str, Any]:
        clock = self.guest.clock
        return {
            "epoch_ns": clock.epoch_ns,
            "boot_ns": clock.start_ns,
            "end_ns": clock.elapsed_ns() if clock.start_ns else 0,
            "kernel": os.uname().release,
            "processes": self.guest.processes.outcome(),
            "events": self.events,
        }


def _described(failure: GuestError) -> dict[str, Any]:
    """A failure as guest.json has it."""
    return {"message": failure.message, "culprit": failure.culprit, "log": failure.log}


def write_outcome(outcome: dict[str, Any]) -> None:
    """Leave guest.json, whole or not at all."""
    text = json.dumps(outcome, sort_keys=True, indent=2) + "\n"
    partial_file = RUN / "guest.json.partial"
    partial_file.write_text(text)
    partial_file.rename(RUN / "guest.json")
