# SPDX-License-Identifier: MIT
"""A stack is removed by ``rm -r workloads/<stack>``: no code names it, and in a copy tests of what is shipped pass."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab import library
from lab.checkout import CHECKOUT
from lab.errors import InputError
from lab.plan.load import load
from tests.shown.document import Command, parse

# folders of workloads with more than workloads and experiments
STACKS = sorted({path.parent.name for name in ("tests", "Makefile") for path in CHECKOUT.glob(f"workloads/*/{name}")})
CODE = (
    *(f"lab/**/*.{kind}" for kind in ("py", "j2", "csv", "c", "conf")),
    *("tests/**/*.py", "bench/**/*.py", "scripts/*", "ci/**/*", "docker/*", "Makefile"),
)
NOT_COPIED = ("build", "runs")  # what is built and run in a checkout
# what knows all that is shipped: files, lists, rooms, the reference, links and commands of documents, the kernel
TESTS = (
    "tests/unit/guest/test_medium_layers.py",
    "tests/unit/guest/test_medium_uapi.py",
    "tests/unit/machine/test_kernel_series.py",
    "tests/unit/plan/test_resolve.py::test_files_by_themselves",
    "tests/unit/reference",
    "tests/unit/test_docs.py",
    "tests/unit/test_list.py",
    "tests/unit/test_registry.py",
)
# What a stack could need of another one: its part of the kernel, its code, its documents. The rest of TESTS does not
# depend on which stacks are left; `make test-without-stacks` runs all tests without each.
NEEDED = (
    "tests/unit/machine/test_kernel_series.py::test_our_own_series_is_whole",
    "tests/unit/reference/test_schema.py::test_the_files_are_current",
    "tests/unit/test_docs.py::test_every_relative_link_leads_somewhere",
    "tests/unit/test_registry.py::test_every_file_follows_the_rule",
)
# with a stack, it loads all experiments of it
FIGURES = "tests/unit/experiments/test_shipped.py::test_the_documentation_has_no_figure_of_what_is_not_there"
# every workload of the copy resolves on the topology given for it, and without any stack every topology does
PLAN = """
import json, sys
from lab import library
from lab.plan.load import load

places = json.loads(sys.argv[1])
assert library.known("workload").keys() == places.keys()
for workload, topology in places.items():
    load(topology, workload)
for topology in library.known("topology") if sys.argv[2] == "all" else ():
    load(topology, "idle")
"""


@pytest.fixture(scope="module")
def places() -> dict[str, str]:
    """For each workload, a topology that it runs on, which does not depend on what else is there."""
    topologies = list(library.known("topology"))

    def fits(topology: str, workload: str) -> bool:
        try:
            return bool(load(topology, workload, draft=True))
        except InputError:
            return False

    return {
        workload: next(topology for topology in topologies if fits(topology, workload))
        for workload in library.known("workload")
    }


def named(stack: str, text: str) -> list[int]:
    """Return the lines that name a stack, also within a longer name."""
    word = re.compile(rf"(?<![a-z0-9]){stack.replace('-', '[-_]')}(?![a-z0-9])", re.IGNORECASE)
    return [number for number, line in enumerate(text.splitlines(), 1) if word.search(line)]


def test_names_in_a_text() -> None:
    text = "with_bits = 1\nrabbits, 8bits, Bitset\n'lab run x bits/get'\n" + "BITS"
    assert named("bits", text) == [1, 3, 4]
    assert named("tcp-bits", "from workloads import tcp_bits\ntcpbits") == [1]


@pytest.mark.parametrize("stack", STACKS)
def test_no_code_of_the_lab_names_a_stack(stack: str) -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}:{line}"
        for files in CODE
        for path in sorted(filter(Path.is_file, CHECKOUT.glob(files)))
        for line in named(stack, path.read_text())
    ]
    assert not found, "\n".join(["write it without the stack's name, or move it into the stack's folder:", *found])


def test_no_link_leads_from_the_lab_into_a_stack() -> None:
    links = [path for path in CHECKOUT.glob("[!.w]*/**/*") if path.is_symlink()]
    assert not [path for path in links if path.resolve().is_relative_to(CHECKOUT / "workloads")]


@pytest.mark.parametrize("stack", STACKS)
def test_no_command_of_the_documentation_needs_a_stack(stack: str) -> None:
    """Without the stack, ``make docs`` would not print what is shown; links to it become plain text."""
    documents = (CHECKOUT / "README.md", *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("docs/extend/*.md"))
    found = []
    for document in documents:
        for part in parse(document.read_text()):
            name, text, line = (
                (shlex.join(part.argv), "\n".join(part.shown), part.line)
                if isinstance(part, Command)
                else (part.name, part.text, 0)
            )
            if named(stack, f"{name}\n{text}"):
                found.append(f"{document.relative_to(CHECKOUT)}:{line}: {name}")
    assert not found, "\n".join(["show it in the stack's folder, or with a workload of the lab:", *found])


def with_users(stack: str) -> list[str]:
    """Return a stack and those that use it: they go with it."""
    uses = {name: {used.name for used in library.used_by(CHECKOUT / "workloads" / name)} for name in STACKS}
    return [stack, *(name for name in STACKS if stack in uses[name])]


# only these find what one stack needs of another; each takes a quarter of a minute
ONE = [pytest.param(with_users(stack), marks=pytest.mark.sweep, id="-".join(with_users(stack))) for stack in STACKS]


@pytest.mark.parametrize("removed", [*ONE, pytest.param(STACKS, id="all")])
def test_the_rest_stays_green(removed: list[str], places: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    copy.mkdir()
    for path in CHECKOUT.glob("[!.]*"):
        if path.is_file():
            shutil.copy(path, copy)
        elif path.name not in NOT_COPIED:
            shutil.copytree(path, copy / path.name, ignore=shutil.ignore_patterns("__pycache__"))
    for stack in removed:
        shutil.rmtree(copy / "workloads" / stack)
    left = {workload: topology for workload, topology in places.items() if workload.split("/")[0] not in removed}
    which, tests = ("all", [*TESTS, FIGURES]) if removed == STACKS else ("its", NEEDED)
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    for arguments in (["-c", PLAN, json.dumps(left), which], ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]):
        command = [sys.executable, *arguments]
        ran = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
