# SPDX-License-Identifier: MIT
"""Files that take over what other files say: order, names given twice, lines in messages, paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import InputError
from lab.model.include import read
from lab.plan.load import load
from tests.refused import refused

NEIGHBOURS = """\
name: neighbours
roles: {host: 2}
duration: 9 s
files:
  page: {on: host, path: /srv/page, from: page.txt}
processes:
  - {on: host, run: [first], as: one}
  - {on: host, run: [second], as: two}
"""
OWN = """\
name: own
include: [%s]
duration: 2 s
processes:
  - {on: host, run: [third], as: three}
checks: [{that: three.exit == 0}]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "neighbours.yaml").write_text(NEIGHBOURS)
    (tmp_path / "sub" / "page.txt").write_text("welcome\n")
    (tmp_path / "own.yaml").write_text(OWN % "sub/neighbours.yaml")
    return tmp_path


def test_lists_come_first_and_single_values_are_ones_own(here: Path) -> None:
    document = read(here / "own.yaml")
    assert [process["as"] for process in document.data["processes"]] == ["one", "two", "three"]
    assert (document.data["name"], document.data["duration"]) == ("own", "2 s")
    assert document.data["files"]["page"]["from"] == "sub/page.txt"
    assert document.where(("processes", 1, "run")) == "sub/neighbours.yaml:8"
    assert document.where(("processes", 2)) == "own.yaml:5"
    assert document.where(("roles", "host")) == "sub/neighbours.yaml:2"


def test_a_plan_has_all_of_it_and_settings_find_it(here: Path) -> None:
    plan = load("wired-pair", "own.yaml", overrides=["processes.two.run=[other]"])
    assert [process.argv[0] for process in plan.processes if process.node == "h1"] == ["first", "other", "third"]
    assert plan.files[0].text == "welcome\n"


def test_paths_are_relative_to_the_file_that_has_them(here: Path) -> None:
    (here / "sub" / "part.yaml").write_text(
        "medium: {errors: {table: per.csv}}\ntopology: neighbours.yaml\nworkload: http/download\n"
    )
    (here / "all.yaml").write_text("name: all\ninclude: sub/part.yaml\n")
    found = read(here / "all.yaml").data
    assert found["medium"] == {"errors": {"table": "sub/per.csv"}}
    assert (found["topology"], found["workload"]) == ("sub/neighbours.yaml", "http/download")


@pytest.mark.parametrize(
    ("included", "more", "message"),
    [
        (
            "missing.yaml",
            "",
            "own.yaml:2  include.0: missing.yaml does not exist; write a path relative to this file",
        ),
        ("own.yaml", "", "own.yaml:2  include.0: own.yaml includes itself; remove this"),
        (
            "sub/neighbours.yaml",
            "roles: {host: 1}\n",
            "own.yaml:7  roles.host: is also at sub/neighbours.yaml:2, which is included; remove one of them",
        ),
        ("{}", "", "own.yaml:2  include: must be a list of files, such as [neighbours.yaml]"),
        ("sub/page.txt", "", "own.yaml:2  include.0: sub/page.txt is not a mapping"),
    ],
)
def test_mistakes(here: Path, included: str, more: str, message: str) -> None:
    (here / "own.yaml").write_text(OWN % included + more)
    assert refused(read, here / "own.yaml") == message


def test_a_link_to_itself_is_a_mistake(here: Path) -> None:
    (here / "loop.yaml").symlink_to("loop.yaml")
    assert refused(read, here / "loop.yaml") == "loop.yaml  cannot be read: Too many levels of symbolic links"
    (here / "top.yaml").write_text("name: top\ninclude: loop.yaml\n")
    assert refused(read, here / "top.yaml").startswith("top.yaml:2  include: loop.yaml does not exist")


def test_what_is_included_may_include(here: Path) -> None:
    (here / "top.yaml").write_text("name: top\ninclude: own.yaml\nduration: 1 s\n")
    assert [process["as"] for process in read(here / "top.yaml").data["processes"]] == ["one", "two", "three"]
    (here / "sub" / "neighbours.yaml").write_text("name: x\ninclude: ../top.yaml\n")
    with pytest.raises(InputError, match=r"sub/neighbours.yaml:2  include: ../top.yaml includes itself"):
        read(here / "top.yaml")


def test_a_mistake_in_an_included_file_names_it(here: Path) -> None:
    (here / "sub" / "neighbours.yaml").write_text(NEIGHBOURS.replace("run: [second]", "rn: [second]"))
    with pytest.raises(InputError, match=r"sub/neighbours.yaml:8  processes.1.rn: unknown key"):
        load("wired-pair", "own.yaml")
