# SPDX-License-Identifier: MIT
"""How long virtual time may stand still: longer where many processes start together, or the kernel checks itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.machine.guest import Guest
from lab.machine.watch import WallTimes
from lab.plan.load import load
from lab.runs.run import boot
from lab.runs.start import started as really_started


@pytest.mark.parametrize(("stations", "stall_s"), [(5, 60), (29, 60), (200, 231)])
def test_many_processes_may_take_longer_to_start(
    stations: int, stall_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = load("saturated-cell", "udp/saturate", overrides=[f"nodes.sta.count={stations}"])
    given = []

    @contextmanager
    def started(plan: Any, machine: Any, directory: Path, stall_s: float, **_: object) -> Iterator[Any]:
        given.append(stall_s)

        class Guest:
            def follow(self, on_progress: object) -> WallTimes:
                return WallTimes(1.0, 0.5, 0.5)

        yield Guest()

    machine: Any = None
    monkeypatch.setattr("lab.runs.run.started", started)
    boot(plan, machine, tmp_path)
    assert given == [stall_s]


@pytest.mark.parametrize(("parts", "stall_s"), [(("medium",), 60), (("medium", "debug"), 600), ((), 60)])
def test_a_kernel_that_checks_itself_may_take_longer(
    parts: tuple[str, ...], stall_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine: Any = SimpleNamespace(kernel=SimpleNamespace(parts=parts), setup=lambda *given: None)
    given = []

    @contextmanager
    def start(setup: Any, mode: str, *, stall_s: float, **_: object) -> Iterator[None]:
        given.append(stall_s)
        yield None

    monkeypatch.setattr(Guest, "started", start)
    with really_started(load("one-ap", "idle"), machine, tmp_path):
        assert given == [stall_s]
