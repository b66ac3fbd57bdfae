# SPDX-License-Identifier: MIT
"""What a run is made of: the code that makes its record, and hashes of several runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.build.stack.stack import Stack
from lab.errors import BuildError
from lab.machine.guest_code import Bundle
from lab.machine.machine import Machine
from lab.machine.uses import Uses
from lab.plan.load import load
from lab.runs import made_of


class Part:
    """Of a machine that boots nothing."""

    sha256 = package_sha256 = series_sha256 = release = package_version = "1"
    packages: dict[str, str] = {}  # noqa: RUF012  # never changed

    def bundle(self, uses: Uses) -> Bundle:
        return Bundle(Path(), f"code for {uses.events}")


def machine(**stacks: Stack) -> Machine:
    part: Any = Part()
    return Machine(part, part, part, part, stacks)


def of(workload: str, topology: str = "one-ap", *settings: str) -> Uses:
    return Uses.of(load(topology, workload, 1, settings))


PING = of("ping/ping")


def test_a_record_is_made_by_the_probes_and_metrics_of_its_plan() -> None:
    files = made_of.recording_files(PING)
    own = {"lab/probes/ping.py", "lab/metrics/rtt.py", "lab/metrics/loss.py"}
    assert own <= files.keys()
    named = {name for name in files if name.startswith(("lab/probes/", "lab/metrics/"))}
    helpers = {name for name in named if Path(name).name.startswith(("_", "base."))}
    assert named - helpers == own
    assert {"lab/record/build.py", "lab/record/figures.py", "lab/expressions/expression.py"} <= files.keys()


def test_what_shows_results_makes_none() -> None:
    rooms = {Path(name).parts[1] for name in made_of.recording_files(PING)}
    assert rooms.isdisjoint({"cli", "report", "show", "experiments", "plan", "machine", "runs", "guest", "phy"})


def test_the_hash_of_code_is_of_the_guests_and_of_what_records() -> None:
    found = made_of.hashes(PING, machine())["code"]
    assert found == made_of.hashes(PING, machine())["code"]
    assert made_of.hashes(of("idle"), machine())["code"] != found  # no probe, no metric
    event = of("idle", "one-ap", "workload.timeline=[{at: 1 s, exec: sta1, run: [ls]}]")
    assert made_of.hashes(event, machine())["code"] != made_of.hashes(of("idle"), machine())["code"]


def test_a_plan_is_run_with_the_code_of_its_own_stack() -> None:
    built = {name: Stack(name, Path(), f"of {name}", "gcc", {}) for name in ("sap", "other")}
    uses = Uses((), (), (), (), "sap", False)
    assert made_of.hashes(uses, machine(**built))["stack sap"] == "of sap"
    assert "stack other" not in made_of.hashes(uses, machine(**built))
    assert made_of.versions(uses, machine(**built))["stack sap"] == "gcc"
    assert made_of.hashes(uses, machine())["stack sap"] is None  # a worker that does not have it
    with pytest.raises(BuildError, match="needs the code of the stack sap"):
        machine().stack(uses)


def test_hashes_of_several_plans_as_those_of_one() -> None:
    first: dict[str, str | None] = {"kernel": "k", "code": "1"}
    second: dict[str, str | None] = {"kernel": "k", "code": "2", "stack sap": "s"}
    both = made_of.together([first, second])
    assert (both["kernel"], both["stack sap"]) == ("k", "s")
    assert both["code"] not in ("1", "2")
    assert made_of.together([second, first, first]) == both
    assert made_of.together([first]) == first


def stack_file(path: str, text: str) -> Path:
    """A file of a stack in the current directory."""
    file = Path("workloads") / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_file_named_after_a_metric_counts_though_its_class_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stack_file("tea/metrics/_kind.py", "from lab.metrics.base import Metric\nclass Kind(Metric):\n    factor = 0\n")
    named = stack_file("tea/metrics/leaves.py", "from ._kind import Kind\nMETRIC = Kind()\n")
    files = made_of.recording_files(replace(PING, metrics=("leaves",)))
    assert files["tea/metrics/leaves.py"] == named.read_bytes() and "tea/metrics/_kind.py" in files


def test_a_stack_may_lie_in_two_folders_and_have_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stack = "sap"
    stack_file(f"{stack}/metrics/mine.py", "from ._helper import Kind\nMETRIC = Kind()\n")
    stack_file(f"{stack}/metrics/_helper.py", "from lab.metrics.base import Metric\nclass Kind(Metric):\n    pass\n")
    (tmp_path / "elsewhere.py").write_text("from ._helper import Kind\nMETRIC = Kind()\n")
    Path(f"workloads/{stack}/metrics/linked.py").symlink_to(tmp_path / "elsewhere.py")
    files = made_of.recording_files(
        replace(PING, probes=("ping", "sap-streamer"), metrics=("mine", "linked"), stack=stack)
    )
    own = {f"{stack}/metrics/mine.py", f"{stack}/metrics/linked.py", f"{stack}/metrics/_helper.py"}
    assert own | {f"{stack}/probes/sap_streamer.py"} <= files.keys()
