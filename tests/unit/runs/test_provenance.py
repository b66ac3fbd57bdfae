# SPDX-License-Identifier: MIT
"""What a run is made of: its hashes, and those of several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.builders.stack.stack import Stack
from lab.errors import BuildError
from lab.machine.guest_code import Bundle
from lab.machine.machine import Machine
from lab.machine.uses import Uses
from lab.plan.load import load
from lab.runs import provenance


class Part:
    """Of a machine that boots nothing."""

    sha256 = package_sha256 = series_sha256 = release = package_version = "1"
    tested = True
    parts = ("own", "stack")
    packages: dict[str, str] = {}  # noqa: RUF012  # never changed

    def bundle(self, uses: Uses) -> Bundle:
        return Bundle(Path(), f"code for {uses.events}")


def machine(**stacks: Stack) -> Machine:
    part: Any = Part()
    return Machine(part, part, part, part, stacks)


def of(workload: str, topology: str = "one-ap", *settings: str) -> Uses:
    return Uses.of(load(topology, workload, 1, settings))


PING = of("ping/ping")


def test_the_hash_of_code_is_of_the_guests_and_of_what_records() -> None:
    found = provenance.hashes(PING, machine())["code"]
    assert found == provenance.hashes(PING, machine())["code"]
    assert provenance.hashes(of("idle"), machine())["code"] != found  # no probe, no metric
    event = of("idle", "one-ap", "workload.timeline=[{at: 1 s, exec: sta1, run: [ls]}]")
    assert provenance.hashes(event, machine())["code"] != provenance.hashes(of("idle"), machine())["code"]


def test_a_plan_is_run_with_the_code_of_its_own_stack() -> None:
    built = {name: Stack(name, Path(), f"of {name}", "gcc", {}) for name in ("swp", "other")}
    uses = Uses((), (), (), (), "swp", False)
    assert provenance.hashes(uses, machine(**built))["stack swp"] == "of swp"
    assert "stack other" not in provenance.hashes(uses, machine(**built))
    assert provenance.versions(uses, machine(**built))["stack swp"] == "gcc"
    assert provenance.hashes(uses, machine())["stack swp"] is None  # a worker that does not have it
    with pytest.raises(BuildError, match="needs the code of the stack swp"):
        machine().stack(uses)


def test_the_record_has_the_parts_of_the_kernel() -> None:
    assert provenance.versions(PING, machine())["kernel_parts"] == ("own", "stack")


def test_the_record_says_that_a_kernel_is_not_tested() -> None:
    changed = machine()
    assert "kernel_tested" not in provenance.versions(PING, changed)
    kernel: Any = changed.kernel
    kernel.tested = False
    assert provenance.versions(PING, changed)["kernel_tested"] == "no"


def test_hashes_of_several_plans_as_those_of_one() -> None:
    first: dict[str, str | None] = {"kernel": "k", "code": "1"}
    second: dict[str, str | None] = {"kernel": "k", "code": "2", "stack swp": "s"}
    both = provenance.combined([first, second])
    assert (both["kernel"], both["stack swp"]) == ("k", "s")
    assert both["code"] not in ("1", "2")
    assert provenance.combined([second, first, first]) == both
    assert provenance.combined([first]) == first
