# SPDX-License-Identifier: MIT
"""Experiment files: what is varied, what is measured, what is drawn, and what was claimed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from lab import units
from lab.model.base import Choice, Integer, Model, Number, Quantity, Text, refuse
from lab.model.names import Identifier

LEVELS_MAX = 10_000  # of one axis: more is a slip in a range

_RANGE = ("from", "to", "step", "points", "spacing")


class Range(Model):
    """Values from one to another: at equal steps, or so many of them. Give one of step and points."""

    from_: Text = Field(alias="from", description="The first value, such as 1 m. All values are told in its unit.")
    to: Text = Field(description="The last value; with a step that does not lead there, the largest before it.")
    step: Text | None = Field(None, description="From value to value, such as 5 m.")
    points: Annotated[Integer, Field(ge=2, le=LEVELS_MAX)] | None = Field(
        None, description="How many values there are."
    )
    spacing: Literal["linear", "log"] = Field(
        "linear", description="With points: linear, each differs from the next by as much; log, by the same factor."
    )

    @model_validator(mode="after")
    def _one(self) -> Range:
        if (self.step is None) == (self.points is None):
            refuse("wants one of step (such as 5 m) and points (how many values)")
        if self.spacing == "log" and self.points is None:
            refuse("is for a number of points; write points: and how many values there are", key="spacing")
        return self


def _axis(value: Any) -> str:
    """Whether an axis is values, a range or variants."""
    if isinstance(value, list):
        return "values"
    if not isinstance(value, dict):
        refuse(
            "wants values, such as [2 m, 4 m]; a range, such as {from: 1 m, to: 60 m, step: 5 m}; or variants, each "
            "with its settings, such as {off: {}, on: {nodes.ap1.wmm: true}}"
        )
    ranged = [
        key for key, inner in value.items() if key in _RANGE and inner is not None and not isinstance(inner, dict)
    ]
    return "range" if ranged else "variants"


def _settings(value: Any) -> Any:
    """A variant without settings may be written with nothing after the colon."""
    return {} if value is None else value


ANY = "Any value."  # of a key whose values are those of other files
Anything = Annotated[Any, WithJsonSchema({"description": ANY})]
Settings = Annotated[dict[Text, Anything], BeforeValidator(_settings, json_schema_input_type=dict[Text, Anything])]
Values = Annotated[list[Text], Field(min_length=1, max_length=LEVELS_MAX)]
Variants = Annotated[dict[Text, Settings], Field(min_length=1)]
AnyAxis = Annotated[
    Values | Range | Variants,
    Choice(_axis, lambda: {"values": Values, "range": Range, "variants": Variants}),
]


class Adaptive(Model):
    """As many runs of each point as its means need."""

    ci95: Annotated[float, Quantity(units.PERCENT, least=0.01, most=100)] = Field(
        description="The largest half-width of the 95 % confidence interval, as a share of the mean, of every metric."
    )
    from_: Integer = Field(3, alias="from", ge=2, le=10_000, description="The fewest runs.")
    at_most: Integer = Field(100, ge=2, le=10_000, description="The most runs, whatever the interval is then.")

    @model_validator(mode="after")
    def _room(self) -> Adaptive:
        if self.from_ > self.at_most:
            refuse(f"is less than from: {self.from_}", key="at_most")
        return self


def _repetitions(value: Any) -> str:
    return "adaptive" if isinstance(value, dict) else "fixed"


Fixed = Annotated[Integer, Field(ge=1, le=10_000)]
AnyRepetitions = Annotated[int | Adaptive, Choice(_repetitions, lambda: {"fixed": Fixed, "adaptive": Adaptive})]


class Cites(Model):
    """Where the figure is from, in words of your choice."""

    paper: Text | None = Field(None, description="The paper: a file, a DOI, or authors and year.")
    title: Text | None = Field(None, description="Its title.")
    figure: Text | None = Field(None, description="Number of the figure.")
    table: Text | None = Field(None, description="Number of the table.")
    section: Text | None = Field(None, description="Number of the section.")


class ExperimentMetric(Model):
    """A number that each run has."""

    that: Text = Field(
        description="An expression over metrics, processes and files of the workload, such as sum(goodput), outage.max "
        "or fetch.exit; goodput alone is its mean."
    )
    unit: Text = Field(description="The unit it is told in, such as Mbit/s.")


def _metric(value: Any) -> str:
    if not isinstance(value, dict | str):
        refuse("wants {that: sum(goodput), unit: Mbit/s}, or the unit alone, such as ms")
    return "expression" if isinstance(value, dict) else "unit"


AnyMetric = Annotated[str | ExperimentMetric, Choice(_metric, lambda: {"unit": Text, "expression": ExperimentMetric})]


def _scales(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Scale = Literal["x", "y"]
Scales = Annotated[list[Scale], BeforeValidator(_scales, json_schema_input_type=Scale | list[Scale])]


class Figure(Model):
    """A figure to draw. Its axes are those of the grid, its values the metrics."""

    kind: Literal["line", "bar", "box", "cdf", "heat-map", "time-series"] = Field(
        description="line, bar, box (quartiles), cdf (of all runs), heat-map, or time-series (over a run's time)."
    )
    title: Text = Field("", description="What is written above it. If nothing is said: what it shows.")
    x: Text | None = Field(
        None,
        description="Along the bottom: an axis; of a cdf the metric whose distribution it is.",
    )
    y: Text | None = Field(
        None, description="Up the side: a metric; of a heat-map an axis; of a time-series a metric of the workload."
    )
    by: Text | None = Field(None, description="An axis: a line, or a group of bars or boxes, for each of its values.")
    value: Text | None = Field(None, description="Of a heat-map: the metric that the colours tell.")
    errors: Literal["ci95", "deviation", "range", "none"] = Field(
        "ci95",
        description="What error bars tell: ci95 (95 % confidence interval of the mean), deviation (standard deviation) "
        "or range (least to greatest).",
    )
    log: Scales = Field([], description="Which scales are logarithmic: x, y or [x, y].")
    where: dict[Text, Text] = Field(
        {}, description="Only these points: axes, and the value of each, such as {transport: tcp}."
    )


Value = Annotated[Number | None, WithJsonSchema({"type": ["number", "null"]})]
Line = list[Value]


def _line(value: Any) -> str:
    return "by value" if isinstance(value, dict) else "list"


AnyLine = Annotated[Any, Choice(_line, lambda: {"by value": dict[Text, Value], "list": Line})]


def _published(value: Any) -> str:
    if isinstance(value, dict):
        return "groups" if any(isinstance(inner, dict | list) for inner in value.values()) else "by value"
    return "list" if isinstance(value, list) else "number"


class Published(Model):
    """What a paper reports for a metric."""

    unit: Text | None = Field(None, description="The unit of its numbers. If nothing is said: that of the metric.")
    x: Text | None = Field(None, description="The axis that lists of values go along.")
    by: Text | None = Field(None, description="The axis whose values name the lists.")
    values: Annotated[
        Any,
        Choice(
            _published,
            lambda: {
                "groups": dict[Text, AnyLine],
                "by value": dict[Text, Value],
                "list": Line,
                "number": Number,
            },
        ),
    ] = Field(
        description="With by and x: {tcp: [1.2, 1.4], udp: [0.8, null]}; with x alone: [1.2, 1.4]; with by alone: "
        "{tcp: 1.2}; else one number. null: not published."
    )


class Claim(Model):
    """A statement about the means (or medians) of points, which is checked."""

    name: Text = Field(description="What it says, in words.")
    that: Text = Field(
        description="The statement, such as all(throughput[quick] > throughput[never]). throughput[quick] is the "
        "series of means where an axis has the value quick, in the order of the grid."
    )
    of: Literal["means", "medians"] = Field(
        "means", description="What a name stands for: the mean of the runs of a point, or their median."
    )
    paper: Text | None = Field(None, description="What the paper says of it: a number, or where.")
    cause: Text | None = Field(
        None, description="Why it does not hold, where that is known. The report says so if the claim fails."
    )


class ExperimentFile(Model):
    """A figure or table of a paper: a grid of runs, and what is made of them."""

    name: Text = Field(description="Its name: workloads/handoff/experiments/outage.yaml is handoff/outage.")
    about: Text = Field("", description="One sentence on what it shows.")
    cites: Cites | None = Field(None, description="Where the figure is from.")
    topology: Text = Field(description="The topology: its name, or a path beside this file. May hold {axis}.")
    workload: Text = Field(description="The workload: its name, or a path beside this file. May hold {axis}.")
    set_: Settings = Field(
        {},
        alias="set",
        description="Settings of every run, as --set takes them: {links.0.delay: 5 ms}. {axis} in a text is filled in "
        "with the value of that axis; {{axis}} stays the text {axis}.",
    )
    grid: dict[Identifier, AnyAxis] = Field(
        {},
        description="What is varied: axes by name. An axis has values ([2 m, 4 m]), a range, or variants with settings "
        "of their own ({off: {}, on: {nodes.ap1.wmm: true}}). Every combination is a "
        "point; the last axis changes first.",
    )
    zip_: list[Annotated[list[Text], Field(min_length=2)]] = Field(
        [], alias="zip", description="Axes that advance together, such as [[distance, power]]; not all combinations."
    )
    seed: Integer = Field(1, ge=0, description="Seed of the first run of each point; the next has the next number.")
    repetitions: AnyRepetitions = Field(
        1, description="How often each point is run: a number, or {ci95: 5%, from: 3, at_most: 100}."
    )
    metrics: dict[Identifier, AnyMetric] = Field(
        min_length=1,
        description="What is measured, by name: {that: sum(goodput), unit: Mbit/s}; outage: ms is short for {that: "
        "outage, unit: ms}.",
    )
    figure: Figure | None = Field(None, description="The figure that is drawn.")
    figures: list[Figure] = Field([], description="Several figures, instead of one.")
    paper: dict[Text, Published] = Field({}, description="The paper's numbers, by metric.")
    claims: list[Claim] = Field([], description="Statements that are checked.")

    @model_validator(mode="after")
    def _one_way(self) -> ExperimentFile:
        if self.figure is not None and self.figures:
            refuse("is there beside figures; put it in that list", key="figure")
        return self
