# SPDX-License-Identifier: MIT
"""One run of a plan, from an empty guest to the last process.

It writes /lab/run/guest.json, which holds only virtual times, so that equal plans yield equal bytes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lab.guest import script
from lab.guest.errors import GuestError
from lab.guest.live import Drive, LiveGuest
from lab.guest.loop import Loop
from lab.guest.network.container import Containers
from lab.shared import types
from lab.shared.paths import RAW, RUN

if TYPE_CHECKING:
    from lab.shared.outcome import Happened, Outcome


def run(plan: types.Plan, drive: Drive | None = None) -> Outcome:
    """Execute all steps. ``drive``: see LiveGuest."""
    containers = Containers()
    guest = LiveGuest(plan, Loop(), containers, drive)
    clock, failure = guest.clock, None
    try:
        for step in script.steps(plan, guest.pid):
            step.execute(guest)
        guest.raise_failure()
    except GuestError as error:
        failure = error
    end_ns = clock.elapsed_ns() if clock.start_ns else 0
    roaming = [] if failure else _roaming(guest)
    processes, memory_kills = guest.processes.outcome(), containers.memory_kills()
    try:
        for step in script.after_outcome(plan):
            step.execute(guest)
    except GuestError as error:
        failure = failure or error
    from lab.shared.outcome import Failure, Outcome, Unfinished  # during the run an import would take virtual time

    associations = {name: control.peer(clock.start_ns) for name, control in guest.controls.items()}
    return Outcome(
        epoch_ns=clock.epoch_ns,
        boot_ns=clock.start_ns,
        end_ns=end_ns,
        kernel=os.uname().release,
        processes=processes,
        events=_happened(guest),
        associations={station: bssid for station, bssid in associations.items() if bssid},
        error=Failure(failure.message, failure.culprit, list(failure.logs)) if failure else None,
        memory_kills=memory_kills,
        unfinished=[Unfinished(**values) for values in roaming],
    )


def _roaming(guest: LiveGuest) -> list[dict[str, Any]]:
    """Return the handoffs that are in progress."""
    if not any(control.handoff for control in guest.controls.values()):
        return []
    from lab.guest.handoff import unfinished  # the event has imported it: otherwise it would take virtual time

    return unfinished(guest.controls.values(), guest.clock.start_ns)


def _happened(guest: LiveGuest) -> list[Happened]:
    """Return the past events; also write what their commands printed into files."""
    from lab.shared.outcome import MOST_OUTPUT_BYTES, Happened

    found = []
    for event, ok, output, raw in guest.events:
        if raw:
            (RAW / raw).parent.mkdir(exist_ok=True)
            (RAW / raw).write_bytes(output)
        text = output[:MOST_OUTPUT_BYTES].decode(errors="replace")
        more = output.count(b"\n", MOST_OUTPUT_BYTES - 1, -1)
        found.append(Happened(event.at_ns, event.kind, event.target, event.params, ok, text, raw, more))
    return found


def write_outcome(outcome: Outcome) -> None:
    """Write guest.json atomically."""
    partial = RUN / "guest.json.partial"
    partial.write_text(outcome.to_json())
    partial.rename(RUN / "guest.json")
