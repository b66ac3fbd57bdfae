# SPDX-License-Identifier: MIT
"""Experiment files: the parameter grid, the metrics, the figures and the claims to check."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from lab import units
from lab.model.base import INCLUDE, Choice, Integer, Model, Number, Overrides, Quantity, Text, Texts, listed, refuse
from lab.model.names import Identifier, Title
from lab.model.uncertain import UncertainParameters
from lab.model.what_if import WhatIf

LEVELS_MAX = 10_000  # of one axis; more is a mistake in a range

_RANGE = ("from", "to", "step", "points", "spacing")


class Range(Model):
    """Values from a first to a last one, given by a step or by the number of points. Give either step or points."""

    from_: Text = Field(alias="from", description="The first value, such as 1 m. All values are shown in its unit.")
    to: Text = Field(description="The last value. If no step ends there, the range ends at the last step before it.")
    step: Text | None = Field(None, description="Difference between values, such as 5 m.")
    points: Annotated[Integer, Field(ge=2, le=LEVELS_MAX)] | None = Field(None, description="Number of values.")
    spacing: Literal["linear", "log"] = Field(
        "linear", description="With points: linear (equal differences) or log (equal ratios)."
    )

    @model_validator(mode="after")
    def _one(self) -> Range:
        if (self.step is None) == (self.points is None):
            refuse("needs either step (such as 5 m) or points (the number of values)")
        if self.spacing == "log" and self.points is None:
            refuse("works only with points; write points: and the number of values", key="spacing")
        return self


def _axis(value: Any) -> str:
    if isinstance(value, list):
        return "values"
    if not isinstance(value, dict):
        refuse(
            "must be values, such as [2 m, 4 m]; a range, such as {from: 1 m, to: 60 m, step: 5 m}; or variants, each "
            "with its overrides, such as {off: {}, on: {nodes.ap1.wmm: true}}"
        )
    ranged = [
        key for key, inner in value.items() if key in _RANGE and inner is not None and not isinstance(inner, dict)
    ]
    return "range" if ranged else "variants"


Values = Annotated[list[Text], Field(min_length=1, max_length=LEVELS_MAX)]
Variants = Annotated[dict[Text, Overrides], Field(min_length=1)]
AnyAxis = Annotated[
    Values | Range | Variants,
    Choice(_axis, lambda: {"values": Values, "range": Range, "variants": Variants}),
]


class Adaptive(Model):
    """Runs each point until its means are precise enough."""

    ci95: Annotated[float, Quantity(units.PERCENT, least=0.01, most=100)] = Field(
        description="The largest half-width of the 95 % confidence interval of every metric, as a share of its mean."
    )
    from_: Integer = Field(3, alias="from", ge=2, le=10_000, description="Minimum number of runs.")
    at_most: Integer = Field(
        100, ge=2, le=10_000, description="Maximum number of runs, even if the interval is still too wide."
    )
    of: Texts | None = Field(None, description="The metrics that must be so precise. Default: all.")
    normal: bool = Field(
        False,
        description="Decide with the normal quantile 1.96 instead of Student's t, as some papers do: fewer runs. The "
        "intervals that are shown stay Student's.",
    )

    @model_validator(mode="after")
    def _room(self) -> Adaptive:
        if self.from_ > self.at_most:
            refuse(f"must not be less than from ({self.from_})", key="at_most")
        return self


def _repetitions(value: Any) -> str:
    return "adaptive" if isinstance(value, dict) else "fixed"


Fixed = Annotated[Integer, Field(ge=1, le=10_000)]
AnyRepetitions = Annotated[int | Adaptive, Choice(_repetitions, lambda: {"fixed": Fixed, "adaptive": Adaptive})]


class Cites(Model):
    """Source of the figure, as free text."""

    paper: Text | None = Field(None, description="The paper: a file, a DOI, or authors and year.")
    title: Text | None = Field(None, description="Its title.")
    figure: Text | None = Field(None, description="Number of the figure.")
    table: Text | None = Field(None, description="Number of the table.")
    section: Text | None = Field(None, description="Number of the section.")


class ExperimentMetric(Model):
    """A number computed for each run."""

    that: Text = Field(
        description="An expression over metrics, processes and files of the workload, such as sum(goodput), outage.max "
        "or fetch.exit; goodput alone means its mean."
    )
    unit: Text = Field(description="The unit it is reported in, such as Mbit/s.")
    limit: Text | None = Field(
        None,
        description="What did not finish has a value above this, such as 150 s: the time that a program had at least. "
        "It counts in medians, percentiles and maxima, and is shown as > 150 s. Default: it has no value, and is left "
        "out.",
    )
    expected: Annotated[Integer, Field(ge=1)] | None = Field(
        None,
        description="With limit: how many values of a run the expression is about, such as 5 requests; those that lack "
        "did not finish. Default: one, that of the expression.",
    )

    @model_validator(mode="after")
    def _limited(self) -> ExperimentMetric:
        if self.expected is not None and self.limit is None:
            refuse("works only with limit; write limit: and the time that each had at least", key="expected")
        return self


def _metric(value: Any) -> str:
    if not isinstance(value, dict | str):
        refuse("must be {that: sum(goodput), unit: Mbit/s}, or the unit alone, such as ms")
    return "expression" if isinstance(value, dict) else "unit"


AnyMetric = Annotated[str | ExperimentMetric, Choice(_metric, lambda: {"unit": Text, "expression": ExperimentMetric})]


Scale = Literal["x", "y"]
Scales = Annotated[list[Scale], BeforeValidator(listed, json_schema_input_type=Scale | list[Scale])]


class FigureEntry(Model):
    """A figure to draw. Its axes come from the grid, its values from the metrics."""

    kind: Literal["line", "bar", "box", "cdf", "heat-map", "time-series"] = Field(
        description="line, bar, box (quartiles), cdf (over all runs), heat-map or time-series (over the time of a run)."
    )
    title: Text = Field("", description="Title above the figure. Default: what it shows.")
    x: Text | None = Field(
        None,
        description="Horizontal axis: an axis of the grid; for a cdf, the metric whose distribution is drawn.",
    )
    y: Text | None = Field(
        None,
        description="Vertical axis: a metric; for a heat-map, an axis of the grid; for a time-series, a metric of the "
        "workload.",
    )
    by: Text | None = Field(
        None, description="An axis of the grid: one line, or group of bars or boxes, for each value."
    )
    value: Text | None = Field(None, description="For a heat-map: the metric that the colours show.")
    errors: Literal["ci95", "deviation", "range", "none"] = Field(
        "ci95",
        description="What error bars show: ci95 (95 % confidence interval of the mean), deviation (standard deviation) "
        "or range (minimum to maximum).",
    )
    log: Scales = Field([], description="Which scales are logarithmic: x, y or [x, y].")
    where: dict[Text, Text] = Field(
        {}, description="Draw only these points: axes and the value of each, such as {transport: tcp}."
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
    """A paper's results for a metric, or those of a model."""

    unit: Text | None = Field(None, description="Unit of its numbers. Default: that of the metric.")
    computed_by: Text | None = Field(
        None,
        description="The program or model that computed the numbers, if they are not printed in the paper. Figures and "
        "tables then say computed, not published.",
    )
    x: Text | None = Field(None, description="The axis that lists of values run along.")
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


