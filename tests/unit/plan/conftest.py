# SPDX-License-Identifier: MIT
"""Makes plans from text."""

from pathlib import Path
from typing import Protocol

import pytest

from lab.plan.load import load
from lab.shared.types import Plan

TOPOLOGY = """\
name: here
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: campus}
  ap2: {kind: ap, ssid: campus, channel: 6}
  sta1: {kind: sta, roles: [client]}
  sta2: {kind: sta, roles: [client]}
links:
  - {between: [h1, s1], delay: 5 ms}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
"""
WORKLOAD = """\
name: there
roles: {server: 1, client: 1..}
duration: 30 s
"""


class Plans(Protocol):
    def __call__(
        self, topology: str = ..., workload: str = ..., seed: int = ..., overrides: list[str] = ...
    ) -> Plan: ...


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plans:
    """Run ``lab.plan.load.load`` on text, as files t.yaml and w.yaml in the current directory."""
    monkeypatch.chdir(tmp_path)

    def make(
        topology: str = TOPOLOGY, workload: str = WORKLOAD, seed: int = 1, overrides: list[str] | None = None
    ) -> Plan:
        Path("t.yaml").write_text(topology)
        Path("w.yaml").write_text(workload)
        return load("t.yaml", "w.yaml", seed, overrides or [])

    return make
