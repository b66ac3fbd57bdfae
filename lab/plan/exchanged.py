# SPDX-License-Identifier: MIT
"""Topology and workload in the wrong order: one message, instead of one for each key of both."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from lab import library
from lab.errors import InputError

_KEYS = {"topology": {"nodes", "links"}, "workload": {"roles", "processes", "metrics", "checks", "files", "probes"}}


@contextlib.contextmanager
def in_order(verb: str, topology: str, workload: str) -> Iterator[None]:
    """Explain errors of a command whose two arguments are exchanged.

    Raises:
        InputError: they are; or the error itself.
    """
    try:
        yield
    except InputError:
        if _is("workload", topology) and _is("topology", workload):
            raise InputError(
                f"{topology} is a workload and {workload} a topology; write: lab {verb} {workload} {topology}"
            ) from None
        raise


def _is(kind: str, name: str) -> bool:
    """Return whether a name or path is that of a file of this kind."""
    from lab.model.include import read

    path = Path(name)
    if not path.is_file():
        return name in library.known(kind)
    try:
        data = read(path).data
    except InputError:
        return False
    others = set().union(*(keys for other, keys in _KEYS.items() if other != kind))
    return isinstance(data, dict) and bool(data.keys() & _KEYS[kind]) and not data.keys() & others
