# SPDX-License-Identifier: MIT
"""How long virtual time may stand still: longer where many processes start at one moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lab.machine.watch import WallTimes
from lab.plan.load import load
from lab.runs.run import boot


@pytest.mark.parametrize(("stations", "stall_wall_s"), [(5, 60), (29, 60), (200, 231)])
def test_many_processes_may_take_longer_to_start(
    stations: int, stall_wall_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = load("saturated-cell", "udp/saturate", overrides=[f"nodes.sta.count={stations}"])
    given = []

    @contextmanager
    def started(plan: Any, machine: Any, directory: Path, stall_wall_s: float, **_: object) -> Iterator[Any]:
        given.append(stall_wall_s)

        class Guest:
            def follow(self, on_progress: object) -> WallTimes:
                return WallTimes(1.0, 0.5, 0.5)

        yield Guest()

    machine: Any = None
    monkeypatch.setattr("lab.runs.run.started", started)
    boot(plan, machine, tmp_path)
    assert given == [stall_wall_s]
