# SPDX-License-Identifier: MIT
"""Whether objects that a scroll brought to the screen overtake those that left it."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen
from lab.probes._web import Page
from lab.probes.base import Raw
from lab.probes.base.text import Json, documents
from lab.shared import types
from lab.units import DURATION

_KNOWN_NS = 1_000_000_000  # a round trip of 200 ms, and the 800 ms by which PF delays a packet at most


class ScrollLead(Metric):
    """How much earlier the last object that came to the screen begins than the first that left it.

    By their first bytes; negative if one that left it came before. Of the objects that begin a second or more after the
    scroll: what was on its way before cannot be overtaken. Without any of either sort, there is no value.
    """

    about = "how much earlier objects begin that a scroll brought to the screen than those that left it"
    takes = (Page,)
    per = ("load",)
    dimension = DURATION
    unit = "ns"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            if source.raw.path("out").exists():
                computed.values += _leads(source.raw)
        return computed


def _leads(raw: Raw) -> list[float]:
    found: list[float] = []
    objects: list[Json] = []
    for number, document in documents(raw):
        line = Json(document, f"{raw.id}.out:{number}")
        if "path" in line:
            objects.append(line)
            continue
        if "scrolled_ns" in line:
            later_ns = line["scrolled_ns"].integer() + _KNOWN_NS
            late = [one for one in objects if "first_ns" in one and one["first_ns"].integer() > later_ns]
            came = [one["first_ns"].integer() for one in late if _only(one, "last_screen", "first_screen")]
            left = [one["first_ns"].integer() for one in late if _only(one, "first_screen", "last_screen")]
            found += [min(left) - max(came)] if came and left else []
        objects = []
    return found


def _only(one: Json, here: str, there: str) -> bool:
    return one[here].flag() and not one[there].flag()
