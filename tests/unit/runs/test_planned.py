# SPDX-License-Identifier: MIT
"""Plans that are kept: what makes a plan be taken from the cache, and what has it made anew."""

from __future__ import annotations

import functools
import importlib
from pathlib import Path

import pytest

from lab.runs import planned
from lab.shared.types import Plan

TOPOLOGY = """\
name: pair
nodes:
  h1: {kind: host, roles: [server]}
  h2: {kind: host, roles: [client]}
links:
  - between: [h1, h2]
"""
WORKLOAD = "name: nothing\nduration: 3 s\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a topology and a workload, a cache of its own; all files count as old; nothing warned."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYDANTIC_DISABLE_PLUGINS", "__all__")  # as the command has it
    monkeypatch.setattr(planned, "_SETTLED_NS", 0)
    monkeypatch.setattr("lab.errors._warned", set())  # other tests of this process may have warned
    monkeypatch.setattr(planned, "_opened", functools.cache(planned._Opened))
    directory = tmp_path / "here"
    for folder, name, text in (("topologies", "pair", TOPOLOGY), ("workloads", "nothing", WORKLOAD)):
        (directory / folder).mkdir(parents=True)
        (directory / folder / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(directory)
    return directory


class Planner:
    """Plans, and counts how often that was work."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = 0
        module = importlib.import_module("lab.plan.load")
        load = module.load

        def counted(*arguments: object, **options: object) -> Plan:
            self.made += 1
            plan: Plan = load(*arguments, **options)
            return plan

        monkeypatch.setattr(module, "load", counted)

    def plan(self, topology: str = "pair", workload: str = "nothing", seed: int = 1, *settings: str) -> Plan:
        return planned.plan(topology, workload, seed, list(settings), None)


@pytest.fixture
def planner(monkeypatch: pytest.MonkeyPatch) -> Planner:
    return Planner(monkeypatch)


def test_an_unchanged_plan_is_not_made_again(planner: Planner) -> None:
    first, second = planner.plan(), planner.plan()
    assert planner.made == 1
    assert first == second
    assert first.to_json() == second.to_json()


def test_a_file_beside_the_code_changes_nothing(
    planner: Planner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"  # tools keep caches in the root of a checkout, which may be in sys.path
    checkout.mkdir()
    monkeypatch.syspath_prepend(str(checkout))
    planner.plan()
    (checkout / "cache").touch()
    planner.plan()
    assert planner.made == 1


def test_other_words_are_another_plan(planner: Planner) -> None:
    assert planner.plan().seed == 1
    assert planner.plan("pair", "nothing", 2).seed == 2
    assert planner.plan("pair", "nothing", 1, "workload.duration=4s").duration_ns == 4_000_000_000
    assert planner.made == 3


@pytest.mark.parametrize("path", ["topologies/pair.yaml", "workloads/nothing.yaml"])
def test_a_changed_file_is_read_again(planner: Planner, path: str) -> None:
    planner.plan()
    Path(path).write_text(Path(path).read_text().replace("name: ", "about: changed\nname: "))
    planner.plan()
    assert planner.made == 2


def test_a_new_file_may_be_meant_by_the_same_name(planner: Planner) -> None:
    planner.plan()
    Path("pair").write_text(TOPOLOGY.replace("h2", "h3"))
    assert [node.name for node in planner.plan().nodes] == ["h1", "h3"]


def test_a_new_stack_may_matter(planner: Planner) -> None:
    planner.plan()
    Path("workloads/new").mkdir()
    Path("workloads/new/Makefile").touch()
    planner.plan()
    assert planner.made == 2


def test_a_plan_of_a_file_that_lies_elsewhere_is_not_kept(planner: Planner, here: Path) -> None:
    (here.parent / "away.yaml").write_text(TOPOLOGY)
    planner.plan("../away.yaml")
    planner.plan("../away.yaml")
    assert planner.made == 2


def test_a_plan_with_a_text_that_lies_elsewhere_is_not_kept(planner: Planner, here: Path) -> None:
    (here.parent / "away.txt").write_text("welcome\n")
    with Path("workloads/nothing.yaml").open("a") as workload:
        workload.write("roles: {server: 1}\nfiles:\n  page: {on: server, path: /page, from: ../../away.txt}\n")
    planner.plan()
    planner.plan()
    assert planner.made == 2


def test_a_plan_of_links_is_not_kept(planner: Planner, here: Path) -> None:
    (here.parent / "away").mkdir()
    Path("workloads/linked").symlink_to(here.parent / "away")
    planner.plan()
    planner.plan()
    assert planner.made == 2


def test_a_plan_of_files_that_have_just_changed_is_not_kept(planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "_SETTLED_NS", 3_600_000_000_000)
    planner.plan()
    planner.plan()
    assert planner.made == 2


def test_a_plan_that_told_the_user_something_tells_it_again(planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.errors._warned", {"lab: t.yaml:1  write it otherwise"})
    planner.plan()
    planner.plan()
    assert planner.made == 2


def test_a_cache_that_cannot_be_written_keeps_nothing(
    planner: Planner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    planner.plan()
    planner.plan()
    assert planner.made == 2
