# SPDX-License-Identifier: MIT
"""Another kernel, or a more verbose one: neither changes what a run measures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.checkout import CHECKOUT
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest


def raw(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in (run / "raw").rglob("*") if path.is_file()}


def record(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "record.json").read_text())
    return found


def test_own_kernel_and_its_messages(tmp_path: Path, machine: runs.Machine) -> None:
    """A copy of the lab's kernel: the same bytes, but the lab does not know how they were built."""
    own = shutil.copy(machine.kernel.path, tmp_path / "own-kernel")
    ping = ("run", "wired-pair", "ping/ping", "--set", "duration=2s", "--set", "processes.echo.run.count=5")
    lab(*ping, "--out", "usual", cwd=tmp_path)
    more = lab(*ping, "--kernel", str(own), "--set", "console_level=info", "--out", "more", cwd=tmp_path)
    usual_run, more_run = tmp_path / "usual", tmp_path / "more"
    assert f"kernel: {machine.kernel.sha256[:20]}  {machine.kernel.release}, not tested" in more.stderr
    assert raw(usual_run) == raw(more_run)
    messages = (more_run / "console.log").read_text()
    assert "mac80211_hwsim" in messages and "mac80211_hwsim" not in (usual_run / "console.log").read_text()
    before, after = record(usual_run), record(more_run)
    assert after["hashes"]["kernel"] == before["hashes"]["kernel"]
    assert after["hashes"]["series"] is None
    assert after["versions"]["kernel_tested"] == "no"
    assert "kernel_tested" not in before["versions"] or not machine.kernel.tested


def test_kernel_module_of_a_stack(tmp_path: Path, machine: runs.Machine) -> None:
    """A congestion control that keeps its window, and so its speed."""
    out = tmp_path / "run"
    lab("run", "wired-pair", "constant/send", "--out", str(out), cwd=CHECKOUT / "tests" / "fixtures" / "stack")
    found = record(out)
    assert found["passed"]
    assert found["hashes"]["kernel"] != machine.kernel.sha256
    assert found["versions"]["kernel_tested"] == "no"


def test_rate_control_of_a_stack(tmp_path: Path, machine: runs.Machine) -> None:
    slow = ("run", "one-station", "constant/slow")
    stack = CHECKOUT / "tests" / "fixtures" / "stack"
    lab(*slow, "--out", str(tmp_path / "run"), "--set", "rate_control=lowest", cwd=stack)
    assert record(tmp_path / "run")["passed"]
    # mac80211 takes its default instead of one that it does not know, without a word
    other = lab(*slow, "--out", str(tmp_path / "other"), "--set", "rate_control=lowst", cwd=stack, status=1).stderr
    assert "rate_control: the kernel has no lowst, and took minstrel_ht" in other


def test_what_is_not_a_kernel(tmp_path: Path) -> None:
    reported = lab("run", "wired-pair", "idle", "--kernel", "beef", cwd=tmp_path, status=2).stderr
    assert reported.startswith("lab: --kernel beef: it is neither a file nor the beginning of a kernel's hash")
    both = ("--kernel", "beef", "--kernel-source", "linux")
    assert "give one of them" in lab("run", "wired-pair", "idle", *both, cwd=tmp_path, status=2).stderr
