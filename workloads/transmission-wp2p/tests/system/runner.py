# SPDX-License-Identifier: MIT
"""The fixture that runs a workload of this stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab import library, runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.record import Record
from tests import stored

STACK = Path(__file__).parents[2]
CELL = """\
name: cell
nodes:
  h1:   {kind: host, roles: [server], image: peer}
  ap1:  {kind: ap, ssid: a, mode: g, channel: 1}
  sta1: {kind: sta, ssid: a, image: peer, ip: 10.0.0.101/8}
  sta2: {kind: sta, ssid: a, image: peer, ip: 10.0.0.102/8}
links:
  - {between: [h1, ap1]}
medium: {}
"""
Run = Callable[..., Record]


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine) -> Run:
    def of(
        workload: str, name: str = "run", seed: int = 1, *, topology: str = "", settings: tuple[str, ...] = ()
    ) -> Record:
        (tmp_path / "t.yaml").write_text(CELL)
        (tmp_path / "w.yaml").write_text(workload)
        plan = load(topology or str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"), seed, settings)
        code = library.code_of(str(tmp_path / "w.yaml"), plan.stack)
        assert code is not None
        own = runs.with_images(runs.with_stacks(machine, [code], SilentReport()), plan, SilentReport())
        (tmp_path / name).mkdir()
        return stored.run_plan(plan, own, tmp_path / name)

    return of
