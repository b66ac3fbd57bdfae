# SPDX-License-Identifier: MIT
"""Nodes with images of their own: a file tree, and a browser that ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.machine.memory import guest_bytes
from lab.plan.load import load
from lab.record import Record
from lab.shared.types import Plan
from tests import stored
from tests.unit.machine.test_node_image import wheel

pytestmark = pytest.mark.guest
FIXTURES = Path(__file__).parent.parent / "fixtures" / "images"
Run = Callable[..., Record]


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine) -> Run:
    """Run a topology and a workload of these tests."""

    def of(topology: str, workload: str, name: str = "run") -> Record:
        plan = load(str(FIXTURES / topology), str(FIXTURES / workload))
        directory = tmp_path / name
        directory.mkdir()
        return stored.run_plan(plan, runs.with_images(machine, plan, SilentReport()), directory)

    return of


@pytest.fixture
def greeter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An image of the current directory: a program, a file that the base has, too, and a Python package."""
    files = tmp_path / "images" / "greeter" / "files"
    for path, text in (("usr/bin/greet", "#!/bin/sh\necho hello\n"), ("etc/debian_version", "changed\n")):
        (files / path).parent.mkdir(parents=True, exist_ok=True)
        (files / path).write_text(text)
        (files / path).chmod(0o755)
    wheel(tmp_path / "wheels")
    (tmp_path / "images" / "greeter" / "requirements.txt").write_text("greeting==1.2\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("greeter")
def test_only_its_nodes_see_an_image(run: Run, tmp_path: Path) -> None:
    record = run("greeters.yaml", "greet.yaml")
    raw = record.directory / "raw"
    assert (raw / "with.out").read_text() == "hello\nchanged\nhello\nhello\n"
    assert (raw / "without.out").read_text().startswith("13.")
    assert record.data["hashes"]["image greeter"]
    assert record.data["versions"]["image greeter"] == {"python:greeting": "1.2"}
    assert run("greeters.yaml", "greet.yaml", "again").data == record.data


def test_what_nobody_uses_is_in_no_trials_key(machine: runs.Machine) -> None:
    from lab.machine.uses import Uses
    from lab.runs import provenance

    plan = load("one-ap", "ping/ping")
    found = provenance.hashes(Uses.of(plan), machine)
    assert not [name for name in found if name.startswith("image ")]
    assert '"image"' not in plan.to_json()


def test_browser_loads_a_page_runs_its_script_and_ends(run: Run) -> None:
    """Also in the second run, and at the same time."""
    first, second = (run("browser.yaml", "page.yaml", name) for name in ("first", "second"))
    assert first.passed, first.data["checks"]
    assert "<title>t2</title>" in (first.directory / "raw" / "browser.out").read_text()
    assert (first.directory / "guest.json").read_bytes() == (second.directory / "guest.json").read_bytes()


def test_guests_memory_is_that_of_its_images_or_of_the_topology(plan_of: Callable[..., Plan]) -> None:
    nodes = "nodes:\n  h1: {kind: host, image: browser}\n  h2: {kind: host, image: peer, memory: 64 MiB}\n"
    plan = plan_of(f"name: a\n{nodes}", "name: w\nduration: 1 s\n")
    assert [node.memory_bytes >> 20 for node in plan.nodes] == [1024, 64]
    assert guest_bytes(plan) == 2 << 30
    plan = plan_of(f"name: a\nmemory: 512 MiB\n{nodes}", "name: w\nduration: 1 s\n")
    assert guest_bytes(plan) == 512 << 20
