# SPDX-License-Identifier: MIT
"""A resolved experiment, its trials, and their results.

    file -> Experiment -> Trial … -> TrialOutcome … -> Results -> report.html, results.json, CSV, pictures

Everything here is frozen data that can be pickled: trials go to other processes and machines.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from lab.probes.base import TimeSeries

PLACE = "place"  # the axis of an experiment in several places
BEYOND = 1e30  # stands for the value of what never finishes


@dataclass(frozen=True)
class Level:
    """One value of an axis."""

    label: str  # as written: "2 m", "tcp", "10"
    number: float | None  # in the unit of its axis, for drawing; None for a name


@dataclass(frozen=True)
class Axis:
    """A parameter that is varied. Axes that vary together (``zip:``) stay separate axes."""

    name: str
    levels: tuple[Level, ...]
    unit: str | None = None  # of the numbers; None for names and numbers without a unit


@dataclass(frozen=True)
class Point:
    """One point of the grid: its arguments of ``lab run TOPOLOGY WORKLOAD --set …``."""

    number: int  # from 0, in the order of the grid, the last axis fastest
    labels: dict[str, str]  # axis -> label
    topology: str  # name or path
    workload: str
    overrides: tuple[str, ...]  # key=value, as --set takes them
    locations: dict[str, str] = field(default_factory=dict, compare=False)  # key of an override -> FILE:LINE
    seed_offset: int = 0  # its seeds are the experiment's plus this


@dataclass(frozen=True)
class TrialMetric:
    """A number of a trial: an expression over its record."""

    name: str
    that: str  # sum(goodput), outage.max, fetch.exit
    unit: str
    source: str = field(default="", compare=False)  # FILE:LINE
    limit: float | None = None  # in its unit: what did not finish has a value above it; None: has no value
    expected: int | None = None  # values of a trial that it is computed from: those that lack did not finish


@dataclass(frozen=True)
class Repetitions:
    """How often each point is run, with seeds ``seed``, ``seed`` + 1, …

    If ``half_width`` is None: ``least`` times. Otherwise until half the 95 % confidence interval of every metric is at
    most that share of the mean; at least ``least`` and at most ``most`` times (numbers.statistics.enough). Only metrics
    in ``of`` count, unless it is None. ``normal``: with the normal quantile instead of Student's.
    """

    least: int
    most: int
    half_width: float | None = None
    of: frozenset[str] | None = None
    normal: bool = False

    def share(self, metric: str) -> float | None:
        """Return the largest half-width of a metric, as a share of its mean; None if it may have any."""
        return self.half_width if self.of is None or metric in self.of else None


@dataclass(frozen=True)
class Published:
    """A paper's numbers for one metric: by labels of axes, in the metric's unit."""

    metric: str
    labels: dict[str, str]  # only the axes that the paper distinguishes
    value: float
    computed_by: str | None = None  # a program or model; None: printed in the paper


Reasons = tuple[tuple[str, str], ...]  # place, or "" for all; text


@dataclass(frozen=True)
class Claim:
    """A statement that is checked."""

    name: str
    that: str
    paper: str | None = None  # the paper's statement, as written
    source: str = ""  # FILE:LINE
    of: Literal["means", "medians"] = "means"  # over the trials of a point
    because: str | None = None  # why it is claimed, if the paper does not say it
    cause: Reasons = ()  # why it does not hold, as a run has shown that changes only this
    guess: Reasons = ()  # why it may not hold
    left: str = ""  # "2 of 5 points", if --only leaves out some that it is about

    def reasons(self, place: str = "") -> list[str]:
        """Why it does not hold in a place, for readers."""
        causes = [f"Cause: {text}" for where, text in self.cause if where in ("", place)]
        return causes + [f"A guess, not tested: {text}" for where, text in self.guess if where in ("", place)]

    def in_place(self, place: str) -> Claim:
        """Return the claim as of an experiment that has only this place."""
        cause, guess = (
            tuple(("", text) for where, text in reasons if where in ("", place)) for reasons in (self.cause, self.guess)
        )
        return replace(self, cause=cause, guess=guess)


@dataclass(frozen=True)
class FigureSpec:
    """A figure to draw."""

    kind: Literal["line", "bar", "box", "cdf", "heat-map", "time-series"]
    title: str
    x: str  # an axis; for cdf and time-series a metric, or a series of the record
    y: str  # a metric; for heat-map an axis
    by: str | None = None  # an axis: one line or group of bars per label
    value: str | None = None  # for heat-map: the metric
    errors: Literal["ci95", "deviation", "range"] | None = "ci95"
    log: tuple[str, ...] = ()  # "x", "y"
    where: dict[str, str] = field(default_factory=dict)  # axis -> label: shows only these points


@dataclass(frozen=True)
class Contents:
    """The content of files, as SHA-256."""

    files: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # topology or workload -> name -> key
    texts: dict[str, str] = field(default_factory=dict)  # text files that these name, by path


@dataclass(frozen=True)
class Experiment:
    """A resolved experiment file."""

    name: str
    about: str
    cites: dict[str, str]  # paper, figure, table, section: as written
    path: str
    seed: int
    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    repetitions: Repetitions
    metrics: tuple[TrialMetric, ...]
    figures: tuple[FigureSpec, ...]
    published: tuple[Published, ...]
    claims: tuple[Claim, ...]
    unjudged: tuple[Claim, ...] = ()  # claims without series because of --only
    contents: Contents = field(default_factory=Contents)  # of the topologies and workloads of its points
    places: tuple[str, ...] = ()  # if several: the levels of its first axis, PLACE; all have the same further points

    def in_place(self, place: str) -> Experiment:
        """Return what is run in one of its places: as if there were no others."""
        return replace(self, axes=self.axes[1:], points=tuple(self.points_in(place).values()), places=())

    def points_in(self, place: str) -> dict[int, Point]:
        """Return the points of ``in_place`` by their number in the whole experiment."""
        found = [point for point in self.points if point.labels[PLACE] == place]
        labels = [{axis: label for axis, label in point.labels.items() if axis != PLACE} for point in found]
        return {point.number: replace(point, number=n, labels=labels[n]) for n, point in enumerate(found)}

    def paper_value(self, metric: str, labels: Mapping[str, str]) -> float | None:
        """Return the paper's value of a metric for these labels, in the metric's unit, or None.

        A value applies wherever its own labels match; of several, the one with most labels wins.
        """
        fitting = [one for one in self.published if one.metric == metric and one.labels.items() <= labels.items()]
        return max(fitting, key=lambda one: len(one.labels)).value if fitting else None

    def paper_axes(self, metric: str) -> set[str]:
        """Return the axes along which the paper's values of a metric differ."""
        return {axis for one in self.published if one.metric == metric for axis in one.labels}

    def computed_by(self, metric: str) -> str | None:
        """Return what computed the paper's values of a metric; None if they are printed in the paper."""
        return next((one.computed_by for one in self.published if one.metric == metric), None)

    def origin(self, metric: str) -> str:
        """Format where the paper's values of a metric come from: ``published (figure 4 of …)``."""
        by = self.computed_by(metric)
        word, where = ("computed", by) if by else ("published", self.source)
        return f"{word} ({where})" if where else word

    @property
    def source(self) -> str:
        """What is cited, such as ``figure 4 of …``; empty if nothing is."""
        parts = ", ".join(f"{part} {self.cites[part]}" for part in ("figure", "table", "section") if part in self.cites)
        paper = self.cites.get("title") or self.cites.get("paper") or ""
        return " of ".join(text for text in (parts, paper) if text)


