# SPDX-License-Identifier: MIT
"""Base class of metrics: values computed from the parsed output of probes.

A metric is a class in ``lab/metrics/<kind>.py`` or ``workloads/<stack>/metrics/<kind>.py``; ``<kind>``, with ``-`` for
``_``, is its kind in workloads (see lab.registry). A metric takes results by their type, whichever probe yields them,
and computes in the base units of lab.units; the record converts to the unit that the workload asks for.
``views/<kind>.py`` shows it in reports.

A metric that takes PRINTED is computed from what programs print (``prints:`` of a process): then ``of`` in a plan names
values of processes, such as ``cli@sta1.rtt``.

A metric that takes MEDIUM is computed from the counters of the 802.11 medium, not from a probe: then ``of`` in a
workload names roles, or ``words`` of the metric, and in a plan the nodes of those roles, or the words.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from lab.captures import pcap
from lab.errors import InputError, ParameterError, RecordError
from lab.probes import base as probes
from lab.probes.base import Parsed, Raw, ResultType, TimeSeries
from lab.probes.base.results import described, offered
from lab.registry import Room
from lab.shared import types
from lab.shared.medium_types import OnAir
from lab.shared.outcome import Happened
from lab.units import PACKETS, Dimension

MEDIUM = "medium"
PRINTED = "printed"  # by programs; no probe has that name
_NO_PROBES = (MEDIUM, PRINTED)
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Source:
    """One run of a probe: where it ran and what its parser found."""

    id: str
    node: types.Node
    probe: str
    params: Mapping[str, Any]
    parsed: Parsed
    raw: Raw
    ended_ns: int  # since the timeline's start; the end of the run if the lab ended it

    @cached_property
    def _found(self) -> list[object]:
        if self.probe == PRINTED:
            return []
        with probes.PROBES.blaming(self.probe, "found", RecordError):
            try:
                return list(probes.load(self.probe).found(self.raw, self.parsed))
            except probes.ProbeOutputError as error:
                raise RecordError(f"the output of {self.id} cannot be read: {error}") from None

    def found(self, wanted: type[Thing]) -> list[Thing]:
        """Return the results of that type, in the order of the probe."""
        return [thing for thing in self._found if isinstance(thing, wanted)]

    def yields(self, wanted: ResultType) -> bool:
        """Return whether its probe yields results of that type."""
        return self.probe != PRINTED and offered(wanted, probes.load(self.probe).yields)

    def capture(self) -> pcap.PcapFile:
        """Return the frames captured by tcpdump.

        Raises:
            PcapError: If the capture cannot be read.
            FileNotFoundError: If the probe is not tcpdump.
        """
        return pcap.load(self.raw.path("pcap"))


@dataclass(frozen=True)
class Context:
    """What a metric may be computed from."""

    plan: types.Plan
    sources: Mapping[str, Source]
    events: Sequence[Happened]  # of the timeline
    end_ns: int
    epoch_ns: int
    associations: Mapping[str, str]  # stations at the timeline's start, with BSSIDs
    medium: OnAir | None  # None: the perfect medium

    @cached_property
    def access_points(self) -> dict[str, str]:
        """Names of access points by BSSID."""
        return types.names_by_mac(self.plan.nodes, "ap")


@dataclass
class MetricValues:
    """The results of a metric, in base units."""

    values: list[float] = field(default_factory=list)  # one value for each item named by ``per``
    rows: list[dict[str, Any]] = field(default_factory=list)  # the same with details; keys contain other units
    series: list[TimeSeries] = field(default_factory=list)  # over time, named after the source


class Metric:
    """Base class. Subclasses set the class attributes and override ``compute``."""

    about: str = ""
    # the types of results that it is computed from, at least one of them; or MEDIUM, or PRINTED
    takes: ClassVar[tuple[ResultType | str, ...]] = ()
    words: tuple[str, ...] = ()  # with MEDIUM: what it can be computed from in addition to nodes
    per: tuple[str, ...] = ("process",)  # what a value can stand for; the first is the default
    dimension: Dimension | None = None  # None: a count of ``unit``
    unit: str = ""  # the base unit, or what is counted
    columns: tuple[str, ...] = ()  # columns of rows that are in the unit of the metric

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Compute the metric. ``metric.of`` has passed ``check``."""
        raise NotImplementedError

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """Check what a workload asks for.

        Args:
            of: the probe behind each name that the metric is computed from; None for a plain program, PRINTED for one
                whose output is read.
            unit: the unit of the values.
            per: what one value stands for; None for the default.

        Raises:
            ParameterError: If it is not possible; the message says what to write instead.
        """
        if per is not None and per not in self.per:
            raise ParameterError("per", f'"{per}" is not possible here; known: {", ".join(self.per)}')
        if unit not in self.units():
            raise ParameterError("unit", f'"{unit}" is not a unit of this metric; known: {", ".join(self.units())}')
        for name, probe in of.items():
            if not self._takes(probe):
                raise ParameterError("of", f"{name} is {_described(probe)}; {self._wants()}")

    def needs(self, of: Mapping[str, str | None], *wanted: ResultType) -> None:
        """Raise a ParameterError if there is a type of results that no process in ``of`` yields."""
        for one in wanted:
            if not any(_offers(probe, one) for probe in of.values()):
                probes_of_it = [name for name, by in _yields().items() if offered(one, by)]
                raise ParameterError("of", f"{described([one])} are missing; add {_listed(probes_of_it)}")

    def _takes(self, probe: str | None) -> bool:
        if any(other in self.takes for other in _NO_PROBES):
            return probe in self.takes
        return any(_offers(probe, one) for one in self.takes)

    def _wants(self) -> str:
        if MEDIUM in self.takes:
            return "this metric needs the medium; name roles"
        if PRINTED in self.takes:
            return "this metric needs a value that a program prints; write its name after that of the process"
        return f"this metric needs {described(self.takes, ' or ')}; name {_listed(self.sources())}"

    def sources(self) -> list[str]:
        """Return what it can be computed from: the probes that yield what it takes, or MEDIUM, or PRINTED."""
        for other in _NO_PROBES:
            if other in self.takes:
                return [other]
        return [name for name, by in _yields().items() if any(offered(one, by) for one in self.takes)]

    def units(self) -> list[str]:
        """Return the possible units of its values."""
        return list(self.dimension.factors) if self.dimension else [self.unit, *PACKETS.factors]

    def scale(self, unit: str) -> float:
        """Return the divisor that converts a value from base units to ``unit``."""
        return float(self.dimension.factors[unit]) if self.dimension else 1.0


