# SPDX-License-Identifier: MIT
"""What a metric is: a figure computed from the parsed output of probes.

A metric is a module ``lab/metrics/<kind>.py``, or ``workloads/<stack>/metrics/<kind>.py``, with one ``METRIC =
SomeMetric()``; the file's name with ``-`` for ``_`` is its kind in workloads (files that begin with ``_`` are helpers;
see lab.discovery). It takes things by their kind, whichever probe yields them, and computes in the base units of
lab.units; the record converts to the unit that the workload asks for. How a report shows it is in ``views/<kind>.py``.

A metric that takes MEDIUM is computed from what was counted on the 802.11 medium, not from a probe: then ``of`` in a
workload names roles, or ``words`` of the metric, and in a plan the nodes of those roles, or the words.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from lab.captures import pcap
from lab.errors import InputError
from lab.probes import base as probes
from lab.probes._kinds import described, offered
from lab.probes.base import Kind, Parsed, Raw, Series
from lab.shared import types
from lab.units import PACKETS, Dimension

MEDIUM = "medium"
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
    ended_ns: int  # since the timeline's start; the end of the run where it was ended by the lab

    @cached_property
    def _found(self) -> list[object]:
        return list(probes.load(self.probe).found(self.raw, self.parsed))

    def found(self, kind: type[Thing]) -> list[Thing]:
        """What the probe found of that kind, in its order."""
        return [thing for thing in self._found if isinstance(thing, kind)]

    def yields(self, kind: Kind) -> bool:
        """Whether its probe yields such things."""
        return offered(kind, probes.load(self.probe).yields)

    def capture(self) -> pcap.Capture:
        """The frames that tcpdump kept. PcapError: unreadable; FileNotFoundError: another probe."""
        return pcap.load(self.raw.path("pcap"))


@dataclass(frozen=True)
class Context:
    """All that a metric may look at."""

    plan: types.Plan
    sources: Mapping[str, Source]
    events: Sequence[Mapping[str, Any]] = ()  # of guest.json: {"t_ns", "kind", "target", "params", "ok"}
    end_ns: int = 0
    epoch_ns: int = 0
    medium: Mapping[str, Any] | None = None  # see lab.record.medium; None: a stock one

    @cached_property
    def access_points(self) -> dict[str, str]:
        """BSSID to name."""
        return {node.radio.mac: node.name for node in self.plan.nodes if node.kind == "ap" and node.radio}


@dataclass
class Figures:
    """What a metric computed, in base units."""

    values: list[float] = field(default_factory=list)  # one figure of each thing named by ``per``
    rows: list[dict[str, Any]] = field(default_factory=list)  # the same with details; other units are in the key
    series: list[Series] = field(default_factory=list)  # over time, named after the source


class Metric:
    """Base class. Subclasses set the class attributes and override ``figures``."""

    about: str = ""
    # the kinds of things that it is computed from, at least one of them; or MEDIUM
    takes: ClassVar[tuple[Kind | str, ...]] = ()
    formerly: tuple[str, ...] = ()  # what it was called; understood for a version, with a hint
    words: tuple[str, ...] = ()  # with MEDIUM: what it can be computed of besides nodes
    per: tuple[str, ...] = ("process",)  # what there can be one figure of; the first if nothing is said
    dimension: Dimension | None = None  # None: a count of ``unit``
    unit: str = ""  # the base unit, or what is counted
    columns: tuple[str, ...] = ()  # of rows: those that are told in the unit of the metric

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """Compute. ``metric.of`` has passed ``check``."""
        raise NotImplementedError

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """Whether a workload can ask for this.

        Args:
            of: the probe behind each name that the metric is computed from; None for a plain program.
            unit: the unit to tell it in.
            per: what to give one figure of; None for the default.

        Raises:
            ValueError: with what to write instead.
        """
        if per is not None and per not in self.per:
            raise ValueError(f"per: {per} is not offered; known: {', '.join(self.per)}")
        if unit not in self.units():
            raise ValueError(f'unit: "{unit}" does not fit; known: {", ".join(self.units())}')
        for name, probe in of.items():
            if not self._takes(probe):
                raise ValueError(f"of: {name} is {_described(probe)}; {self._wants()}")

    def needs(self, of: Mapping[str, str | None], *kinds: Kind) -> None:
        """ValueError: there is a kind that none of the processes in ``of`` yields."""
        for kind in kinds:
            if not any(probe and offered(kind, probes.load(probe).yields) for probe in of.values()):
                raise ValueError(f"of: {described([kind])} are missing; add {_listed(_yielding(kind))}")

    def _takes(self, probe: str | None) -> bool:
        if probe is None or MEDIUM in self.takes:
            return probe == MEDIUM
        return any(offered(kind, probes.load(probe).yields) for kind in self._kinds())

    def _wants(self) -> str:
        if MEDIUM in self.takes:
            return "this metric needs the medium; name roles"
        return f"this metric needs {described(self.takes, ' or ')}; name {_listed(self.sources())}"

    def sources(self) -> list[str]:
        """What it can be computed from: the probes that yield what it takes, or MEDIUM."""
        if MEDIUM in self.takes:
            return [MEDIUM]
        return [name for name, kinds in _yields().items() if any(offered(kind, kinds) for kind in self._kinds())]

    def _kinds(self) -> list[Kind]:
        return [kind for kind in self.takes if not isinstance(kind, str)]

    def units(self) -> list[str]:
        """The units it can be told in."""
        return list(self.dimension.factors) if self.dimension else [self.unit, *PACKETS.factors]

    def scale(self, unit: str) -> float:
        """What to divide a figure in base units by to have it in ``unit``."""
        return float(self.dimension.factors[unit]) if self.dimension else 1.0


def summary(values: Sequence[float]) -> dict[str, float | int | None]:
    """Count, sum, mean, median, least and greatest; None where there is nothing to summarise."""
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


def _yielding(kind: Kind) -> list[str]:
    """The probes that yield such things."""
    return [name for name, kinds in _yields().items() if offered(kind, kinds)]


def _yields() -> dict[str, tuple[Kind, ...]]:
    """What each probe yields; a broken one yields nothing."""
    found: dict[str, tuple[Kind, ...]] = {}
    for name in probes.known():
        try:
            found[name] = probes.load(name).yields
        except InputError:
            continue
    return found


def _described(probe: str | None) -> str:
    if probe is None or probe == MEDIUM:
        return "a program" if probe is None else "of the medium"
    kinds = probes.load(probe).yields
    return f"the probe {probe}, which yields {described(kinds)}" if kinds else f"the probe {probe}"


def _listed(names: Sequence[str]) -> str:
    return f"a process of {', '.join(names)}" if names else "a process of a probe that yields them (there is none)"


def series_of(source: Source, name: str) -> Series:
    """The series of that name, empty if the probe saw nothing to put into it."""
    return next((series for series in source.parsed.series if series.name == name), Series(name, ""))


def instances(source: Source, name: str) -> dict[str, Series]:
    """The series ``name/<instance>`` by instance: ``signal`` of each peer, ``cwnd`` of each connection."""
    prefix = f"{name}/"
    return {item.name.removeprefix(prefix): item for item in source.parsed.series if item.name.startswith(prefix)}


def chosen(metric: types.Metric, context: Context, kind: Kind | None = None) -> list[Source]:
    """The sources a metric names, only those that yield a kind if one is given, in the order of the plan."""
    found = (context.sources[identifier] for identifier in metric.of if identifier in context.sources)
    return [source for source in found if kind is None or source.yields(kind)]


def all_found(metric: types.Metric, context: Context, kind: type[Thing]) -> list[tuple[Source, Thing]]:
    """All things of a kind that the sources of a metric found, each with its source, in the order of the plan."""
    return [(source, thing) for source in chosen(metric, context) for thing in source.found(kind)]


def increase(counter: Series, samples_ns: Sequence[int]) -> float:
    """How much a counter grew during a run.

    It begins at 0 whenever it appears: after a sample without it (the peer was gone), and where it is smaller
    than before. What it held at the very first sample was counted before the run and is left out.

    Args:
        counter: cumulative values.
        samples_ns: when samples were taken at all, ascending.
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


def known() -> tuple[str, ...]:
    """Kinds of all metrics: the lab's and those of stacks."""
    from lab import discovery

    return discovery.known("metrics")


def load(kind: str) -> Metric:
    """The metric of that kind, or that was called that.

    Raises:
        KeyError: there is none (``known()`` lists them).
        InputError: it is there twice, or its file is broken.
    """
    from lab import discovery

    return discovery.holds("metrics", current(kind), "METRIC", Metric)


def current(kind: str) -> str:
    """What a kind is called now. KeyError: nothing is or was called that."""
    if kind in known():
        return kind
    for name in known():
        try:
            metric = load(name)
        except InputError:
            continue
        if kind in metric.formerly:
            return name
    raise KeyError(kind)
