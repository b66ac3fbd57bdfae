# SPDX-License-Identifier: MIT
"""Lines over the time of a run, for figures of metrics, probes and the medium; the moments that all of them mark."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any

from lab.drawing import Line, Rule
from lab.record.record import Record
from lab.views import base as views
from lab.views.base import Moment

SECOND = 1_000_000_000
_NAMED = 3  # targets that a label names, of events of one kind at one time


def run_range(record: Record) -> tuple[float, float]:
    """Return the range of a whole run in s."""
    return 0.0, record.plan.duration_ns / SECOND


def line(series: Mapping[str, Any], label: str | None = None, **look: Any) -> Line:
    """Return a recorded series as a line."""
    times = [t_ns / SECOND for t_ns in series["t_ns"]]
    return Line(series["name"] if label is None else label, times, series["values"], **look)


def gap(series: Mapping[str, Any]) -> float:
    """Return the distance in s between two samples from which on the line between them is interrupted."""
    closest_ns: int = min((after - before for before, after in pairwise(series["t_ns"])), default=SECOND)
    return 3.5 * closest_ns / SECOND


def moments(record: Record) -> list[Moment]:
    """Return the moments that metrics mark, by time."""
    found = views.collected(record, "moments", lambda view, result: view.moments(result))
    return sorted(found, key=lambda moment: moment.t_ns)


def rules(record: Record, nodes: Collection[str] = ()) -> list[Rule]:
    """Return vertical lines at these moments; without any, at the events of the timeline.

    ``nodes``: those of a panel. If a station is among them, the panel has no moments of other stations.
    """
    found = moments(record)
    if found:
        alone = any(node.kind == "sta" for node in record.plan.nodes if node.name in nodes)
        shown = [moment for moment in found if not alone or not moment.node or moment.node in nodes]
        return [Rule(moment.t_ns / SECOND, moment.label) for moment in shown]
    targets: dict[tuple[int, str], list[str]] = {}
    for event in record.data["events"]:
        targets.setdefault((event["t_ns"], event["kind"]), []).append(event["target"])
    found_at = []
    for (t_ns, kind), names in targets.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        found_at.append(Rule(t_ns / SECOND, f"{kind} {', '.join(names[:_NAMED])}{more}"))
    return found_at
