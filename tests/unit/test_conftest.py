# SPDX-License-Identifier: MIT
"""What all tests share."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import conftest
from lab.registry import Room
from tests.validation.rows import point


@pytest.mark.parametrize("mistake", ["import nowhere", "def nothing("])
def test_a_kind_that_cannot_be_imported_ends_the_session_at_once(monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    def broken(room: Room[object]) -> None:
        exec(compile(mistake, f"{room.folder}/file.py", "exec"))

    monkeypatch.setattr(Room, "classes", broken)
    with pytest.raises(pytest.exit.Exception, match=r"^nodes/file\.py:1: (ModuleNotFound|Syntax)Error: .*n"):
        conftest.pytest_sessionstart()


@pytest.mark.parametrize(
    ("sweeps", "left"), [(False, ["system/b", "unit/a"]), (True, ["system/b", "system/c", "unit/a"])]
)
def test_points_of_a_sweep_are_left_out_unless_asked_for(sweeps: bool, left: list[str]) -> None:
    def item(nodeid: str, marks: tuple[pytest.Mark, ...] = ()) -> Any:
        names = {mark.name: mark for mark in marks}
        return SimpleNamespace(nodeid=nodeid, get_closest_marker=names.get)

    (mark,) = point(1, 2).marks
    items = [item("unit/a::one"), item("system/b::one"), item("system/c::one", (mark.mark,))]
    left_out: list[Any] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
    config: Any = SimpleNamespace(getoption={"--sweeps": sweeps}.__getitem__, hook=hook)
    conftest.pytest_collection_modifyitems(config, items)
    assert [one.nodeid.partition("::")[0] for one in items] == left
    assert len(left_out) == 3 - len(left)


def test_long_tests_start_first_and_one_at_a_time() -> None:
    long = "tests/system/test_cli.py::test_help"
    sharing = "tests/unit/test_without_stacks.py::test_the_rest_stays_green[a]"  # a fixture for all tests of the file
    short = "tests/unit/test_conftest.py::test_names"
    assert conftest.rank(long) < conftest.rank(sharing) < conftest.rank(short)
    scheduling = conftest.Scheduling.__new__(conftest.Scheduling)
    assert scheduling._split_scope(long) == long
    assert scheduling._split_scope(sharing) == "tests/unit/test_without_stacks.py"
    assert scheduling._split_scope(short) == "tests/unit/test_conftest.py"
