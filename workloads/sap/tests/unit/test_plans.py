# SPDX-License-Identifier: MIT
"""The stack of a plan: what a workload says, or the folder around it; and probes that need one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab import library
from lab.errors import InputError
from lab.experiments.file import resolve
from lab.experiments.run import engine, trials
from lab.experiments.types import Point
from lab.library import folders
from lab.plan.load import code_of, load
from lab.runs.dry_run import commands
from lab.runs.recording import recording
from lab.shared.types import Plan
from tests.refused import refused
from tests.unit.plan.conftest import TOPOLOGY, WORKLOAD, Plans
from tests.unit.runs.test_recording import PING, stack_file

SAID = f"{WORKLOAD}stack: sap\n"
SAP = folders("workload")[-1] / "sap"


def refusal(plans: Plans, workload: str, settings: list[str] | None = None) -> str:
    return refused(plans, workload=workload, overrides=settings or [])


def test_a_workload_says_its_stack(plans: Plans) -> None:
    assert plans(workload=SAID).stack == "sap"
    assert plans(overrides=["stack=sap"]).stack == plans(overrides=["workload.stack=sap"]).stack == "sap"


def test_a_plan_without_a_stack_does_not_mention_it(plans: Plans) -> None:
    without = plans()
    assert without.stack is None and '"stack"' not in without.to_json()
    said = plans(workload=SAID).to_json()
    assert said.replace('  "stack": "sap",\n', "") == without.to_json()


def test_an_unknown_stack_is_reported_with_the_known(plans: Plans) -> None:
    reported = 'stack: "spa" is not a stack with code (did you mean sap?)\n  known: '
    reported += ", ".join(sorted(library._stacks()))
    assert refusal(plans, f"{WORKLOAD}stack: spa\n") == f"w.yaml:4  {reported}"
    assert refusal(plans, WORKLOAD, ["stack=spa"]) == f"--set stack=spa  {reported}"


def test_it_is_reported_with_the_other_mistakes(plans: Plans) -> None:
    text = f"{WORKLOAD}stack: spa\nfiles:\n  a: {{on: client, path: /a, from: none.txt}}\n"
    reported = refusal(plans, text)
    assert (
        "w.yaml:6  files.a.from: none.txt cannot be read" in reported
        and 'w.yaml:4  stack: "spa" is not a stack with code' in reported
    )


def test_a_workload_of_a_stack_has_no_other(plans: Plans) -> None:
    plans()  # leaves t.yaml here
    place = Path("workloads/web")
    place.mkdir(parents=True)
    (place / "get.yaml").write_text(SAID)
    assert load("t.yaml", "web/get").stack == "sap"  # a folder without code
    (place / "Makefile").write_text("install:\n")
    assert refused(load, "t.yaml", "web/get") == (
        "workloads/web/get.yaml:4  stack: a workload in workloads/web has the code of web\n"
        "  remove stack:; to use sap as well, write sap into workloads/web/stacks"
    )


def test_a_probe_of_another_stack_is_refused(plans: Plans) -> None:
    (stack := Path("workloads/mine")).mkdir(parents=True, exist_ok=True)
    (stack / "Makefile").write_text("install:\n")
    text = f"{WORKLOAD}stack: mine\nprobes:\n  - {{on: client, probe: sap-stream-sink}}\n"
    assert refusal(plans, text) == (
        "w.yaml:6  probes.0.probe: the program of sap-stream-sink is part of the stack sap, but this workload has the "
        "stack mine; write stack: sap instead of mine, or write sap into workloads/mine/stacks"
    )
    (stack / "send.yaml").write_text(text.replace("stack: mine\n", ""))
    assert refused(load, "t.yaml", "mine/send").endswith("has the stack mine; write sap into workloads/mine/stacks")
    (stack / "stacks").write_text("sap\n")
    plan = load("t.yaml", "mine/send")
    assert plan.processes[0].probe == "sap-stream-sink" and plan.stacks() == ["mine", "sap"]


def test_a_plan_has_the_stacks_that_its_stack_uses(plans: Plans) -> None:
    (stack := Path("workloads/mine")).mkdir(parents=True)
    (stack / "Makefile").write_text("install:\n")
    (stack / "stacks").write_text("sap # libsap\n")
    text = f"{WORKLOAD}stack: mine\n"
    plan = plans(workload=text)
    assert (plan.stack, plan.used_stacks) == ("mine", ["sap"])
    assert Plan.from_json(plan.to_json()) == plan
    (stack / "stacks").unlink()
    alone = plans(workload=text)
    assert trials.key(plan.to_json(), {}) != trials.key(alone.to_json(), {})


def test_other_plans_are_the_same_bytes_as_before_stacks_could_use_others(plans: Plans) -> None:
    """So trials that are stored remain valid."""
    for text in (WORKLOAD, SAID):
        plan = plans(workload=text)
        assert plan.used_stacks == [] and "used_stacks" not in plan.to_json()
        assert Plan.from_json(plan.to_json()).to_json() == plan.to_json()


def test_a_mistake_in_a_list_of_stacks_is_reported_at_its_line(plans: Plans) -> None:
    (stack := Path("workloads/mine")).mkdir(parents=True)
    (stack / "Makefile").write_text("install:\n")
    (stack / "stacks").write_text("\nspa\n")
    reported = 'workloads/mine/stacks:2  "spa" is not a stack with code (did you mean sap?)\n  known: '
    assert refusal(plans, f"{WORKLOAD}stack: mine\n") == reported + ", ".join(sorted(library._stacks()))


def test_points_of_an_experiment_have_the_stacks_of_their_settings(plans: Plans) -> None:
    plans(TOPOLOGY, WORKLOAD)
    points = [
        Point(number, {}, "t.yaml", "w.yaml", settings)
        for number, settings in enumerate([(), ("duration=1 s",), ("workload.stack=sap",)])
    ]
    assert engine.stacks_of(points[:2]) == set()
    assert engine.stacks_of(points[:3]) == {SAP}
    assert code_of("t.yaml", "w.yaml", ["stack=sap"]) == SAP


def module(name: str) -> Path:
    """A kernel module of a stack in the current directory."""
    folder = Path("workloads/mine/modules") / name
    folder.mkdir(parents=True)
    (folder / "Makefile").write_text(f"obj-m += {name}.o\n")
    return folder.resolve()


def test_a_workload_names_kernel_modules(plans: Plans) -> None:
    assert '"modules"' not in plans().to_json()
    module("one")
    module("two")
    assert plans(workload=f"{WORKLOAD}modules: [two, one]\n").modules == ["one", "two"]
    assert plans(overrides=["modules=one"]).modules == ["one"]


def test_an_unknown_kernel_module_is_reported_with_the_known(plans: Plans) -> None:
    plans()
    module("tcp-one")
    reported = refusal(plans, f"{WORKLOAD}modules: [tcp-one, tcp-on]\n")
    assert reported == (
        'w.yaml:4  modules.1: unknown kernel module "tcp-on" (did you mean tcp-one?): no '
        "workloads/*/modules/tcp-on with a Makefile\n  known: tcp-one"
    )


def test_all_points_of_an_experiment_have_the_same_kernel_modules(plans: Plans) -> None:
    folder = module("one")
    plans(workload=f"{WORKLOAD}modules: [one]\n")
    Path("none.yaml").write_text(WORKLOAD)
    first, second, third = (
        Point(number, {}, "t.yaml", workload, tuple(settings), {})
        for number, (workload, settings) in enumerate(
            [("w.yaml", []), ("none.yaml", ["modules=one"]), ("none.yaml", ["duration=9s"])]
        )
    )
    assert engine.modules_of_all([first, second]) == {"one": folder}
    with pytest.raises(InputError, match="points of an experiment need different kernel modules: one; none"):
        engine.modules_of_all([first, third])


def test_the_stack_here_comes_before_the_labs_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("name: mine\n")
    assert library.code_of("mine.yaml", "sap") == SAP
    own = tmp_path / "workloads" / "sap"
    own.mkdir(parents=True)
    (own / "Makefile").write_text("install:\n")
    assert library.code_of("mine.yaml", "sap") == own


def test_a_workload_anywhere_says_its_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.yaml").write_text("name: there\nduration: 1 s\nstack: sap\n")
    plan = load("wired-pair", "w.yaml")
    lines = commands(plan, library.code_of("w.yaml", plan.stack))
    assert lines[1].startswith("# workloads/sap, unless it is built: ")
    (boot,) = [line for line in lines if line.startswith("KERNEL ")]
    assert "hostrom=SCRATCH/stack/stack.squashfs" in boot.split()


def test_a_probe_without_a_pace() -> None:
    lines = commands(load("approximate-link", "sap/stream"))
    start = lines.index("# in sta1, as stream")
    assert lines[start + 1].startswith("sap-streamer send ")


def test_programs_find_a_stack_where_it_says() -> None:
    lines = commands(load("approximate-link", "sap/stream"))
    assert "export LD_LIBRARY_PATH=/opt/sap/lib" in lines and "export PYTHONPATH=/opt/sap/lib/python3" in lines
    assert any(line.startswith("export PATH=/opt/sap/bin:/usr/local/sbin:") for line in lines)


def test_a_stack_may_lie_in_two_folders_and_have_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stack = "sap"
    stack_file(f"{stack}/metrics/mine.py", "from ._helper import Kind\nclass Own(Kind): pass\n")
    stack_file(f"{stack}/metrics/_helper.py", "from lab.metrics.base import Metric\nclass Kind(Metric):\n    pass\n")
    (tmp_path / "elsewhere.py").write_text("from ._helper import Kind\nclass Own(Kind): pass\n")
    Path(f"workloads/{stack}/metrics/linked.py").symlink_to(tmp_path / "elsewhere.py")
    files = recording(replace(PING, probes=("ping", "sap-streamer"), metrics=("mine", "linked"), stack=stack)).files
    own = {f"{stack}/metrics/mine.py", f"{stack}/metrics/linked.py", f"{stack}/metrics/_helper.py"}
    assert own | {f"{stack}/probes/sap_streamer.py"} <= files.keys()


@pytest.mark.parametrize("name", ["table1", "fig5", "fig6", "outliers"])
def test_no_trial_is_left_out_because_a_request_failed(name: str) -> None:
    """A trial whose client exits with an error has no values, unless the client may do so."""
    experiment = resolve.load(f"sap/{name}")
    plans = [Plan.from_json(trials.trial(experiment, point, 0).plan) for point in experiment.points]
    clients = [process for plan in plans for process in plan.processes if process.id == "fetch"]
    assert len(clients) == len(plans) and not any(process.required for process in clients)
