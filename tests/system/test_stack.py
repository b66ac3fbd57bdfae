# SPDX-License-Identifier: MIT
"""Code of a stack runs in the guest: programs, libraries, a plugin for the guest's own lighttpd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab import library, runs
from lab.cache.report import SilentReport
from lab.checkout import CHECKOUT
from lab.errors import BuildError
from lab.plan.load import load
from lab.record import Record
from tests import stored

pytestmark = pytest.mark.guest
STACKS = CHECKOUT / "tests" / "fixtures" / "stack" / "workloads"
Run = Callable[..., Record]


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine) -> Run:
    """Run a workload of the stacks that come with the tests."""

    def of(workload: str, name: str = "run") -> Record:
        path = str(STACKS / workload)
        plan = load("wired-pair", path)
        code = library.code_of(path, plan.stack)
        assert code is not None
        directory = tmp_path / name
        directory.mkdir()
        own = runs.with_stacks(machine, [code], SilentReport())
        return stored.run_plan(plan, own, directory)

    return of


def test_programs_find_each_other_and_the_guests_c_library(run: Run, machine: runs.Machine) -> None:
    record = run("greeting/greet.yaml")
    libc = machine.image.packages["libc6"].split("-")[0]
    ready, greeting = (record.directory / "raw" / "serve.out").read_text().splitlines()
    assert ready == f"ready: /opt/greeting/bin/greet, libc {libc}"
    assert greeting == "hello from the stack"
    assert record.passed


def test_the_record_names_the_build(run: Run, machine: runs.Machine) -> None:
    record = run("greeting/greet.yaml")
    code = library.code_of(str(STACKS / "greeting" / "greet.yaml"), None)
    assert code is not None
    (built,) = runs.with_stacks(machine, [code], SilentReport()).stacks.values()
    assert record.data["hashes"]["stack greeting"] == built.sha256
    assert record.data["versions"]["stack greeting"] == built.compiler


def test_equal_runs_have_equal_bytes(run: Run) -> None:
    first, second = run("greeting/greet.yaml", "first"), run("greeting/greet.yaml", "second")
    assert first.data == second.data
    assert (first.directory / "guest.json").read_bytes() == (second.directory / "guest.json").read_bytes()


def test_nodes_see_it_read_only(run: Run) -> None:
    touched, seen = (event["output"] for event in run("greeting/look.yaml").data["events"])
    assert touched.strip() == "touch: cannot touch '/opt/greeting/bin/greet': Read-only file system"
    assert seen.splitlines() == ["/opt/greeting/bin/greet 0 0", "/opt/greeting/lib/libgreeting.so 0 0"]


def test_a_stack_has_the_code_of_another_one(run: Run, machine: runs.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(STACKS.parent)
    record = run("polite/talk.yaml")
    assert record.passed
    assert (record.directory / "raw" / "polite.out").read_text() == "hello from the stack, please\n"
    assert (record.directory / "raw" / "serve.out").read_text().endswith("\nhello from the stack\n")
    touched, variables, files = (event["output"] for event in record.data["events"])
    assert "Read-only file system" in touched
    path, libraries, modules = variables.split()
    assert path.startswith("/opt/polite/bin:/opt/greeting/bin:/usr/")
    assert libraries == "/opt/polite/lib:/opt/greeting/lib"
    assert modules == "/opt/polite/lib/python3:/opt/greeting/lib/python3"
    assert sorted(files.split()) == [
        "/opt/greeting/bin/greet",
        "/opt/greeting/lib/libgreeting.so",
        "/opt/polite/bin/polite",
    ]
    assert "stack polite" in record.data["hashes"] and "stack greeting" not in record.data["hashes"]
    assert "stack polite" in record.data["versions"]
    again = run("polite/talk.yaml", "again")
    assert again.data == record.data


def test_it_is_linked_with_the_guests_c_library(tmp_path: Path, machine: runs.Machine) -> None:
    code = tmp_path / "workloads" / "newer"
    code.mkdir(parents=True)
    (code / "Makefile").write_text("install: newer\n\tinstall -D newer $(DESTDIR)$(PREFIX)/bin/newer\n")
    # strlcpy is in the C library since 2.38, Debian 12 has 2.36
    program = (
        "#include <string.h>\nint main(int argc, char **argv) { char to[9]; return strlcpy(to, argv[0], argc); }\n"
    )
    (code / "newer.c").write_text(program)
    assert "newer" in runs.with_stacks(machine, [code], SilentReport()).stacks


def test_cxx_is_the_guests(tmp_path: Path, machine: runs.Machine) -> None:
    """A host may have no C++ compiler, and its library is another one: std::print came with that of Debian 13."""
    code = tmp_path / "workloads" / "plus"
    code.mkdir(parents=True)
    (code / "build-packages").write_text("g++\n")
    install = "\tinstall -D plus $(DESTDIR)$(PREFIX)/bin/plus\n"
    (code / "Makefile").write_text("CXXFLAGS := -std=c++23\nplus: plus.cc\ninstall: plus\n" + install)
    (code / "plus.cc").write_text('#include <print>\nint main() { std::println("{} {}", "C++", __GNUC__); }\n')
    process = "{on: server, run: [/opt/plus/bin/plus], as: say}"
    (code / "say.yaml").write_text(f"name: say\nduration: 1 s\nroles: {{server: 1}}\nprocesses: [{process}]\n")
    plan = load("wired-pair", str(code / "say.yaml"))
    own = runs.with_stacks(machine, [code], SilentReport())
    (tmp_path / "run").mkdir()
    record = stored.run_plan(plan, own, tmp_path / "run")
    assert (record.directory / "raw" / "say.out").read_text() == "C++ 14\n"
    (code / "build-packages").unlink()
    with pytest.raises(BuildError, match=r"C\+\+ needs a compiler: list g\+\+ in build-packages"):
        runs.with_stacks(machine, [code], SilentReport())


def test_a_plugin_of_the_guests_lighttpd(run: Run) -> None:
    record = run("plugin/page.yaml")
    answer = (record.directory / "raw" / "fetch.out").read_text()
    assert "\nX-Fixture: 10.0.0.2 /page.txt\n" in answer.replace("\r", "")
    assert answer.endswith("\na page\n")
    assert record.data["versions"]["stack plugin"].endswith(
        f"; source of lighttpd {record.data['versions']['packages']['lighttpd']}"
    )
