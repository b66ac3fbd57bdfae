# SPDX-License-Identifier: MIT
"""Moments of a run that all figures over time mark."""

from __future__ import annotations

from lab.drawing import Rule
from lab.record.record import Record
from lab.views import base as views
from lab.views.base import Moment
from lab.views.parts.lines import SECOND

_NAMED = 3  # targets that a label names, of events of one kind at one time


def moments(record: Record) -> list[Moment]:
    """Return the moments that metrics mark, by time."""
    found = views.collected(record, "moments", lambda view, result: view.moments(result))
    return sorted(found, key=lambda moment: moment.t_ns)


def rules(record: Record) -> list[Rule]:
    """Return vertical lines at these moments; if there are none, at the events of the timeline."""
    found = moments(record)
    if found:
        return [Rule(moment.t_ns / SECOND, moment.label) for moment in found]
    targets: dict[tuple[int, str], list[str]] = {}
    for event in record.data["events"]:
        targets.setdefault((event["t_ns"], event["kind"]), []).append(event["target"])
    return [Rule(t_ns / SECOND, f"{kind} {_several(names)}") for (t_ns, kind), names in targets.items()]


def _several(names: list[str]) -> str:
    """Return names as a list; of many only how many more there are."""
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
