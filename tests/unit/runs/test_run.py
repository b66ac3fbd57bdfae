# SPDX-License-Identifier: MIT
"""A run whose files cannot be written: one message that names the file, whichever it is."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lab import captures, record
from lab.errors import HostError, InputError, RunError
from lab.machine.guest import Guest
from lab.machine.process import GuestFiles, Setup
from lab.machine.watch import WallTimes
from lab.plan.load import load
from lab.runs import command
from lab.runs.run import boot, recorded, write_wall
from lab.shared.types import Plan

FULL = os.strerror(errno.ENOSPC)
WALLS = WallTimes(1.0, 0.5, 0.5)


class Machine:
    """Boots nothing."""

    kernel = SimpleNamespace(parts=())

    def setup(self, plan: Plan, directory: Path, mode: str) -> None:
        return None


@pytest.fixture
def plan() -> Plan:
    return load("one-ap", "ping/ping", 1, [])


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let writes to files of this name fail as on a full disk: the file is made, and stays empty."""

    def of(name: str) -> None:
        write = Path.write_text

        def write_text(path: Path, data: str, *rest: Any, **more: Any) -> int:
            if path.name != name:
                return write(path, data, *rest, **more)
            path.touch()
            raise OSError(errno.ENOSPC, FULL)

        monkeypatch.setattr(Path, "write_text", write_text)

    return of


def start(monkeypatch: pytest.MonkeyPatch, ends: Callable[[], WallTimes]) -> None:
    """Have guests that end like this."""

    @contextmanager
    def started(setup: Setup, mode: str, **options: Any) -> Iterator[Any]:
        class Started:
            def follow(self, on_progress: object) -> WallTimes:
                return ends()

        yield Started()

    monkeypatch.setattr(Guest, "started", started)


def test_a_plan_without_room(plan: Plan, full: Callable[[str], None], tmp_path: Path) -> None:
    full("plan.json")
    machine: Any = Machine()
    with pytest.raises(HostError, match=f"cannot write .*/plan.json: {FULL}\n  free some space"):
        boot(plan, machine, tmp_path)


def test_wall_times_without_room(full: Callable[[str], None], tmp_path: Path) -> None:
    full("wall.json")
    with pytest.raises(HostError, match=f"cannot write .*/wall.json: {FULL}\n  free some space"):
        write_wall(tmp_path, WALLS)


def test_captures_without_room(plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def split(raw: Path, until_ns: int | None) -> list[Path]:
        raise OSError(errno.ENOSPC, FULL)

    def fail() -> WallTimes:
        raise RunError("the guest failed")

    monkeypatch.setattr(captures, "split", split)
    machine: Any = Machine()
    captured = replace(plan, pcap="air")
    start(monkeypatch, lambda: WALLS)
    with pytest.raises(HostError, match=rf"cannot write .*/raw/air-\*\.pcapng: {FULL}"):
        boot(captured, machine, tmp_path)
    start(monkeypatch, fail)
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(RunError, match="the guest failed"):
        boot(captured, machine, other)
    with pytest.raises(InputError, match="another run uses .*/other"):
        boot(captured, machine, other)


def test_a_log_without_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.machine.guest.memory_directory", lambda needed_bytes: tmp_path)
    run = tmp_path / "run"
    files = GuestFiles(tmp_path / "linux", tmp_path / "initrd", tmp_path / "image", tmp_path / "code", run)
    with pytest.raises(HostError, match="cannot write .*/console.log: "), Guest.started(Setup(files)):
        pass


def test_a_link_to_the_latest_run_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    with pytest.raises(HostError, match="cannot write .*/latest: "):
        command._point_latest(tmp_path / "run")


def test_a_failed_run_is_the_latest_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RunError("the guest failed")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "machine_for", lambda *_, **__: Machine())
    monkeypatch.setattr(command, "_run", fail)
    with pytest.raises(RunError):
        command.run(command.RunOptions("one-ap", "ping/ping"))
    assert Path("runs/latest").resolve().parent == tmp_path / "runs", "lab report shows what it measured"


def test_an_interrupted_run_is_not_the_latest_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "earlier").mkdir(parents=True)
    (tmp_path / "runs" / "latest").symlink_to("earlier")
    monkeypatch.setattr(command, "machine_for", lambda *_, **__: Machine())
    monkeypatch.setattr(command, "run_all", interrupt)
    with pytest.raises(KeyboardInterrupt):
        command.run(command.RunOptions("one-ap", "ping/ping"))
    assert {path.name for path in Path("runs").iterdir()} == {"earlier", "latest"}
    assert Path("runs/latest").readlink() == Path("earlier")


def test_to_read_the_output_takes_time_too(tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """``WALLS`` is that of a guest which ran for 1 s."""
    read: list[str] = []
    monkeypatch.setattr("lab.runs.provenance.versions", lambda *_: {})
    monkeypatch.setattr("lab.runs.provenance.hashes", lambda *_: {})

    def build(_directory: Path, *, between: Callable[[], None], **_: object) -> None:
        between()
        read.append("on")

    monkeypatch.setattr(record, "build", build)
    for timeout_s in (None, 60.0):
        recorded(plan, cast(Any, Machine()), tmp_path, WALLS, timeout_s)
    with pytest.raises(RunError, match=r"seed 1 took more than 0\.9 s of wall time; it was ended while its output was"):
        recorded(plan, cast(Any, Machine()), tmp_path, WALLS, 0.9)
    assert read == ["on", "on"]
