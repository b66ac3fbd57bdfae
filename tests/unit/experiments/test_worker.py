# SPDX-License-Identifier: MIT
"""What a worker does with a trial, without a guest."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab import library, runs
from lab.builders.stack.stack import Stack
from lab.errors import RunError
from lab.experiments.run import worker
from lab.experiments.run.trials import Answer, Failed, Finished, Refused, unpack_directory
from lab.machine.uses import Uses
from lab.machine.watch import RunProgress
from lab.plan.load import load
from lab.runs import Machine, provenance
from lab.shared.types import Plan

PLAN = load("wired-pair", "ping/ping", 1, ["workload.duration=3 s"]).to_json()
HASHES: dict[str, str | None] = {"kernel": "k", "image": "i"}
Run = Callable[[Plan, Path, Callable[[RunProgress], None]], dict[str, Any]]


@pytest.fixture
def perform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """A worker whose guest does what the test says."""

    def of(run: Run, own: dict[str, str | None] = HASHES, unwanted: Callable[[], bool] = lambda: False) -> Answer:
        def run_plan(plan: Plan, machine: object, directory: Path, tell: Callable[[RunProgress], None]) -> Any:
            (directory / "console.log").write_text("the kernel's last words")
            return SimpleNamespace(data=run(plan, directory, tell), wall={"wall_s": 0.25})

        monkeypatch.setattr(worker, "machine_here", lambda: None)
        monkeypatch.setattr(provenance, "hashes", lambda uses, machine: own)
        monkeypatch.setattr(runs, "run_plan", run_plan)
        try:
            return worker.perform(PLAN, HASHES, "w1 on node1", tmp_path, unwanted)
        finally:
            assert list(tmp_path.iterdir()) == []  # nothing stays, however it ended

    return of


def test_a_finished_trial_is_its_record(perform: Callable[..., Answer]) -> None:
    answer = perform(lambda plan, directory, tell: {"seed": plan.seed})
    assert isinstance(answer, Finished)
    assert answer.kept.data() == {"seed": 1}
    assert (answer.kept.virtual_s, answer.kept.guest_s) == (3.0, 0.25)


def test_another_lab_is_refused_before_anything_runs(perform: Callable[..., Answer]) -> None:
    def never(plan: Plan, directory: Path, tell: Callable[[RunProgress], None]) -> dict[str, Any]:
        raise AssertionError("it took work")

    answer = perform(never, {"kernel": "other", "image": "i", "more": None})
    assert answer == Refused("w1 on node1", {"kernel": ("k", "other")})


def test_a_failed_guest_is_reported_with_what_it_left(perform: Callable[..., Answer], tmp_path: Path) -> None:
    def fail(plan: Plan, directory: Path, tell: Callable[[RunProgress], None]) -> dict[str, Any]:
        raise RunError(f"it failed\n  last lines of {directory}/raw/x.err:\n    no such file")

    answer = perform(fail)
    assert isinstance(answer, Failed)
    assert answer.error == f"it failed\n  last lines of {answer.directory}/raw/x.err:\n    no such file"
    unpack_directory(answer.left, tmp_path / "left")
    assert (tmp_path / "left" / "console.log").read_text() == "the kernel's last words"


def test_a_mistake_in_a_parser_fails_its_trial_and_names_the_place(perform: Callable[..., Answer]) -> None:
    def break_(plan: Plan, directory: Path, tell: Callable[[RunProgress], None]) -> dict[str, Any]:
        raise KeyError("rtt")

    answer = perform(break_)
    assert isinstance(answer, Failed)
    assert answer.error.startswith("KeyError: 'rtt'\n")
    assert ", in break_\n" in answer.error
    assert answer.error.endswith("console.log:\n    the kernel's last words")


def test_a_trial_that_nobody_waits_for_ends(perform: Callable[..., Answer]) -> None:
    asked = iter([False, True])

    def go_on(plan: Plan, directory: Path, tell: Callable[[RunProgress], None]) -> dict[str, Any]:
        for _ in range(3):
            tell(RunProgress(None, 0.0))
        raise AssertionError("it went on")

    with pytest.raises(worker.Unwanted):
        perform(go_on, unwanted=lambda: next(asked))


def built(sha256: str) -> Stack:
    """The code of a stack, as the cache has it."""
    return Stack("swp", Path("stack.squashfs"), sha256, "gcc", {})


def hashes_of_stacks(uses: Uses, machine: Machine) -> dict[str, str | None]:
    return {provenance.stack_entry(name): found.sha256 for name, found in machine.stacks.items()}


@pytest.mark.parametrize(
    ("cached", "here", "refused"),
    [("wanted", None, None), (None, "wanted", None), (None, "other", "other"), (None, None, None)],
)
def test_a_plan_with_code_runs_with_that_code(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cached: str | None,
    here: str | None,
    refused: str | None,
) -> None:
    """From the cache, by its hash; else from this worker's own checkout, if that comes to the same."""
    ran: list[dict[str, Stack]] = []

    def run_plan(plan: Plan, machine: Machine, directory: Path, tell: object) -> Any:
        ran.append(dict(machine.stacks))
        return SimpleNamespace(data={}, wall={"wall_s": 0.25})

    def with_stacks(machine: Machine, stacks: list[Path], report: object) -> Machine:
        return replace(machine, stacks={"swp": built(here or "")})

    empty: Any = None
    monkeypatch.setattr(worker, "machine_here", lambda: Machine(empty, empty, empty, empty))
    monkeypatch.setattr(provenance, "hashes", hashes_of_stacks)
    monkeypatch.setattr(worker, "built_stack", lambda name, sha256: built(cached) if cached == sha256 else None)
    monkeypatch.setattr(library, "code_called", lambda name: Path("workloads/swp") if here else None)
    monkeypatch.setattr(runs, "with_stacks", with_stacks)
    monkeypatch.setattr(runs, "run_plan", run_plan)
    plan = json.dumps({**json.loads(PLAN), "stack": "swp"})
    answer = worker.perform(plan, {"stack swp": "wanted"}, "w1", tmp_path)
    if "wanted" in (cached, here):
        assert isinstance(answer, Finished) and ran == [{"swp": built("wanted")}]
    else:
        assert answer == Refused("w1", {"stack swp": ("wanted", refused)}) and not ran


def test_a_worker_finds_what_lies_next_to_the_workloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "probes").mkdir()
    here = SimpleNamespace(get_current_task=lambda: "task", address="w1", local_directory=str(tmp_path))
    monkeypatch.setattr("distributed.worker.get_worker", lambda: here)
    monkeypatch.setattr(library, "_remembered", {})
    found: list[Path] = []
    monkeypatch.setattr(worker, "perform", lambda *_: found.extend(library.folders_with_code()))
    worker.work(PLAN, HASHES, [str(tmp_path)])
    assert found == [tmp_path]
