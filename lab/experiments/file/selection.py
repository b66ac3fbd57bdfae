# SPDX-License-Identifier: MIT
"""``--only axis=value`` and ``--reps n``: selects a part of an experiment."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from lab.errors import InputError, suggestion
from lab.experiments.analysis import claims
from lab.experiments.file.paper import label_of, unknown_label
from lab.experiments.types import Axis, Claim, Experiment, Repetitions


def narrow(experiment: Experiment, only: Sequence[str], reps: int | None) -> Experiment:
    """Keep the points whose axes have the values that ``only`` names, and run each ``reps`` times if given.

    Several values of one axis are alternatives. The paper's values of other points, and figures of other points only,
    are dropped; claims that need other points go to ``unjudged``.

    Raises:
        InputError: an unknown axis or value, no point that matches all, fewer than one repetition.
    """
    if reps is not None:
        if reps < 1:
            raise InputError(f"--reps {reps}: write at least 1")
        experiment = dataclasses.replace(experiment, repetitions=Repetitions(reps, reps))
    if not only:
        return experiment
    kept = _kept(experiment, only)
    points = [point for point in experiment.points if _fits(point.labels, kept)]
    if not points:
        raise InputError(f"--only {' --only '.join(only)}: no point of {experiment.name} matches all of them")
    axes = tuple(_narrowed(axis, {point.labels[axis.name] for point in points}) for axis in experiment.axes)
    left = {axis.name: {level.label for level in axis.levels} for axis in axes}
    found = dataclasses.replace(
        experiment,
        axes=axes,
        points=tuple(dataclasses.replace(point, number=number) for number, point in enumerate(points)),
        figures=tuple(figure for figure in experiment.figures if _fits(figure.where, left)),
        published=tuple(one for one in experiment.published if _fits(one.labels, left)),
    )
    judged = tuple(claim for claim in found.claims if _can_be_judged(claim, found))
    return dataclasses.replace(
        found, claims=judged, unjudged=tuple(claim for claim in found.claims if claim not in judged)
    )


def _can_be_judged(claim: Claim, experiment: Experiment) -> bool:
    """Return whether the series that a claim names exist. It is already known to be valid on the whole grid."""
    try:
        claims.check(claim, experiment)
    except InputError:
        return False
    return True


def _kept(experiment: Experiment, only: Iterable[str]) -> dict[str, set[str]]:
    """Return the selected labels by axis."""
    axes = {axis.name: axis for axis in experiment.axes}
    kept: dict[str, set[str]] = {}
    for text in only:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            known = ", ".join(axes) or "none"
            raise InputError(f"--only {text}: write axis=value; axes of {experiment.name}: {known}")
        if name not in axes:
            known = ", ".join(axes) or "none"
            raise InputError(
                f'--only {text}: {experiment.name} has no axis "{name}"{suggestion(name, axes)}; known: {known}'
            )
        label = label_of(axes[name], value)
        if label is None:
            raise InputError(f"--only {text}: {unknown_label(axes[name], value)}")
        kept.setdefault(name, set()).add(label)
    return kept


def _fits(labels: Mapping[str, str], kept: Mapping[str, set[str]]) -> bool:
    """Return whether all labels are kept."""
    return all(label in kept.get(axis, {label}) for axis, label in labels.items())


def _narrowed(axis: Axis, labels: set[str]) -> Axis:
    return dataclasses.replace(axis, levels=tuple(level for level in axis.levels if level.label in labels))
