# SPDX-License-Identifier: MIT
"""The values of a run that checks of an exercise name: those that checks of a workload do, out of its record."""

from __future__ import annotations

from typing import Any

from lab.record import Record, metrics


def values(record: Record) -> dict[str, Any]:
    """Return processes, files and metrics by name, quantities with their units."""
    exits = {process["id"]: process["exit"] for process in record.data["processes"]}
    found = {identifier: source["values"] for identifier, source in record.data["sources"].items()}
    return metrics.values(record.plan, exits, found, record.data["metrics"])
