# SPDX-License-Identifier: MIT
"""Code of stacks is found by its file, in the current directory as in the lab's own folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lab import library, registry
from lab.checkout import CHECKOUT, PACKAGE
from lab.metrics.base import METRICS
from lab.model.event import EVENTS
from lab.model.exercise_check import CHECKS
from lab.model.mobility import MOBILITY
from lab.model.node import NODES
from lab.model.radio_setting import SETTINGS
from lab.phy.error_models.base import ERROR_MODELS
from lab.phy.fading.base import FADING
from lab.phy.propagation.base import PROPAGATION
from lab.probes import base as probes
from lab.probes.base import PROBES
from lab.registry import Room
from lab.report.parts import PARTS
from lab.views.base import VIEWS
from tests.refused import refused

PROBE = """
from lab.probes.base import Probe


class Own(Probe):
    about = "{about}"
"""
METRIC = """
from lab.metrics.base import Metric


class Own(Metric):
    about = ABOUT
"""
ROOMS = (SETTINGS, PROBES, METRICS, VIEWS, EVENTS, NODES, MOBILITY, PROPAGATION, FADING, ERROR_MODELS, CHECKS)
Write = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(place: Path) -> Write:
    def put(name: str, text: str) -> Path:
        path = place / "workloads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return put


def refusal(room: Room[Any], name: str) -> str:
    return refused(room.get, name)


def test_a_stack_here_has_probes_that_are_called_like_their_files(write: Write) -> None:
    write("tcp-swp/Makefile", "install:\n")
    write("tcp-swp/probes/tcp_swp.py", PROBE.format(about="of a stack with a - in its name"))
    write("plain/probes/plain.py", PROBE.format(about="of a stack without code"))
    write("plain/probes/_helper.py", "")
    assert {"tcp-swp", "plain", "ping"} <= set(probes.known())
    assert not [name for name in probes.known() if "helper" in name]
    assert probes.load("tcp-swp").about == "of a stack with a - in its name"
    assert probes.load("tcp-swp").stack == "tcp-swp", "by where it lies"
    assert probes.load("plain").stack is None, "there are no programs that nodes could lack"
    assert probes.load("ping").stack is None


def test_modules_of_a_stack_import_each_other(write: Write) -> None:
    write("tcp-swp/probes/_results.py", "ABOUT = 'from a sibling'\n")
    write("tcp-swp/probes/one.py", "from ._results import ABOUT\n" + PROBE.format(about="x").replace('"x"', "ABOUT"))
    write("tcp-swp/metrics/two.py", "from ..probes._results import ABOUT\n" + METRIC)
    assert probes.load("one").about == "from a sibling"
    assert METRICS.made("two").about == "from a sibling"


def test_every_module_has_a_file_and_a_name_of_its_own(write: Write) -> None:
    path = write("tcp-swp/probes/one.py", PROBE.format(about="here"))
    module = sys.modules[PROBES.get("one").__module__]
    assert module.__file__ == str(path)
    assert re.fullmatch(r"workloads_[0-9a-f]{8}\.tcp-swp\.probes\.one", module.__name__)
    assert PROBES.get("ping").__module__ == "lab.probes.ping"


@pytest.fixture
def shipped(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lab's folder of workloads, with one stack."""
    folder = tmp_path_factory.mktemp("lab") / "workloads"
    (folder / "bits" / "probes").mkdir(parents=True)
    (folder / "bits" / "probes" / "bits.py").write_text(PROBE.format(about="shipped"))
    monkeypatch.setattr(library, "own_folder", lambda kind: folder)
    monkeypatch.setitem(sys.modules, "workloads", sys.modules.get("workloads", ModuleType("workloads")))
    registry._found.cache_clear()
    return folder


def test_modules_of_the_labs_stacks_are_called_as_tests_and_mypy_call_them(shipped: Path) -> None:
    assert registry._package(shipped) == "workloads"
    assert PROBES.file("bits").module == "workloads.bits.probes.bits"


def test_the_nearer_file_of_one_stack_is_taken(shipped: Path, write: Write) -> None:
    assert PROBES.file("bits").path == shipped / "bits" / "probes" / "bits.py"
    nearer = write("bits/probes/bits.py", PROBE.format(about="nearer"))
    registry._found.cache_clear()
    assert PROBES.file("bits").path == nearer and PROBES.file("bits").stack == "bits"


