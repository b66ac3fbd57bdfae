# SPDX-License-Identifier: MIT
"""The file of a record: its version, writing and reading."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lab import left
from lab.errors import RecordError, writing
from lab.named import Named
from lab.probes.base import TimeSeries
from lab.shared.frozen import built
from lab.shared.medium_types import OnAir
from lab.shared.types import Plan

VERSION = 1
FILE_NAME = "record.json"
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # from JSON that programs print: not text in UTF-8
_AGAIN = "lab report DIR builds it again from the raw data"


@dataclass(frozen=True)
class RecordedMetric:
    """The results of a metric, in ``unit``."""

    name: str
    kind: str
    about: str
    of: list[str]  # ids of the processes that it was computed from
    per: str
    unit: str
    values: dict[str, float | None]  # count, sum, mean, median, min, max of the values
    each: list[float]  # the values: one for each item named by ``per``
    rows: list[dict[str, Any]]  # the same with details
    columns: list[str]  # columns of rows that are in ``unit``
    series: list[dict[str, Any]]  # over time: name, unit, t_ns, values


@dataclass(frozen=True)
class Record:
    """A run. ``data`` is the content of record.json:

    ``version``; ``plan`` (lab.shared.types); ``versions`` (kernel, packages) and ``hashes`` (sha256 of kernel,
    image, series, plan); ``clock`` (``epoch_ns``, ``boot_ns``, ``end_ns``); ``processes`` and ``events`` as the
    guest reports them; ``error`` (None, or message, culprit, logs); ``sources`` by process id (probe, node, series,
    occurrences, values, error); ``metrics`` by name (see RecordedMetric); ``medium`` if the run had one
    (lab.shared.medium_types.OnAir); ``memory_kills`` by node, if some ran out of memory: how many programs that cost;
    ``unfinished``: each ``roam`` without an outcome when the run ended, if any (t_ns, station, ap, last: the latest
    message of the station's wpa_supplicant); ``swapped_channels``: the access points, if any, whose
    hostapd swapped primary and secondary channel; ``checks`` (that, source, passed, because); ``passed``;
    ``raw`` (path, bytes, sha256 of each raw file); ``collected`` (the same of each file out of a node) if the
    plan collects any.
    """

    directory: Path
    data: Mapping[str, Any]

    @cached_property
    def plan(self) -> Plan:
        """The plan of the run; a damaged one raises RecordError."""
        try:
            return Plan.from_json(json.dumps(self.data["plan"]))
        except (ValueError, KeyError, TypeError) as error:
            wrong = f"{type(error).__name__} {error}"
            raise RecordError(f"{self.directory / FILE_NAME} has a damaged plan: {wrong}", hint=_AGAIN) from None

    @property
    def passed(self) -> bool:
        """Whether the run finished and every check passed."""
        return bool(self.data["passed"])

    @cached_property
    def wall(self) -> dict[str, Any]:
        """Wall times and host, from wall.json; empty without that file; a damaged one raises RecordError."""
        path = self.directory / "wall.json"
        try:
            found = json.loads(left.document(path))
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise RecordError(f"{path} is damaged", hint="delete it: it only has what the run took, and on which host")
        return found

    @cached_property
    def medium(self) -> OnAir | None:
        """What happened on the medium; None for the perfect medium."""
        found: OnAir | None = built(OnAir, self.data.get("medium"))
        return found

    @cached_property
    def not_shown(self) -> list[str]:
        """What views failed to show, one message each; part of reports, not of the record."""
        return []

    def series(self, source: str, name: str) -> TimeSeries | None:
        """Return a sampled series of a process or probe."""
        for item in self.data["sources"].get(source, {}).get("series", []):
            if item["name"] == name:
                return TimeSeries(**item)
        return None

    @cached_property
    def metrics(self) -> dict[str, RecordedMetric]:
        """The metrics by name, in plan order; an unknown name raises RecordError, which lists the known ones."""
        found = self.data["metrics"]
        results = {metric.name: RecordedMetric(metric.name, **found[metric.name]) for metric in self.plan.metrics}
        return Named("metric", results, RecordError)

    def metrics_of(self, kind: str) -> list[RecordedMetric]:
        """Return the metrics of a kind, in plan order."""
        return [result for result in self.metrics.values() if result.kind == kind]

    def write(self) -> None:
        """Write record.json atomically; raise HostError if it is not writable or no space is left."""
        path = self.directory / FILE_NAME
        partial = path.with_suffix(".partial")
        with writing(path):
            try:
                partial.write_text(to_json(self.data), encoding="utf-8")
                partial.replace(path)
            except OSError:
                partial.unlink(missing_ok=True)
                raise


def to_json(data: Mapping[str, Any]) -> str:
    """Return canonical text: sorted keys; one line for each top-level key and each source, metric, raw file etc."""
    lines = []
    for key in sorted(data):
        value = data[key]
        if isinstance(value, dict) and value and key != "clock":
            inside = ",\n".join(f"  {_compact(name)}: {_compact(value[name])}" for name in sorted(value))
            lines.append(f"{_compact(key)}: {{\n{inside}\n }}")
        elif isinstance(value, list) and value:
            inside = ",\n".join(f"  {_compact(item)}" for item in value)
            lines.append(f"{_compact(key)}: [\n{inside}\n ]")
        else:
            lines.append(f"{_compact(key)}: {_compact(value)}")
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", "{\n " + ",\n ".join(lines) + "\n}\n")


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def load(directory: Path) -> Record:
    """Read a record.

    Raises:
        RecordError: If the record does not exist, is damaged, or has another version.
    """
    path = directory / FILE_NAME
    try:
        data = json.loads(left.document(path))
    except FileNotFoundError:
        hint = "a run's directory contains it once the run has ended; lab run prints its path"
        raise RecordError(f"{directory} has no {FILE_NAME}", hint=hint) from None
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{path} cannot be read: {error}", hint=_AGAIN) from None
    if not isinstance(data, dict) or not isinstance(data.get("version"), int):
        raise RecordError(f"{path} is not a record of a run", hint=_AGAIN)
    if data["version"] != VERSION:
        raise RecordError(
            f"{path} has version {data['version']}, but this lab reads version {VERSION}",
            hint=f"read it with the lab that wrote it; or {_AGAIN}",
        )
    return Record(directory, data)