@dataclass(frozen=True)
class Trial:
    """One run of one point."""

    point: int
    seed: int
    plan: str  # JSON, canonical (lab.shared.types)
    command: str  # lab run … --seed …, which repeats it


@dataclass(frozen=True)
class TrialOutcome:
    """The outcome of a trial: either ``values`` or ``error``."""

    point: int
    seed: int
    key: str  # SHA-256 of plan and machine
    command: str
    values: dict[str, float | None]  # metric -> number in the metric's unit; None: no value
    error: str | None  # why it failed, with the end of its log
    log: str | None  # the directory of a failed trial
    virtual_s: float
    wall_s: float
    cached: bool
    unfinished: frozenset[str] = frozenset()  # metrics whose value is only a lower bound
    remark: str | None = None  # such as: its stored result was damaged, so it was run again
    unmet: tuple[str, ...] = ()  # checks of the workload that do not hold
    series: dict[str, TimeSeries] = field(default_factory=dict)  # those that figures of the experiment need

    @property
    def remarks(self) -> str | None:
        """The remark and the unmet checks, in one text."""
        checks = f"checks of the workload do not hold: {'; '.join(self.unmet)}" if self.unmet else None
        return "; ".join(text for text in (self.remark, checks) if text) or None


@dataclass(frozen=True)
class Summary:
    """A metric at a point. If trials did not finish, mean, median and largest value may be lower bounds."""

    values: tuple[float, ...]  # of the trials with a value, by seed
    mean: float | None
    ci95: float | None  # half width, Student's t; None for fewer than two, or if trials did not finish
    deviation: float | None  # likewise
    n: int
    missing: int  # trials that failed or have no value
    unit: str
    precise: bool | None = None  # whether ci95 meets the required share of the mean; None: not required
    bounds: frozenset[int] = frozenset()  # indexes of the values that are lower bounds: these trials did not finish

    @property
    def median(self) -> float | None:
        """The median of the trials; for an even number, the mean of the two in the middle."""
        return float(statistics.median(self.values)) if self.values else None

    @property
    def unfinished(self) -> int:
        """How many trials did not finish."""
        return len(self.bounds)

    @property
    def median_is_bound(self) -> bool:
        """Whether the median depends on how long the unfinished trials would have taken."""
        if not self.bounds:
            return False
        late = [BEYOND if index in self.bounds else value for index, value in enumerate(self.values)]
        return bool(statistics.median(late) != self.median)


