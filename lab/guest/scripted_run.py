# SPDX-License-Identifier: MIT
"""One run of a plan, from an empty guest to the last process.

It writes /lab/run/guest.json, which holds only virtual times, so that equal plans yield equal bytes.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

from lab.guest import script
from lab.guest.errors import GuestError
from lab.guest.kinds import keeps_output
from lab.guest.live import Drive, LiveGuest
from lab.guest.loop import Loop
from lab.guest.network.container import Containers
from lab.shared import types
from lab.shared.paths import RAW, RUN


def run(plan: types.Plan, drive: Drive | None = None) -> dict[str, Any]:
    """Execute all steps; returns the content of guest.json (see lab.record), with "error" if the run failed.

    ``drive``: see LiveGuest.
    """
    containers = Containers()
    guest = LiveGuest(plan, Loop(), containers, drive)
    error: dict[str, Any] | None = None
    try:
        for step in script.steps(plan, guest.pid):
            step.execute(guest)
        guest.raise_failure()
    except GuestError as failure:
        error = _described(failure)
    _keep_outputs(guest.events)
    outcome = _outcome(guest)
    if kills := containers.memory_kills():
        outcome["memory_kills"] = kills
    try:
        for step in script.after_outcome(plan):
            step.execute(guest)
    except GuestError as failure:
        error = error or _described(failure)
    return {**outcome, "error": error}


def _keep_outputs(events: list[dict[str, Any]]) -> None:
    """Write what commands of events printed into files, and their names into the entries."""
    numbers = Counter[str]()
    for entry in events:
        kind = entry["kind"]
        if keeps_output(kind):
            numbers[kind] += 1
            entry["raw"] = f"{kind}/{numbers[kind]}-{entry['target']}.out"
            (RAW / kind).mkdir(exist_ok=True)
            (RAW / entry["raw"]).write_text(entry["output"])


def _outcome(guest: LiveGuest) -> dict[str, Any]:
    clock = guest.clock
    return {
        "epoch_ns": clock.epoch_ns,
        "boot_ns": clock.start_ns,
        "end_ns": clock.elapsed_ns() if clock.start_ns else 0,
        "kernel": os.uname().release,
        "processes": guest.processes.outcome(),
        "events": guest.events,
        "associations": {
            station: bssid for station, control in guest.controls.items() if (bssid := control.peer(clock.start_ns))
        },
    }


def _described(failure: GuestError) -> dict[str, Any]:
    """A failure as guest.json has it."""
    return {"message": failure.message, "culprit": failure.culprit, "logs": list(failure.logs)}


def write_outcome(outcome: dict[str, Any]) -> None:
    """Write guest.json atomically."""
    text = json.dumps(outcome, sort_keys=True, indent=2) + "\n"
    partial = RUN / "guest.json.partial"
    partial.write_text(text)
    partial.rename(RUN / "guest.json")