@pytest.mark.parametrize("other", ["b/probes/same.py", None])
def test_a_name_that_is_there_twice_is_one_error_for_who_asks(write: Write, other: str | None) -> None:
    name = "same" if other else "ping"
    write(f"a/probes/{name}.py", PROBE.format(about="a"))
    if other:
        write(other, PROBE.format(about="b"))
    first = "workloads/a/probes/same.py" if other else str(PACKAGE / "probes" / "ping.py")
    second = "workloads/b/probes/same.py" if other else "workloads/a/probes/ping.py"
    assert refusal(PROBES, name) == (
        f'{second}  another file has the same name, "{name}": {first}\n'
        "  rename one of them: names in probes must be unique across all stacks and the lab"
    )
    assert name in probes.known() and probes.load("curl").about, "others are not concerned"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("import nowhere\n", ":1  cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("a = 1\nb = (\n", ":2  cannot be imported: SyntaxError: '(' was never closed"),
        ("def f():\n    return {}['x']\n\n\nf()\n", ":2  cannot be imported: KeyError: 'x'"),
    ],
)
def test_a_broken_file_is_reported_with_its_line(write: Write, text: str, reported: str) -> None:
    write("a/probes/broken.py", text)
    assert refusal(PROBES, "broken").startswith(f"workloads/a/probes/broken.py{reported}")
    assert probes.load("ping").about


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("PROBES = 1\n", "no public class"),
        ("from lab.probes.ping import Ping\n", "no public class"),
        ("from lab.probes.base import Probe\nclass _Own(Probe): pass\n", "no public class"),
        ("from lab.probes.base import Probe\nclass A(Probe): pass\nclass B(A): pass\n", "A and B"),
    ],
)
def test_a_file_has_one_class(write: Write, text: str, has: str) -> None:
    write("a/probes/empty.py", text)
    assert refusal(PROBES, "empty").startswith(
        f"workloads/a/probes/empty.py  has {has} derived from Probe; write exactly one\n  a file has one class"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_an_unknown_name_is_reported_with_the_known(room: Room[Any]) -> None:
    known = room.known()
    assert refusal(room, f"{known[0]}x") == (
        f'unknown {room.noun} "{known[0]}x" (did you mean {known[0]}?); known: {", ".join(known)}'
    )


def test_the_library_knows_every_room() -> None:
    assert {room.folder for room in (*ROOMS, PARTS)} == set(library.NOUNS)


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_follows_the_rule(room: Room[Any]) -> None:
    for name, kind in room.classes().items():
        assert room.base in kind.__mro__ and room.name_of(kind) == name


def test_yaml_files_of_tests_are_no_workloads(write: Write) -> None:
    write("a/tests/fixtures/broken.yaml", "name: [")
    write("a/experiments/tests.yaml", "name: a/tests")
    write("a/tests.yaml", "name: tests")
    assert [name for name in library.known("workload") if name.startswith("a/")] == ["a/tests"]
    assert [name for name in library.known("experiment") if name.startswith("a/")] == ["a/tests"]


def test_code_next_to_a_workload_given_by_its_path(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = place / "my project.v2"
    (mine / "probes").mkdir(parents=True)
    (mine / "metrics").mkdir()
    (mine / "w.yaml").write_text("name: w\nduration: 1 s\n")
    (mine / "probes" / "_results.py").write_text("ABOUT = 'from a sibling'\n")
    (mine / "probes" / "mine.py").write_text("from ._results import ABOUT\n" + PROBE.replace('"{about}"', "ABOUT"))
    (mine / "metrics" / "mine_too.py").write_text("from ..probes._results import ABOUT\n" + METRIC)
    assert "mine" not in probes.known()
    monkeypatch.setattr(library, "_remembered", {})
    library.find("workload", "my project.v2/w.yaml")
    assert probes.load("mine").about == "from a sibling" and probes.load("mine").stack is None
    assert METRICS.made("mine-too").about == "from a sibling"


def test_folders_are_looked_for_once_while_a_plan_is_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    folders = library.folders

    def look(kind: str) -> list[Path]:
        asked.append(kind)
        return folders(kind)

    monkeypatch.setattr(library, "folders", look)
    with registry.settled():
        assert len(asked) == 1
        assert "ping" in probes.known() and probes.load("ping").about
        assert len(asked) == 1
        assert library.code_called("mine") == library.code_called("mine")
        assert len(asked) == 2  # stacks with code: once, too
    probes.known()
    assert len(asked) == 3
    library.code_called("mine")
    library.code_called("mine")
    assert len(asked) == 5


def test_folders_without_code_are_not_remembered(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that plans workloads of many folders would look into all of them at each name."""
    monkeypatch.setattr(library, "_remembered", {})
    (place / "w.yaml").write_text("name: w\nduration: 1 s\n")
    library.find("workload", "w.yaml")
    assert library._remembered == {}


def test_code_in_the_current_directory_with_workloads(place: Path) -> None:
    (place / "probes").mkdir()
    (place / "probes" / "here.py").write_text(PROBE.format(about="x"))
    assert "here" not in probes.known(), "these folders may have nothing to do with the lab"
    (place / "w.yaml").write_text("name: w\nduration: 1 s\n")
    assert "here" in probes.known()


@pytest.mark.parametrize("folder", [PACKAGE, *(room.parent for room in CHECKOUT.glob("workloads/*/probes"))])
def test_the_labs_own_folders_are_not_next_to_a_workload(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert library.folders_with_code() == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    def check(self, params):\n        1 / 0\n", ":8  ZeroDivisionError: division by zero\n"),
        ("    params = {'n': 3}\n", '  params has 3 for "n"; write Param("int", "what it is")'),
    ],
)
def test_what_a_stack_raises_where_nothing_expects_it_is_one_message(write: Write, body: str, said: str) -> None:
    path = write("a/probes/own.py", PROBE.format(about="own") + body)
    write("a/go.yaml", "name: go\nduration: 1 s\nprocesses:\n  - {on: h1, run: {probe: own}, as: it}\n")
    topology = write("t.yaml", "name: t\nnodes:\n  h1: {kind: host}\n")
    command = [sys.executable, "-c", "from lab.cli.entry import main; main()", "show", str(topology), "a/go"]
    for shown in (False, True):
        environment = {**os.environ, "LAB_TRACEBACK": "1" if shown else ""}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 2 and f"{path.relative_to(Path.cwd())}{said}" in done.stderr
        assert ("Traceback" in done.stderr) == (shown and "Zero" in said)