@dataclass(frozen=True)
class Row:
    """A point and all its metrics."""

    point: Point
    metrics: dict[str, Summary]


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim."""

    claim: Claim
    passed: bool
    value: str  # the actual value: "geomean(…) = 1.38"
    expected: str  # "between 1.2 and 2.0"
    place: str = ""  # if the experiment has several


@dataclass(frozen=True)
class Results:
    """The complete results, which are drawn and written."""

    experiment: Experiment
    rows: tuple[Row, ...]
    verdicts: tuple[Verdict, ...]
    outcomes: tuple[TrialOutcome, ...]
    hashes: dict[str, str | None]  # of kernel, image, code: lab.runs.provenance
    versions: dict[str, object]
    command: str  # lab reproduce …
    wall_s: float

    def by_place(self) -> dict[str, Results]:
        """Return the results of each place, as if there were no others; without places, itself."""
        return {place: self._in_place(place) for place in self.experiment.places} or {"": self}

    def _in_place(self, place: str) -> Results:
        points = self.experiment.points_in(place)
        return replace(
            self,
            experiment=self.experiment.in_place(place),
            rows=tuple(replace(row, point=points[row.point.number]) for row in self.rows if row.point.number in points),
            verdicts=tuple(one for one in self.verdicts if one.place == place),
            outcomes=tuple(
                replace(one, point=points[one.point].number) for one in self.outcomes if one.point in points
            ),
        )

    @property
    def passed(self) -> bool:
        """Whether every claim that was evaluated holds and no trial failed."""
        return all(verdict.passed for verdict in self.verdicts) and not any(found.error for found in self.outcomes)

    @property
    def undecided(self) -> bool:
        """Whether nothing failed, but none of the claims could be evaluated."""
        return self.passed and not self.verdicts and bool(self.experiment.unjudged)
