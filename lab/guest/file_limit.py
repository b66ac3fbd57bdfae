# SPDX-License-Identifier: MIT
"""How many files the agent may have open."""

from __future__ import annotations

import resource

_OF_NODE, _OF_PROCESS, _BESIDES = 8, 4, 128  # that it keeps open: logs, sockets, namespaces


def raise_file_limit(nodes: int, processes: int) -> None:
    """Raise the limit if a network is so large. Programs in nodes inherit it; in other networks it does not change."""
    needed = nodes * _OF_NODE + processes * _OF_PROCESS + _BESIDES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if needed > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(needed, hard)))
