# SPDX-License-Identifier: MIT
"""What tests get from the store of runs is what the guest left; what may not be stored is not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace as Space
from typing import Any

import pytest

from lab import runs
from lab.experiments.run.store import TrialStore
from lab.machine.uses import Uses
from lab.machine.watch import WallTimes
from lab.plan.load import load
from tests import stored

WALLS = WallTimes(wall_s=3.0, boot_wall_s=1.0, timeline_wall_s=2.0)


class Guest:
    """In place of one: leaves these files."""

    def __init__(self) -> None:
        self.boots = 0
        self.left: dict[str, bytes] = {"guest.json": b"{}", "raw/ping.out": b"\x00 64 bytes"}

    def boot(self, plan: Any, machine: Any, directory: Path, stall_s: float) -> WallTimes:
        self.boots += 1
        for name, content in self.left.items():
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_bytes(content)
        return WALLS


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Guest:
    """A guest, with an empty store; the key is that of the plan."""
    guest = Guest()
    monkeypatch.setattr(runs, "boot", guest.boot)
    monkeypatch.setattr(stored, "_key", lambda plan, machine: f"{plan.seed:064}")
    monkeypatch.setattr(stored, "cache_root", lambda: tmp_path / "cache")
    for name, value in {"fresh": False, "taken": 0, "booted": 0}.items():
        monkeypatch.setattr(stored, name, value)
    return guest


def boot(directory: Path, seed: int = 1) -> dict[str, bytes]:
    """Boot, and return what is in the directory."""
    plan: Any = load("wired-pair", "ping/ping", seed)
    assert stored.boot(plan, None, directory) == WALLS  # type: ignore[arg-type]
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_an_equal_run_comes_from_the_store(guest: Guest, tmp_path: Path) -> None:
    first, again = boot(tmp_path / "1"), boot(tmp_path / "2")
    assert guest.boots == 1
    assert again.pop("plan.json") == load("wired-pair", "ping/ping", 1).to_json().encode()  # with the paths of today
    assert again == first == guest.left


def test_another_run_boots(guest: Guest, tmp_path: Path) -> None:
    boot(tmp_path / "1")
    boot(tmp_path / "2", seed=2)
    assert guest.boots == 2


def test_with_fresh_each_run_boots_and_none_is_stored(
    guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "fresh", True)
    boot(tmp_path / "1")
    boot(tmp_path / "2")
    monkeypatch.setattr(stored, "fresh", False)
    boot(tmp_path / "3")
    assert guest.boots == 3


def test_a_damaged_entry_is_replaced(guest: Guest, tmp_path: Path) -> None:
    boot(tmp_path / "1")
    path = TrialStore(tmp_path / "cache" / stored.STORE).path(f"{1:064}")
    path.write_bytes(path.read_bytes()[:-1])
    boot(tmp_path / "2")
    boot(tmp_path / "3")
    assert guest.boots == 2


def test_a_large_run_is_not_stored(guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "LARGEST_BYTES", 5)
    boot(tmp_path / "1")
    boot(tmp_path / "2")
    assert guest.boots == 2


def test_a_failed_run_is_not_stored(guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(runs, "boot", fails)
        with pytest.raises(RuntimeError):
            boot(tmp_path / "1")
    boot(tmp_path / "2")
    assert guest.boots == 1


@pytest.mark.parametrize(
    "part", ["kernel.sha256", "image.sha256", "initrd.sha256", "stacks", "code", "host code", "plan"]
)
def test_the_key_has_what_a_run_depends_on(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def machine() -> Any:
        hashed = {name: Space(sha256=name) for name in ("kernel", "image", "initrd")}
        code = Space(bundle=lambda uses: Space(key="bundle"))
        return Space(**hashed, code=code, stacks={}, images_of=lambda uses: ())

    monkeypatch.setattr(stored, "_host_code", lambda: "host")
    plan, changed = load("wired-pair", "ping/ping", 1), machine()
    before = stored._key(plan, machine())
    assert stored._key(plan, machine()) == before
    name, _, attribute = part.partition(".")
    if attribute:
        getattr(changed, name).sha256 = "other"
    elif part == "stacks":
        monkeypatch.setattr(Uses, "of", lambda plan: Space(stack="own"))
        changed.stacks = {"own": Space(sha256="other")}
    elif part == "code":
        changed.code.bundle = lambda uses: Space(key="other")
    elif part == "host code":
        monkeypatch.setattr(stored, "_host_code", lambda: "other")
    else:
        plan = load("wired-pair", "ping/ping", 2)
    assert stored._key(plan, changed) != before
