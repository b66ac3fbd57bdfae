# SPDX-License-Identifier: MIT
"""What the soak says of runs of a stand-in for the lab."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bench import soak
from bench.soak import Good, Soak, descendants

PAIR = ("place", "work")
LAB = f"""#!{sys.executable}
import pathlib, sys, time
out = pathlib.Path(sys.argv[5])
(out / "raw").mkdir(parents=True)
"""
PASSES = '(out / "raw" / "ping.out").write_text("3 received"); (out / "record.json").touch(); print("passed")'


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Soak:
    monkeypatch.setattr(soak, "LAB", str(tmp_path / "lab"))
    monkeypatch.setattr(soak, "GONE_WITHIN_S", 0.2)
    (tmp_path / "runs").mkdir()
    return Soak(tmp_path / "runs", random.Random(1), False, 0)


def run(made: Soak, program: str, fault: str = "no fault", good: Good | None = None, whole_s: float = 0.2) -> Good:
    """Run the stand-in once, and have it judged against ``good``."""
    lab = made.root.parent / "lab"
    lab.write_text(LAB + program + "\n")
    lab.chmod(0o755)
    status, out, printed = made.run(PAIR, fault, whole_s)
    if good is not None:
        made.judge(PAIR, fault, status, out, printed, good)
    return Good(status or 0, out, 0.2)


def test_a_run_with_the_same_bytes_is_right(made: Soak) -> None:
    good = run(made, PASSES)
    run(made, PASSES, "no fault", good)
    run(made, PASSES, "SIGINT", good, whole_s=1e6)
    assert made.found == []
    assert made.outcomes == {"no fault: as without a fault": 1, "SIGINT: too late": 1}


def test_a_run_that_says_why_it_failed_is_right(made: Soak) -> None:
    good = run(made, PASSES)
    run(made, 'sys.exit("lab: the guest was killed")', "SIGTERM", good)
    run(made, "time.sleep(60)", "SIGKILL of the lab", good)
    assert made.found == []


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (PASSES.replace("3", "2"), "verdict 0 instead of 0; differing: ['ping.out']"),
        (PASSES + "; sys.exit(1)", "verdict 1 instead of 0"),
        ("sys.exit(2)", "failed without a word"),
        ("raise ValueError", "a traceback"),
        ("print('done')", "passed without a record"),
    ],
)
def test_what_is_wrong_is_found(made: Soak, program: str, wrong: str) -> None:
    good = run(made, PASSES)
    run(made, program, "no fault", good)
    assert len(made.found) == 1 and wrong in made.found[0], made.found


def test_what_is_left_is_found(made: Soak) -> None:
    good = run(made, PASSES)
    scratch = Path(tempfile.mkdtemp(prefix="hwsim-lab-", dir="/tmp"))
    try:
        (scratch / "run").symlink_to(made.root / "1")
        run(made, PASSES, "no fault", good)
    finally:
        shutil.rmtree(scratch)
    assert made.found == [f"2: place work, no fault: left {scratch}"]


def test_processes_below_another_one() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"]) as shell:
        try:
            while not descendants(shell.pid):
                pass
            (below,) = descendants(shell.pid)
            assert "sleep 60" in soak.command_of(below)
        finally:
            os.kill(descendants(shell.pid)[0], 9)
