# SPDX-License-Identifier: MIT
"""Topology and workload in the wrong order: one message, instead of one for each key of both."""

from __future__ import annotations

from pathlib import Path

from lab import library
from lab.errors import InputError
from lab.model.include import read

_KEYS = {"topology": {"nodes", "links"}, "workload": {"roles", "processes", "metrics", "checks", "files", "probes"}}


def refuse_exchanged(topology: str, workload: str) -> None:
    """Refuse a workload where the topology belongs, and the other way round.

    Raises:
        InputError: If they are exchanged.
    """
    if _is("workload", topology) and _is("topology", workload):
        raise InputError(
            f"{topology} is a workload and {workload} a topology; write the topology first: {workload} {topology}"
        )


def _is(file_type: str, name: str) -> bool:
    """Return whether a name or path is that of a file of this type."""
    path = Path(name)
    if not path.is_file():
        return library.called(file_type, name) is not None
    try:
        data = read(path).data
    except InputError:
        return False
    others = set().union(*(keys for other, keys in _KEYS.items() if other != file_type))
    return isinstance(data, dict) and bool(data.keys() & _KEYS[file_type]) and not data.keys() & others
