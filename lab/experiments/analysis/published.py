# SPDX-License-Identifier: MIT
"""What a paper published for a place in the grid, and how the paper is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.experiments.types import Experiment, Published

_PARTS = ("figure", "table", "section")


def find(published: Iterable[Published], metric: str, labels: Mapping[str, str]) -> float | None:
    """The paper's number for a metric where the axes have these labels, in the metric's unit; None: it has none.

    A number holds wherever the labels that the paper gives it are those asked for; the one with most labels wins.
    """
    fitting = [entry for entry in published if entry.metric == metric and entry.labels.items() <= labels.items()]
    return max(fitting, key=lambda entry: len(entry.labels)).value if fitting else None


def axes(published: Iterable[Published], metric: str) -> set[str]:
    """The axes that the paper tells apart for a metric."""
    return {axis for entry in published if entry.metric == metric for axis in entry.labels}


def source(experiment: Experiment) -> str:
    """In words, from ``cites:``: ``figure 4 of 002_43470e78d29d25e0.txt``; empty if nothing is cited."""
    cites = experiment.cites
    parts = ", ".join(f"{part} {cites[part]}" for part in _PARTS if part in cites)
    paper = cites.get("title") or cites.get("paper") or ""
    return " of ".join(text for text in (parts, paper) if text)
