# SPDX-License-Identifier: MIT
"""Events that are added to a plan while it runs: each is resolved after those before it.

They are entries of the workload's timeline, so the plan that results is one that ``lab run`` could have been given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.errors import InputError, InputErrors, flat
from lab.model.document import plain
from lab.plan import load
from lab.shared.medium_types import MediumUpdate
from lab.shared.types import Event, Plan

_TIMELINE = "workload.timeline"


@dataclass(frozen=True)
class AddedEvent:
    """What an event resolves to."""

    events: list[Event]
    updates: list[MediumUpdate]  # all changes of levels from now on: they replace the earlier ones


class AddedEvents:
    """A plan, and what has been added to it. ``plan`` is None until something has been added."""

    def __init__(
        self,
        topology: str,
        workload: str,
        seed: int,
        overrides: Sequence[str],
        locations: Mapping[str, str],
        *,
        pcap: str | None = None,
        medium_hint: str,
        piece_ns: int | None = None,
    ) -> None:
        """Take parameters of ``lab.plan.load.load``.

        ``medium_hint``: how a user gives the topology a medium. ``piece_ns``: for how long changes of levels are
        planned at once; None: to the end of the run.
        """
        self.plan: Plan | None = None
        self._arguments = (topology, workload, seed)
        self._overrides = overrides
        self._locations = locations
        self._pcap = pcap
        self._medium_hint = medium_hint
        self._piece_ns = piece_ns
        self._entries: list[tuple[str, str]] | None = None  # of the workload's timeline: text and FILE:LINE
        self._known: list[Event] = []

    def add(self, at_ns: int, written: str, location: str, now_ns: int | None = None) -> AddedEvent:
        """Add an event, written as in a timeline without braces and time.

        ``location``: FILE:LINE, or what else stands for that; ``now_ns``: the time now; None: that of the event.

        Raises:
            InputError, InputErrors: If it has a mistake; nothing is added.
        """
        if self._entries is None:
            self._entries, self._known = self._of_workload(), self._plan([], at_ns).events
        entries = [*self._entries, (f"{{at: {at_ns} ns, {written}}}", location)]
        begin_ns = at_ns if now_ns is None else now_ns
        plan = self._plan_or_raise(entries, begin_ns)
        found = _without(plan.events, self._known)
        if plan.medium is None and any(event.kind == "move" for event in found):
            raise InputError("the medium is perfect, so a move changes nothing", hint=self._medium_hint)
        updates = plan.medium.updates if plan.medium else []
        self._entries, self._known, self.plan = entries, plan.events, plan
        return AddedEvent(found, [update for update in updates if update.at_ns >= begin_ns])

    def piece(self, since_ns: int) -> Plan:
        """Return the plan of the piece that begins then, with what has been added."""
        return self._plan(self._entries or [], since_ns)

    def _of_workload(self) -> list[tuple[str, str]]:
        topology, workload, _ = self._arguments
        document = load.documents(topology, workload, self._overrides, self._locations)["workload"]
        own = document.data.get("timeline") or []
        return [(json.dumps(plain(entry)), document.where(("timeline", index))) for index, entry in enumerate(own)]

    def _plan_or_raise(self, entries: Sequence[tuple[str, str]], since_ns: int) -> Plan:
        """Return the plan; errors come without the keys that lead to the event, since nobody has written these."""
        try:
            return self._plan(entries, since_ns)
        except InputError as error:
            errors = [_without_keys(one) for one in flat(error)]
        raise errors[0] if len(errors) == 1 else InputErrors(errors)

    def _plan(self, entries: Sequence[tuple[str, str]], since_ns: int) -> Plan:
        overrides, locations = list(self._overrides), dict(self._locations)
        if entries:
            overrides.append(f"{_TIMELINE}={json.dumps([None] * len(entries))}")
        for index, (text, location) in enumerate(entries):
            overrides.append(f"{_TIMELINE}.{index}={text}")
            locations[f"{_TIMELINE}.{index}"] = location
        piece = None if self._piece_ns is None else (since_ns, since_ns + self._piece_ns)
        return load.load(*self._arguments, overrides, pcap=self._pcap, locations=locations, piece=piece)


def _without_keys(error: InputError) -> InputError:
    """Return the same without the keys that lead to the event: nobody has written it into a file."""
    keys = error.keys[1:] if error.keys[:1] == ("workload",) else error.keys
    keys = keys[2:] if keys[:1] == ("timeline",) else keys
    return InputError(error.about_value, where=error.where, hint=error.hint, keys=keys)


def _without(events: Sequence[Event], known: Sequence[Event]) -> list[Event]:
    """Return the events that are not among those that are known; of equal ones, as many as there are more."""
    left: list[Any] = list(known)
    found = []
    for event in events:
        if event in left:
            left.remove(event)
        else:
            found.append(event)
    return found
