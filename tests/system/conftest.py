# SPDX-License-Identifier: MIT
"""Fixtures of the tests that boot the guest."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.machine.build_report import SilentReport
from lab.plan.load import load
from lab.plan.types import Plan

WIRED = """\
name: wired
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  h2: {kind: host, roles: [client]}
links:
  - {between: [h1, s1]}
  - {between: [s1, h2]}
"""


@dataclass(frozen=True)
class Ran:
    """A finished boot: what the guest left, whether or not it failed."""

    directory: Path

    def guest(self) -> dict[str, Any]:
        """guest.json."""
        data: dict[str, Any] = json.loads((self.directory / "guest.json").read_text())
        return data

    def raw(self, name: str) -> str:
        """A raw file."""
        return (self.directory / "raw" / name).read_text()

    def outputs(self) -> list[str]:
        """What the exec events printed, in order."""
        return [event["output"] for event in self.guest()["events"] if event["kind"] == "exec"]


@pytest.fixture(scope="session")
def machine() -> runs.Machine:
    """Kernel, image, initrd and code of this checkout; `make test` has built them."""
    return runs.ensure_machine(SilentReport())


@pytest.fixture
def plan_of(tmp_path: Path) -> Callable[..., Plan]:
    """Make a plan of the text of a topology and a workload."""

    def make(topology: str, workload: str, seed: int = 1, pcap: str | None = None) -> Plan:
        place, work = tmp_path / "topology.yaml", tmp_path / "workload.yaml"
        place.write_text(topology)
        work.write_text(workload)
        return load(str(place), str(work), seed, pcap=pcap)

    return make


@pytest.fixture
def boot(tmp_path: Path, machine: runs.Machine, plan_of: Callable[..., Plan]) -> Callable[..., Ran]:
    """Boot a topology and a workload given as text, and follow it to its end."""

    def run(topology: str, workload: str, seed: int = 1, stall_wall_s: float = 60.0, pcap: str | None = None) -> Ran:
        directory = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        directory.mkdir()
        runs.boot(plan_of(topology, workload, seed, pcap), machine, directory, stall_wall_s=stall_wall_s)
        return Ran(directory)

    return run
