# SPDX-License-Identifier: MIT
"""Moments of a run that all figures over time mark."""

from __future__ import annotations

from lab.drawing import Rule
from lab.record.record import Record
from lab.views import base as views
from lab.views.base import Moment
from lab.views.parts.lines import SECOND


def moments(record: Record) -> list[Moment]:
    """Return the moments that metrics mark, by time."""
    found = views.collected(record, "moments", lambda view, result: view.moments(result))
    return sorted(found, key=lambda moment: moment.t_ns)


def rules(record: Record) -> list[Rule]:
    """Return vertical lines at these moments; if there are none, at the events of the timeline."""
    found = moments(record)
    if found:
        return [Rule(moment.t_ns / SECOND, moment.label) for moment in found]
    return [Rule(event["t_ns"] / SECOND, f"{event['kind']} {event['target']}") for event in record.data["events"]]
