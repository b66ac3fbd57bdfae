# SPDX-License-Identifier: MIT
"""A paper's values for points of the grid, and its citation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.experiments.types import Experiment, Published

_PARTS = ("figure", "table", "section")


def find(published: Iterable[Published], metric: str, labels: Mapping[str, str]) -> float | None:
    """Return the paper's value of a metric for these labels, in the metric's unit, or None.

    A value applies wherever its own labels match; of several, the one with most labels wins.
    """
    fitting = [entry for entry in published if entry.metric == metric and entry.labels.items() <= labels.items()]
    return max(fitting, key=lambda entry: len(entry.labels)).value if fitting else None


def axes(published: Iterable[Published], metric: str) -> set[str]:
    """Return the axes along which the paper's values of a metric differ."""
    return {axis for entry in published if entry.metric == metric for axis in entry.labels}


def computed_by(published: Iterable[Published], metric: str) -> str | None:
    """Return what computed the values of a metric; None if they are printed in the paper."""
    return next((entry.computed_by for entry in published if entry.metric == metric), None)


def origin(experiment: Experiment, metric: str) -> str:
    """Format where the values of a metric come from: ``published (figure 4 of …)``, ``computed (model.py)``."""
    by = computed_by(experiment.published, metric)
    word, where = ("computed", by) if by else ("published", source(experiment))
    return f"{word} ({where})" if where else word


def source(experiment: Experiment) -> str:
    """Format ``cites:``, such as ``figure 4 of 002_43470e78d29d25e0.txt``; empty if nothing is cited."""
    cites = experiment.cites
    parts = ", ".join(f"{part} {cites[part]}" for part in _PARTS if part in cites)
    paper = cites.get("title") or cites.get("paper") or ""
    return " of ".join(text for text in (parts, paper) if text)
