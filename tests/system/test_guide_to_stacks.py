# SPDX-License-Identifier: MIT
"""The stack of docs/extend/stack.md, written exactly as it says there: from the program to the figure."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab import runs
from lab.checkout import CHECKOUT
from tests.shown.document import Command, File, parse
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest
STACK = "workloads/udp-echo/"


@pytest.fixture
def shown(tmp_path: Path, machine: runs.Machine) -> list[Command]:
    """Write the files of the stack that are shown; returns the commands that are."""
    parts = parse((CHECKOUT / "docs" / "extend" / "stack.md").read_text())
    for part in parts:
        if isinstance(part, File) and part.name.startswith(STACK):
            (tmp_path / part.name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / part.name).write_text(part.text)
    return [part for part in parts if isinstance(part, Command) and any("udp-echo" in word for word in part.argv)]


def numbers(line: str) -> list[str]:
    return re.findall(r"[\d.]+", line)


def test_the_stack_of_the_guide_comes_to_its_figure(shown: list[Command], tmp_path: Path) -> None:
    run, reproduce = shown
    said = lab(*run.argv[1:], cwd=tmp_path).stdout
    (row,) = [line for line in run.shown if "answer-time" in line]
    assert row.split() in [line.split() for line in said.splitlines()], "docs/extend/stack.md shows other numbers"
    page = (tmp_path / "runs" / "latest" / "report.html").read_text()
    assert "Answers took up to 40.04 ms" in page and "longest answer-time" in page, "the view draws it"

    said = lab(*reproduce.argv[1:], "--fresh", "--out", "out", cwd=tmp_path).stdout
    assert "All 2 claims hold, after 6 trials" in said
    means = {
        row["delay"]: row["answer-time"] for row in json.loads((tmp_path / "out" / "results.json").read_text())["rows"]
    }
    assert {delay: cell["n"] for delay, cell in means.items()} == {"5 ms": 2, "20 ms": 2, "50 ms": 2}
    for delay, cell in means.items():
        (line,) = [line for line in reproduce.shown if line.strip().startswith(f"{delay} ")]
        assert float(numbers(line)[1]) == pytest.approx(cell["mean"], rel=0.001)  # late digits: make docs
        assert 0 < cell["mean"] - (10 + 2 * int(delay.split()[0])) < 0.1, "both links, there and back"
    figure = (tmp_path / "out" / "figure-1.svg").read_text()
    assert "<svg" in figure and "answer" in figure and "n = 2" in figure


def test_its_tests_run(shown: list[Command], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", STACK],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_a_broken_file_of_it_concerns_only_who_uses_it(shown: list[Command], tmp_path: Path) -> None:
    (tmp_path / STACK / "metrics" / "answer_time.py").write_text("import nowhere\n")
    refused = lab("show", "wired-pair", "udp-echo/ask", cwd=tmp_path, status=2)
    assert refused.stderr == (
        "lab: workloads/udp-echo/metrics/answer_time.py:1  cannot be imported: ModuleNotFoundError: No module named "
        "'nowhere'\n  the file is part of the stack udp-echo (metrics/answer-time); LAB_TRACEBACK=1 before the command "
        "shows the whole traceback\n"
    )
    assert json.loads(lab("list", "metrics", "--json", cwd=tmp_path).stdout)["metrics"]["answer-time"].startswith(
        "cannot be used: workloads/udp-echo/metrics/answer_time.py:1"
    )
    assert "The check passed" in lab("run", "wired-pair", "ping/ping", "--set", "duration=2 s", cwd=tmp_path).stdout
