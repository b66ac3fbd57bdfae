# SPDX-License-Identifier: MIT
"""Hashes of the files of an experiment, which show whether two results belong to the same experiment and build.

Topologies and workloads define the experiment. The files that they name (programs, configurations, tables of error
rates) are what users change to see the effect: they belong to the build.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from lab import library
from lab.experiments.types import Contents, Point
from lab.model import overrides
from lab.model.base import Model
from lab.model.document import label_of
from lab.model.include import read
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.plan.load import topology_source, workload_source

_MODELS: dict[str, type[Model]] = {"topology": Topology, "workload": Workload}
_FOR_PEOPLE = ("name", "about")
_NAMING = re.compile(r"\b(from|table)\b\W*[=:]")  # a setting that may name another file


def contents(points: Iterable[Point]) -> Contents:
    """Hash the topologies and workloads of these points, and the files that they name.

    Raises:
        InputError: one of them is invalid.
    """
    hashes: dict[str, dict[str, dict[str, str]]] = {kind: {} for kind in _MODELS}
    texts: dict[str, str] = {}
    seen: set[tuple[str, ...]] = set()
    for point in points:
        naming = [setting for setting in point.settings if _NAMING.search(setting)]
        one = (point.topology, point.workload, *naming)
        if one in seen:
            continue
        seen.add(one)
        for kind, name in (("topology", point.topology), ("workload", point.workload)):
            if name not in hashes[kind]:
                data = read(library.find(kind, name)).data
                hashes[kind][name] = {key: _hash(value) for key, value in data.items() if key not in _FOR_PEOPLE}
        texts |= _texts(point)
    return Contents(hashes, dict(sorted(texts.items())))


def _texts(point: Point) -> dict[str, str]:
    """Hash the files that a point names with its settings."""
    documents = {kind: read(library.find(kind, getattr(point, kind))) for kind in _MODELS}
    overrides.apply(overrides.parse(point.settings), documents, _MODELS)
    topology, workload = topology_source(documents["topology"]), workload_source(documents["workload"])
    found = {
        label_of(topology.document.path.parent / name): hashlib.sha256(text.encode()).hexdigest()
        for name, text in topology.texts.items()
    }
    for name, contents in workload.contents.items():
        place = workload.document.path.parent / name
        found |= {label_of(place / one.within): hashlib.sha256(one.data).hexdigest() for one in contents}
    return found


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
