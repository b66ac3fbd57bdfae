# SPDX-License-Identifier: MIT
"""The benchmark of what a short run costs: its phases are there, and no command is measured twice."""

from __future__ import annotations

import pytest

from bench import fixed_cost
from lab import runs


@pytest.mark.guest
def test_every_phase_of_a_run_is_measured(machine: runs.Machine) -> None:
    found = fixed_cost.phases(seed=7)
    steps = ["plan", "looking up what guests are made of", "preparing the guest", "guest", "record", "report"]
    assert [name for name in found if name in steps] == steps
    *parts, whole, _ = found.values()
    assert sum(parts) == pytest.approx(whole)


def test_every_command_is_a_new_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seeds: list[int] = []

    def phases(seed: int) -> dict[str, float]:
        seeds.append(seed)
        return {"all": 1.1}

    monkeypatch.setattr(fixed_cost, "phases", phases)
    monkeypatch.setattr("sys.argv", ["fixed_cost", "--times", "20"])
    with pytest.raises(SystemExit) as ended:
        fixed_cost.main()
    assert len(set(seeds)) == len(seeds) == 21
    assert capsys.readouterr().out.endswith("limit: 1000 ms  OVER\n") and ended.value.code == 1
