# SPDX-License-Identifier: MIT
"""``lab run`` as a user runs it: what it prints, what it leaves, its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lab import runs

pytestmark = pytest.mark.guest

LAB = Path(sys.executable).parent / "lab"


def lab(*arguments: str, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run ``lab`` in wide lines; its exit status must be ``status``, and it must not show a traceback."""
    result = subprocess.run(
        [str(LAB), *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    for space in ("\u00a0", "\u202f"):  # in numbers and between number and unit
        result.stdout = result.stdout.replace(space, " ")
    return result


def test_repetitions_side_by_side_have_seeds_of_their_own(tmp_path: Path, machine: runs.Machine) -> None:
    result = lab(
        *("run", "wired-pair", "ping/ping", "--repeat", "3", "--jobs", "2", "--out", "three", "--json"), cwd=tmp_path
    )
    reported = json.loads(result.stdout)
    assert [Path(run["directory"]).name for run in reported] == ["seed-1", "seed-2", "seed-3"]
    seeds = [
        json.loads((tmp_path / "three" / f"seed-{n}" / "record.json").read_text())["plan"]["seed"] for n in (1, 2, 3)
    ]
    assert seeds == [1, 2, 3]


def test_a_failed_check_is_exit_status_1(tmp_path: Path, machine: runs.Machine) -> None:
    (tmp_path / "w.yaml").write_text(
        """
name: strict
roles: {client: 1, server: 1}
duration: 3 s
processes:
  - {on: client, at: 1 s, run: {probe: ping, to: "{server.ip}", count: 2}, as: pings}
metrics:
  rtt: {of: pings, unit: ms}
checks:
  - {that: rtt.mean < 1 us}
"""
    )
    result = lab("run", "wired-pair", "w.yaml", "--set", "links.0.delay=5ms", cwd=tmp_path, status=1)
    assert "rtt.mean = 30.05 ms, wanted < 1 us" in result.stdout  # two links of 5 ms, there and back; ARP first


def test_a_directory_in_use_is_not_overwritten(tmp_path: Path, machine: runs.Machine) -> None:
    (tmp_path / "mine").write_text("precious")
    result = lab("run", "wired-pair", "idle", "--out", ".", cwd=tmp_path, status=2)
    assert "is not empty" in result.stderr
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_failed_run_says_where_its_remains_are(tmp_path: Path, machine: runs.Machine) -> None:
    (tmp_path / "w.yaml").write_text("name: bad\nduration: 2 s\ntimeline:\n  - {at: 1 s, exec: h1, run: ['false']}\n")
    result = lab("run", "wired-pair", "w.yaml", "--out", "out", cwd=tmp_path, status=1)
    assert "the files of the run are in out" in result.stderr
    assert "w.yaml:4" in result.stderr
    assert "false ended with 1\n" in result.stderr
    assert (tmp_path / "out" / "console.log").exists()


FAILING = """\
name: failing
roles: {client: 1}
duration: 3 s
processes:
  - {on: client, at: 1 s, run: [sh, -c, "echo begun; echo wrong >&2; exit 3"], as: step}
"""


def test_a_failure_is_reported_with_both_streams_and_as_json(tmp_path: Path, machine: runs.Machine) -> None:
    (tmp_path / "w.yaml").write_text(FAILING)
    result = lab("run", "wired-pair", "w.yaml", "--out", "run", "--json", cwd=tmp_path, status=1)
    said = (
        f"w.yaml:5: step ended with status 3\n  last lines of {tmp_path}/run/raw/step.out:\n    begun\n"
        f"  last lines of {tmp_path}/run/raw/step.err:\n    wrong"
    )
    assert f"lab: {said}\n" in result.stderr
    reported = json.loads(result.stdout)
    assert (reported["passed"], reported["error"], reported["directory"]) == (False, said, "run")
    result = lab("run", "wired-pair", "nonesuch", "--json", cwd=tmp_path, status=2)
    assert json.loads(result.stdout)["error"].startswith('unknown workload "nonesuch"')


def test_a_run_that_takes_too_long_says_how_far_it_came(tmp_path: Path, machine: runs.Machine) -> None:
    spins = FAILING.replace("echo begun; echo wrong >&2; exit 3", "while :; do :; done")
    (tmp_path / "w.yaml").write_text(spins)
    command = ("run", "wired-pair", "w.yaml", "--timeout", "4 s", "--seed", "7", "--repeat", "2", "--out", "run")
    result = lab(*command, "--junit", "result.xml", cwd=tmp_path, status=1)
    assert result.stderr == (
        "the files of the run with seed 7 are in run/seed-7\n"
        "lab: --timeout: the run with seed 7 took more than 4 s of wall time; "
        "it was ended at 1 s of 3 s of virtual time\n"
    )
    case = ET.parse(tmp_path / "result.xml").getroot().find("testsuite/testcase")
    assert case is not None and case.attrib["classname"] == "failing on wired-pair, seed 7"
    assert float(case.attrib["time"]) > 4
    result = lab("run", "wired-pair", "ping/ping", "--timeout", "5", cwd=tmp_path, status=2)
    assert result.stderr.endswith('lab: --timeout: "5" has no unit; write 5 s\n')
    result = lab("run", "wired-pair", "ping/ping", "--seed", "banana", cwd=tmp_path, status=2)
    assert '"banana" is not a whole number; write one, such as 7: it determines all random numbers' in result.stderr
