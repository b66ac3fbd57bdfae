# SPDX-License-Identifier: MIT
"""How many files the agent may have open."""

from __future__ import annotations

import resource

import pytest

from lab.guest.file_limit import raise_file_limit


@pytest.mark.parametrize(("nodes", "processes", "limit"), [(100, 20, 1024), (120, 20, 1168), (1001, 1000, 12_136)])
def test_a_large_network_may_open_more_files(
    monkeypatch: pytest.MonkeyPatch, nodes: int, processes: int, limit: int
) -> None:
    limits = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: limits.append(given))
    raise_file_limit(nodes, processes)
    assert limits[-1] == (limit, max(limit, 4096))