def _reason(value: Any) -> str:
    return "by place" if isinstance(value, dict) else "text"


AnyReason = Annotated[
    str | dict[str, str],
    Choice(_reason, lambda: {"text": Text, "by place": Annotated[dict[Text, Text], Field(min_length=1)]}),
]


class Claim(Model):
    """A statement about the means (or medians) of points, to be checked."""

    name: Text = Field(description="The claim, in words.")
    that: Text = Field(
        description="The statement, such as all(throughput[quick] > throughput[never]). throughput[quick] is the "
        "series of means at the points where an axis has the value quick, in grid order."
    )
    of: Literal["means", "medians"] = Field(
        "means", description="What a name stands for: the mean or the median of the runs of a point."
    )
    paper: Text | None = Field(None, description="What the paper says about it: a number, or where to find it.")
    because: Text | None = Field(
        None, description="Why you claim it, in your own words: what the paper does not say, or another source does."
    )
    cause: AnyReason | None = Field(
        None,
        description="Why the claim fails, if a run that changes only this makes it hold; of an experiment with several "
        "places {office: why, …}, by place. The report shows it where the claim fails.",
    )
    guess: AnyReason | None = Field(
        None,
        description="Why the claim may fail, if no run has tested it; written like cause. The report shows it where "
        "the claim fails.",
    )