def summary(values: Sequence[float]) -> dict[str, float | int | None]:
    """Return count, sum, mean, median, minimum and maximum; None where there are no values."""
    if not values:
        return {"count": 0, "sum": 0, "mean": None, "median": None, "min": None, "max": None}
    total = math.fsum(values)
    return {
        "count": len(values),
        "sum": total,
        "mean": total / len(values),
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
    }


def measures(values: Sequence[float]) -> dict[str, float | int | None]:
    """Return what checks and experiments can refer to: a summary, and percentiles (linear: R's type 7)."""
    several = [*values] * 2 if len(values) == 1 else values
    cuts = statistics.quantiles(several, n=100, method="inclusive") if values else []
    return summary(values) | {f"p{share}": cuts[share - 1] if cuts else None for share in (50, 90, 95, 99)}


def _offers(probe: str | None, wanted: ResultType | str) -> bool:
    """Return whether a probe yields a type of results; programs without a probe and the medium do not."""
    return probe is not None and probe not in _NO_PROBES and offered(wanted, probes.load(probe).yields)


def _yields() -> dict[str, tuple[ResultType, ...]]:
    """Return what each probe yields; a probe that cannot be loaded yields nothing."""
    found: dict[str, tuple[ResultType, ...]] = {}
    for name in probes.known():
        try:
            found[name] = probes.load(name).yields
        except InputError:
            continue
    return found


