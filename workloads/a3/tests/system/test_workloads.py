# SPDX-License-Identifier: MIT
"""The workloads that no experiment of this stack runs yet, with short contents, on the topology that they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from tests import stored

from .test_a3d import STACK

pytestmark = pytest.mark.guest
SHORT = {
    "a3/web": ("duration=80 s",),
    "a3/download": ("duration=30 s", "files.file.random=100 KiB"),
    "a3/commands": ("duration=30 s", "processes.send.run.4=2", "checks.0.that=send.mails == 2"),
}


@pytest.mark.parametrize("workload", SHORT)
def test_all_arrives(workload: str, machine: runs.Machine, tmp_path: Path) -> None:
    plan = load("two-routers", workload, 1, SHORT[workload])
    own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
    assert len(plan.checks) >= 1
    record = stored.run_plan(plan, own, tmp_path / "run")
    assert record.passed, record.data["checks"]
