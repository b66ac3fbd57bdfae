# SPDX-License-Identifier: MIT
"""The guest's code of a plan: what it uses, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.machine.guest_code import GuestCode, ensure_guest_code
from lab.machine.uses import Uses
from tests.kept import KeptReport

FILES = {
    "__init__.py": "",
    "guest/__main__.py": "import lab.shared.types",
    "shared/types.py": "",
    "events/__init__.py": "",
    "events/roam/__init__.py": "",
    "events/roam/guest.py": "from lab.events import _both",
    "events/roam/file.py": "import pydantic",
    "events/_both.py": "",
    "events/power_cut/guest.py": "",
    "nodes/sta/guest.py": "",
    "nodes/host/file.py": "",
    "report/html.py": "",
    "mininet_wifi/__main__.py": "import lab.mininet_wifi",
    "mininet_wifi/names/net.py": "",
}


def uses(*, nodes: tuple[str, ...] = ("sta",), events: tuple[str, ...] = ()) -> Uses:
    return Uses(nodes, events, ("ping",), ("rtt",), None, False)


class Lab:
    """A lab of a few files, whose guest compiles what it finds."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self.report = KeptReport()
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def ensure(self, compiler: str = "image") -> GuestCode:
        return ensure_guest_code(self.report, compiler, compile_code, self.package)

    def files(self, used: Uses) -> list[str]:
        bundle = self.ensure().bundle(used).path
        assert {path.parent.parent for path in bundle.rglob("*.pyc")} == {path.parent for path in bundle.rglob("*.py")}
        return sorted(str(path.relative_to(bundle / "lab")) for path in bundle.rglob("*.py"))


def compile_code(directory: Path) -> None:
    for source in directory.rglob("*.py"):
        compiled = source.parent / "__pycache__" / f"{source.stem}.guest.pyc"
        compiled.parent.mkdir(exist_ok=True)
        compiled.write_text(source.read_text())


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Lab(tmp_path / "lab")


ALWAYS = ["__init__.py", "guest/__main__.py", "shared/types.py"]


def test_a_plan_has_the_kinds_that_it_uses(lab: Lab) -> None:
    assert lab.files(uses(nodes=())) == ALWAYS
    assert lab.files(uses(nodes=("host", "sta"))) == sorted([*ALWAYS, "nodes/sta/guest.py"])
    of_roam = ["events/__init__.py", "events/_both.py", "events/roam/__init__.py", "events/roam/guest.py"]
    assert lab.files(uses(nodes=(), events=("roam",))) == sorted([*ALWAYS, *of_roam])
    assert "events/power_cut/guest.py" in lab.files(uses(events=("power-cut",)))


def test_kinds_of_stacks_lie_among_the_lab_s(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("file.py", "guest.py", "_words.py"):
        place = tmp_path / "workloads" / "mine" / "events" / "far_jump" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("from . import _words" if name == "guest.py" else "")
    files = lab.files(uses(nodes=(), events=("far-jump",)))
    of_event = ["events/__init__.py", "events/far_jump/_words.py", "events/far_jump/guest.py"]
    assert files == sorted([*ALWAYS, *of_event])
    assert lab.files(uses(nodes=())) == ALWAYS


@pytest.mark.parametrize(
    "changed", ["events/power_cut/guest.py", "events/new/guest.py", "report/html.py", "mininet_wifi/names/net.py"]
)
def test_what_a_plan_does_not_use_leaves_its_code_the_same(lab: Lab, changed: str) -> None:
    before = lab.ensure().bundle(uses(events=("roam",)))
    lab.write(changed, "changed = 1")
    assert lab.ensure().bundle(uses(events=("roam",))) == before


@pytest.mark.parametrize("changed", ["guest/new.py", "events/roam/guest.py", "events/_both.py", "nodes/sta/guest.py"])
def test_what_a_plan_uses_makes_other_code(lab: Lab, changed: str) -> None:
    before = lab.ensure().bundle(uses(events=("roam",)))
    lab.write(changed, FILES.get(changed, "") + "\nchanged = 1")
    assert lab.ensure().bundle(uses(events=("roam",))).key != before.key


def test_one_boot_compiles_for_all_plans(lab: Lab) -> None:
    for events in ((), ("roam",), ("power-cut",)):
        lab.ensure().bundle(uses(events=events))
    assert lab.report.steps == ["Compiling the guest's code"]
    lab.ensure(compiler="another image")
    assert len(lab.report.steps) == 2


def test_an_edit_while_a_guest_runs_changes_nothing_in_it(lab: Lab) -> None:
    code = lab.ensure()
    lab.write("guest/__main__.py", "edited = 1")
    text = (code.bundle(uses()).path / "lab" / "guest" / "__main__.py").read_text()
    assert text == FILES["guest/__main__.py"]


def test_a_mode_with_a_room_has_its_agent(lab: Lab) -> None:
    """Its bytecode is not that of the usual agent."""
    package = lab.ensure().bundle(uses(nodes=()), "mininet_wifi").path / "lab"
    found = sorted(str(path.relative_to(package)) for path in package.rglob("*.py"))
    assert found == sorted([*ALWAYS, "mininet_wifi/__main__.py", "mininet_wifi/names/net.py"])
    assert (package / "guest" / "__main__.py").read_text() == FILES["mininet_wifi/__main__.py"]
    assert not list((package / "guest").rglob("__main__.*.pyc"))
    assert list((package / "mininet_wifi").rglob("__main__.*.pyc"))