def _described(probe: str | None) -> str:
    if probe is None or probe in _NO_PROBES:
        return "part of the medium" if probe == MEDIUM else "a program without a probe"
    by = probes.load(probe).yields
    return f"the probe {probe}, which yields {described(by)}" if by else f"the probe {probe}"


def _listed(names: Sequence[str]) -> str:
    return f"a process of {', '.join(names)}" if names else "a process of a probe that yields them (no probe does)"


def series_of(source: Source, name: str) -> TimeSeries:
    """Return the series of that name; empty if the probe has none."""
    return source.parsed.series_of(name)


def instances(source: Source, name: str) -> dict[str, TimeSeries]:
    """Return the series ``name/<instance>`` by instance: ``signal`` of each peer, ``cwnd`` of each connection."""
    prefix = f"{name}/"
    return {item.name.removeprefix(prefix): item for item in source.parsed.series if item.name.startswith(prefix)}


def chosen(metric: types.PlannedMetric, context: Context, wanted: ResultType | None = None) -> list[Source]:
    """Return the sources that a metric names, in plan order; with ``wanted``, only those that yield it."""
    found = (context.sources[identifier] for identifier in metric.of if identifier in context.sources)
    return [source for source in found if wanted is None or source.yields(wanted)]


def all_found(metric: types.PlannedMetric, context: Context, wanted: type[Thing]) -> list[tuple[Source, Thing]]:
    """Return all results of a type from the sources of a metric, each with its source, in plan order."""
    return [(source, thing) for source in chosen(metric, context) for thing in source.found(wanted)]


def unheard(metric: types.PlannedMetric, context: Context) -> list[probes.Sent]:
    """Return the flows to the sources of a metric of which nothing arrived, so that the sources do not know them."""
    receivers: dict[tuple[str, int], set[str]] = {}  # several may have had one port, one after the other
    for source, receiver in all_found(metric, context, probes.Receiver):
        for address in (source.node.ip, source.node.ip6):
            heard = receivers.setdefault(((address or "").split("/")[0], receiver.port), set())
            heard.update(flow.name for flow in source.found(probes.Flow))
    sent = [flow for source in context.sources.values() for flow in source.found(probes.Sent)]
    return [flow for flow in sent if flow.packets and flow.name not in receivers.get((flow.to, flow.port), {flow.name})]


def within(intervals: TimeSeries, end_ns: int) -> TimeSeries:
    """Return a series of intervals, each at its end, without those that exceed the run."""
    kept = [(t_ns, value) for t_ns, value in zip(intervals.t_ns, intervals.values, strict=True) if t_ns <= end_ns]
    return replace(intervals, t_ns=[t_ns for t_ns, _ in kept], values=[value for _, value in kept])


def increase(counter: TimeSeries, samples_ns: Sequence[int]) -> float:
    """Return how much a counter grew during a run.

    A counter starts at 0 when it appears after a sample without it (the peer was gone), and when it is smaller than
    before. Its value in the very first sample was counted before the run and is subtracted.

    Args:
        counter: cumulative values.
        samples_ns: times of all samples, ascending.
    """
    position = {t_ns: index for index, t_ns in enumerate(samples_ns)}
    total = 0.0
    last: float | None = None
    last_index = -1
    for t_ns, value in zip(counter.t_ns, counter.values, strict=True):
        index = position[t_ns]
        if last is None and index == 0:
            base = value
        elif last is None or index != last_index + 1 or value < last:
            base = 0.0
        else:
            base = last
        total += value - base
        last, last_index = value, index
    return total


METRICS = Room("metrics", Metric)
known = METRICS.known


def load(name: str) -> Metric:
    """Return the metric of that name.

    Raises:
        InputError: If no such metric exists, two files have that name, or the file is invalid.
    """
    metric = METRICS.made(name)
    if not isinstance(metric.takes, tuple):
        where = METRICS.where(name)
        raise InputError(f"takes is {metric.takes!r}; write a tuple of types of results: (Flow,)", where=where)
    return metric
