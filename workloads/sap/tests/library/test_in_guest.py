# SPDX-License-Identifier: MIT
"""Where tests that need UDP-Lite run: the same ones everywhere, with the guest's verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from workloads.sap.tests.library import in_guest, native

TESTS = native.STACK / "tests"


def collected(**environment: str) -> list[str]:
    """Names of all tests of this stack."""
    argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", str(TESTS)]
    done = subprocess.run(
        argv,
        capture_output=True,
        text=True,
        cwd=native.PROJECT,
        env={**os.environ, "PYTEST_ADDOPTS": "", **environment},  # -v has another form
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_no_test_vanishes_without_udplite() -> None:
    names = collected()
    assert any("test_engine" in name for name in names)
    assert names == collected(**{native.WITHOUT_UDPLITE: "1"})


INNER = """\
import socket
from pathlib import Path

def test_has_udplite():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136).close()
    assert "time-travel=inf-cpu" in Path("/proc/cmdline").read_text()

def test_fails(tmp_path):
    assert str(tmp_path).startswith("/run/") and 1 == 2
"""


@pytest.mark.guest
def test_the_guest_says_which_tests_fail(tmp_path: Path) -> None:
    inner = tmp_path / "test_inner.py"
    inner.write_text(INNER)
    reported = in_guest.outcomes([str(inner)], tmp_path)
    assert reported.keys() == {"test_has_udplite", "test_fails"}
    assert reported["test_has_udplite"] == "" and "assert (True and 1 == 2)" in reported["test_fails"]


@pytest.mark.guest
def test_a_guest_that_runs_no_test_is_an_error(tmp_path: Path) -> None:
    """As when Python cannot start there: the log says why."""
    with pytest.raises(pytest.fail.Exception, match=r"did not finish its tests:\n[^$]*No module named pytest"):
        in_guest.outcomes([], tmp_path, python=("/usr/bin/python3", "-S", "-I"))


def test_a_test_fails_here_if_it_failed_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked: list[list[str]] = []

    def outcomes(nodeids: list[str], _: Path) -> dict[str, str]:
        asked.append(nodeids)
        return {"test_a": "", "test_b": "1 is not 2"}

    monkeypatch.setattr(in_guest, "outcomes", outcomes)
    diverted = in_guest.Diverted()
    diverted.nodeids = ["x.py::test_a", "x.py::test_b", "x.py::test_c", "x.py::not_chosen"]
    items: list[Any] = [SimpleNamespace(name=name, nodeid=f"x.py::{name}") for name in ("test_a", "test_b", "test_c")]
    for item in items:
        item.session = SimpleNamespace(items=items)
    diverted.run(items[0], tmp_path_factory)
    with pytest.raises(pytest.fail.Exception, match="in the guest:\n1 is not 2"):
        diverted.run(items[1], tmp_path_factory)
    with pytest.raises(pytest.fail.Exception, match="the guest did not run this test"):
        diverted.run(items[2], tmp_path_factory)
    assert asked == [["x.py::test_a", "x.py::test_b", "x.py::test_c"]]