class ExperimentPlace(Model):
    """A place, by what differs in it."""

    topology: Text | None = Field(None, description="Its topology. Default: that of the experiment.")
    workload: Text | None = Field(None, description="Its workload. Default: that of the experiment.")
    set_: Overrides = Field(
        {}, alias="set", description="Overrides of its runs; they replace those of the experiment with the same key."
    )


class ExperimentFile(Model):
    """A figure or table of a paper: a grid of runs and their evaluation."""

    name: Title = Field(description="Name; workloads/handoff/experiments/outage.yaml is handoff/outage.")
    about: Text = Field("", description="What it shows, in one sentence.")
    include: Texts = Field([], description=INCLUDE)
    cites: Cites | None = Field(None, description="Source of the figure.")
    topology: Text = Field(description="The topology: a name, or a path relative to this file. May contain {axis}.")
    workload: Text = Field(description="The workload: a name, or a path relative to this file. May contain {axis}.")
    set_: Overrides = Field(
        {},
        alias="set",
        description="Overrides of every run, as for --set: {links.0.delay: 5 ms}. {axis} in a text is replaced by the "
        "value of that axis; {{axis}} gives the text {axis}.",
    )
    places: dict[Text, ExperimentPlace] = Field(
        {},
        description="Several places in which the whole grid is run, by name, each with what differs in it: "
        "{office: {}, rooms: {topology: office-rooms}}. Tables and figures show them side by side; claims are judged "
        "in each.",
    )
    grid: dict[Identifier, AnyAxis] = Field(
        {},
        description="The parameters to vary: axes by name. An axis is a list of values ([2 m, 4 m]), a range, or "
        "variants with their overrides ({off: {}, on: {nodes.ap1.wmm: true}}). Every combination is a point; the last "
        "axis changes fastest.",
    )
    zip_: list[Annotated[list[Text], Field(min_length=2)]] = Field(
        [],
        alias="zip",
        description="Axes that advance together instead of in all combinations, such as [[distance, power]].",
    )
    seed: Integer = Field(1, ge=0, description="Seed of the first run of each point; each further run adds 1.")
    repetitions: AnyRepetitions = Field(
        1, description="Runs of each point: a number, or {ci95: 5%, from: 3, at_most: 100}."
    )
    metrics: dict[Identifier, AnyMetric] = Field(
        min_length=1,
        description="The metrics, by name: {that: sum(goodput), unit: Mbit/s}. outage: ms is short for "
        "outage: {that: outage, unit: ms}.",
    )
    figure: FigureEntry | None = Field(None, description="The figure to draw.")
    figures: list[FigureEntry] = Field([], description="Several figures to draw, instead of one.")
    paper: dict[Text, Published] = Field({}, description="Results of the paper, by metric.")
    claims: list[Claim] = Field([], description="Statements to check.")
    uncertain: UncertainParameters = Field({})
    what_if: WhatIf = Field({})

    @model_validator(mode="after")
    def _one_way(self) -> ExperimentFile:
        if self.figure is not None and self.figures:
            refuse("cannot be combined with figures; move it into that list", key="figure")
        return self
