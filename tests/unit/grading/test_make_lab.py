# SPDX-License-Identifier: MIT
"""``make lab EXERCISE=ID``: the student's folder is made once, its task is printed, its solution runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from lab.checkout import CHECKOUT

LAB = """\
#!/bin/sh
echo "lab $*"
if [ "$2" = start ]; then mkdir -p "$4" && echo "the task of $3" >"$4/task.md"; else exit 1; fi
"""


def test_it_starts_an_exercise_once_prints_the_task_and_runs_the_solution(tmp_path: Path) -> None:
    fake = tmp_path / ".venv" / "bin" / "lab"
    fake.parent.mkdir(parents=True)
    fake.write_text(LAB)
    fake.chmod(0o755)

    def make() -> subprocess.CompletedProcess[str]:
        makefile = (CHECKOUT / "Makefile").read_text()
        (tmp_path / "Makefile").write_text(makefile.replace("lab: bootstrap", "lab:"))
        scripts = tmp_path / "scripts"
        if not scripts.exists():
            os.symlink(CHECKOUT / "scripts", scripts)
        command = ["make", "--no-print-directory", "lab", "EXERCISE=hidden-node"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    first, second = make(), make()
    assert first.stdout.splitlines() == [
        "lab exercise start hidden-node exercises/hidden-node",
        "the task of hidden-node",
        "lab exercise run exercises/hidden-node",
    ]
    assert second.stdout == first.stdout.partition("\n")[2]
    assert first.returncode == second.returncode == 2  # the solution does not pass
