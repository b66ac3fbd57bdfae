# SPDX-License-Identifier: MIT
"""Whether two results are from the same experiment, and how their builds differ.

The same experiment means: the same name, seed and metrics, and at each point the same topology, workload and settings.
Then results differ only by the build: kernel, image, code, and the text files that topology and workload name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.errors import InputError, RecordError

_KINDS = ("topology", "workload")
_LISTED_MAX = 5  # differences, or points, in a message

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Builds:
    """The builds of A and B, by name, as SHA-256; None if one side lacks it."""

    differing: dict[str, tuple[str | None, str | None]]
    same: tuple[str, ...]


def check(a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    """Refuse results of different experiments. Points that only one of them has are not a difference.

    Args:
        a: content of results.json (lab.experiments.output.files.read).
        b: likewise.

    Raises:
        InputError: names the differences.
        RecordError: they do not record what was run.
    """
    names = [str(results.get("name", "")) for results in (a, b)]
    if names[0] != names[1]:
        raise InputError(f"A is {names[0]}, B is {names[1]}: only results of the same experiment can be compared")
    ours, theirs = _points(a, "A"), _points(b, "B")
    if ours and theirs and not ours.keys() & theirs.keys():
        points = f"A has {listed(list(ours))}; B has {listed(list(theirs))}"
        raise InputError(f"A and B have no point in common: {points}", hint="run lab reproduce with the same --only")
    both = [(labels, ours[labels], theirs[labels]) for labels in ours if labels in theirs]
    found = [*_seeds(a, b), *_metrics(_metrics_of(a, "A"), _metrics_of(b, "B")), *_files(both), *_settings(both)]
    if found:
        more = [f"and {len(found) - _LISTED_MAX} more"] if len(found) > _LISTED_MAX else []
        lines = "".join(f"\n    {line}" for line in [*found[:_LISTED_MAX], *more])
        hint = "run lab reproduce on the same file with both builds; only the builds may differ"
        raise InputError(f"A and B are not the same experiment; they differ in{lines}", hint=hint)


def labels_of(point: Mapping[str, Any]) -> Labels:
    """Return the labels of a point or row, as a key."""
    return tuple((axis, str(label)) for axis, label in point.items() if not isinstance(label, Mapping))


def listed(found: Sequence[Labels]) -> str:
    """List points for a reader."""
    joint = "; " if any(len(labels) > 1 for labels in found) else " and "  # points have commas, too
    shown = joint.join(
        ", ".join(f"{axis} {label}" for axis, label in labels) or "a point without axes"
        for labels in found[:_LISTED_MAX]
    )
    more = len(found) - _LISTED_MAX
    return shown + (f"{joint}{more} more {'point' if more == 1 else 'points'}" if more > 0 else "")


@dataclass(frozen=True)
class _Point:
    """What was run at a point."""

    names: dict[str, str]  # topology, workload
    hashes: dict[str, dict[str, str]]  # of their content, by key
    settings: dict[str, str]


def _points(results: Mapping[str, Any], side: str) -> dict[Labels, _Point]:
    try:
        return {labels_of(one["point"]): _point(one, results["files"]) for one in results["points"]}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(side, "its points") from None


def _point(data: Mapping[str, Any], files: Mapping[str, Any]) -> _Point:
    names = {kind: str(data[kind]) for kind in _KINDS}
    settings = dict(setting.split("=", 1) for setting in data["settings"])
    return _Point(names, {kind: dict(files[kind][name]) for kind, name in names.items()}, settings)


def _metrics_of(results: Mapping[str, Any], side: str) -> dict[str, tuple[str, str]]:
    """Return expression and unit of each metric."""
    try:
        return {str(one["name"]): (str(one["that"]), str(one["unit"])) for one in results["metrics"]}
    except (KeyError, TypeError):
        raise _damaged(side, "its metrics") from None


def _damaged(side: str, what: str) -> RecordError:
    return RecordError(
        f"{side} does not record {what}: it is damaged, or from an older version of the lab",
        hint="run lab reproduce to write it again; stored trials do not run again",
    )


def _seeds(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    seeds = [results.get("provenance", {}).get("seed") for results in (a, b)]
    if seeds[0] != seeds[1]:
        yield f"the first seed: {seeds[0]} in A, {seeds[1]} in B"


def _metrics(ours: Mapping[str, tuple[str, str]], theirs: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    for name in {**ours, **theirs}:
        if name not in ours or name not in theirs:
            yield f"the metric {name}: only {'A' if name in ours else 'B'} has it"
            continue
        for one, other in zip(ours[name], theirs[name], strict=True):
            if one != other:
                yield f"the metric {name}: {one or 'no unit'} in A, {other or 'no unit'} in B"


def _files(both: Sequence[tuple[Labels, _Point, _Point]]) -> list[str]:
    """Describe differences of the topologies and workloads of points."""
    found: dict[str, None] = {}
    for _, one, other in both:
        for kind in _KINDS:
            ours, theirs = one.hashes[kind], other.hashes[kind]
            keys = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
            names = one.names[kind], other.names[kind]
            if keys:
                files = names[0] if names[0] == names[1] else f"{names[0]} in A, {names[1]} in B"
                found[f"the {kind} {files}: {', '.join(keys)}"] = None
    return list(found)


def _settings(both: Sequence[tuple[Labels, _Point, _Point]]) -> Iterator[str]:
    """Yield settings with different values, each with the points concerned."""
    found: dict[str, list[Labels]] = {}
    for labels, one, other in both:
        for key in {**one.settings, **other.settings}:
            values = one.settings.get(key, "not set"), other.settings.get(key, "not set")
            if values[0] != values[1]:
                found.setdefault(f"{key}: {values[0]} in A, {values[1]} in B", []).append(labels)
    for difference, points in found.items():
        yield difference if len(points) == len(both) else f"{difference} (at {listed(points)})"


def builds(a: Mapping[str, Any], b: Mapping[str, Any]) -> Builds:
    """Compare the builds of two results."""
    ours, theirs = (
        {**results.get("provenance", {}).get("hashes", {}), **results.get("provenance", {}).get("stack", {})}
        for results in (a, b)
    )
    names = list({**ours, **theirs})
    differing = {name: (ours.get(name), theirs.get(name)) for name in names if ours.get(name) != theirs.get(name)}
    return Builds(differing, tuple(name for name in names if name not in differing))
