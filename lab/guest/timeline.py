# SPDX-License-Identifier: MIT
"""What the timeline can do: one function for each kind of event, registered by name.

A handler gets the running run and the event and returns what it has to tell (output of a command);
it raises GuestError when the event cannot be carried out, which ends the run.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from lab.guest.errors import GuestError
from lab.guest.handoff import Handover
from lab.guest.network.nodes import AccessPoint, Station
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.scripted_run import ScriptedRun

Handler = Callable[["ScriptedRun", types.Event], str]
HANDLERS: dict[str, Handler] = {}


def handler(kind: str) -> Callable[[Handler], Handler]:
    """Register the handler of a kind of event."""

    def register(function: Handler) -> Handler:
        HANDLERS[kind] = function
        return function

    return register


@handler("roam")
def roam(run: ScriptedRun, event: types.Event) -> str:
    """Hand a station over; its failure comes later and ends the run."""
    network = run.network
    station: Station = network.nameToNode[event.target]
    ap: AccessPoint = network.nameToNode[event.params["to"]]
    return Handover(network.controls[station.name], station, ap, run.guard).start()


@handler("link")
def link(run: ScriptedRun, event: types.Event) -> str:
    """Plug or unplug a wired link."""
    run.link(event.target).set_up(bool(event.params["up"]))
    return ""


@handler("netem")
def netem(run: ScriptedRun, event: types.Event) -> str:
    """Shape a wired link anew."""
    run.link(event.target).set_netem(types.Netem(**event.params))
    return ""


@handler("exec")
def execute(run: ScriptedRun, event: types.Event) -> str:
    """Run a command in a node, to its end."""
    container = run.network.nameToNode[event.target].container
    output: str = container.run(*event.params["argv"])
    return output


@handler("stop")
def stop(run: ScriptedRun, event: types.Event) -> str:
    """End a process of the workload with SIGTERM; its end is then expected."""
    run.tasks[event.target].send(signal.SIGTERM)
    return ""


@handler("fault")
def fault(run: ScriptedRun, event: types.Event) -> str:
    """Tell the medium which frames to lose or damage."""
    if run.network.medium is None:
        raise GuestError("there is no medium that could lose frames")
    run.network.medium.fault(event.target, event.params)
    return ""


@handler("approximate")
def approximate(run: ScriptedRun, event: types.Event) -> str:
    """Turn a radio's switch for damaged frames."""
    if run.network.medium is None:
        raise GuestError("there is no medium that could damage frames")
    run.network.medium.approximate(event.target, bool(event.params["enabled"]))
    return ""


@handler("move")
def move(run: ScriptedRun, event: types.Event) -> str:
    """Nothing: where the medium is not the perfect one, the plan's updates of it make the move felt."""
    return ""
