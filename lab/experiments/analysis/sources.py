# SPDX-License-Identifier: MIT
"""Names that metrics of an experiment can use besides metrics of the workload: processes and files, as in checks.

``fetch.exit``, the values of a probe's parser (``fetch.bytes``), ``file.size``. A process that several nodes run is a
list; ``fetch@sta2`` is one entry. The values of a parser are not known before its output exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.expressions.values import Quantity
from lab.record.figures import measured
from lab.shared.types import Plan, Process

Names = dict[str, Any]


class _Unrun(Mapping[str, Any]):
    """The values of a probe or program before it has run: an exit status, and others, of which some units are known."""

    def __init__(self, units: Mapping[str, str]) -> None:
        self._values = {**{name: Quantity(1, unit) for name, unit in units.items()}, "exit": 0}

    def __getitem__(self, key: str) -> Any:
        return self._values.get(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("exit",))

    def __len__(self) -> int:
        return 1

    def __contains__(self, key: object) -> bool:
        return True


def planned(plan: Plan) -> Names:
    """Return stand-ins by name, before anything runs; a program of which nothing is read has only its exit status."""
    found = [(one.id, one.name, _unrun(one)) for one in plan.processes]
    return _files(plan.data()["files"]) | _processes(found)


def _unrun(process: Process) -> Mapping[str, Any]:
    if process.prints is not None:
        return _Unrun(process.prints.units)
    return {"exit": 0} if process.probe is None else _Unrun({})


def recorded(data: Mapping[str, Any]) -> Names:
    """Return the values of one run, by name.

    Args:
        data: content of record.json (lab.record.record.Record).
    """
    exits = {entry["id"]: entry["exit"] for entry in data["processes"]}
    found = []
    for one in data["plan"]["processes"]:
        printed = one.get("prints", {}).get("units")
        values = measured(data["sources"][one["id"]]["values"], printed)
        ended = {"exit": exits.get(one["id"])}
        found.append((one["id"], one["name"], ended | values | ended))
    return _files(data["plan"]["files"]) | _processes(found)


def _processes(found: Sequence[tuple[str, str, Mapping[str, Any]]]) -> Names:
    """Return processes by id, and lists of them by name."""
    named: dict[str, list[Mapping[str, Any]]] = {}
    for _, name, values in found:
        named.setdefault(name, []).append(values)
    together = {name: values[0] if len(values) == 1 else values for name, values in named.items()}
    return {identifier: values for identifier, _, values in found} | together


def _files(files: Sequence[Mapping[str, Any]]) -> Names:
    return {
        file["name"]: {"sha256": file["sha256"], "size": _size_bytes(file), "path": file["path"]}
        for file in files
        if "/" not in file["name"]  # of a folder
    }


def _size_bytes(file: Mapping[str, Any]) -> int | None:
    size: int | None = file.get("packed_bytes", file["random_bytes"])
    return size if file["text"] is None else len(file["text"].encode())
