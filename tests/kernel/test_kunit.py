# SPDX-License-Identifier: MIT
"""The kernel's own tests, run in the kernel that the lab boots: one suite each, as reported by KTAP."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lab.builders.kernel.kernel import Kernel
from lab.builders.kernel.series import PatchSeries
from lab.machine.memory import memory_directory
from lab.machine.watch import kernel_complaint
from tests import booted

pytestmark = pytest.mark.guest

TIMEOUT_S = 1200  # of wall time: it only ends a kernel that hangs, however busy the machine is
_SUITE = re.compile(r"^(?:\[[ .\d]+\] )?(?P<verdict>ok|not ok) \d+ (?P<name>\S+)", re.MULTILINE)
_CASE = re.compile(r"^(?:\[[ .\d]+\] ) +(?P<verdict>ok|not ok) \d+ (?P<name>\S+)(?P<skip> # SKIP)?", re.MULTILINE)


def command(directory: Path, *arguments: str, linux: Kernel | None = None) -> list[str]:
    """The command line of a kernel in virtual time; default: that of all tests."""
    return [
        str((linux or booted.kernel()).path),
        "mem=256M",
        "umid=kunit",
        f"uml_dir={directory}/",
        "con=null",
        "con0=null,fd:1",
        "time-travel=inf-cpu",
        "panic=-1",
        *arguments,
    ]


def environment() -> dict[str, str]:
    """All that a kernel sees of our files."""
    return {"TMPDIR": str(memory_directory()), "HOME": "/"}


def boot(directory: Path, *arguments: str, linux: Kernel | None = None) -> str:
    """The log of a kernel that ends by itself."""
    result = subprocess.run(
        command(directory, *arguments, linux=linux),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    return result.stdout


def suites_of(series: PatchSeries) -> set[str]:
    """Names of the KUnit suites in the files of a series: .name of struct kunit_suite."""
    found = set()
    for path in (path for part in series.parts for path in (part.directory / "files").rglob("*_test.c")):
        found |= set(re.findall(r"struct kunit_suite \w+ = \{[^}]*?\.name = \"([^\"]+)\"", path.read_text()))
    return found


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    return boot(tmp_path_factory.mktemp("kunit"), "kunit.enable=1", "kunit_shutdown=halt")


def complaints(log: str, expected: set[str]) -> list[str]:
    """Suites that did not pass or were not expected, and cases that failed or were skipped."""
    verdicts = {found["name"]: found["verdict"] for found in _SUITE.finditer(log)}
    found = [f"suite {name}: {verdicts.get(name, 'did not run')}" for name in expected if verdicts.get(name) != "ok"]
    found += [f"suite {name}: is in no part of the series" for name in verdicts.keys() - expected]
    cases = list(_CASE.finditer(log))
    found += [f"case {case['name']}: {case['verdict']}" for case in cases if case["verdict"] != "ok"]
    found += [f"case {case['name']}: skipped" for case in cases if case["skip"]]
    return sorted(found)


def test_every_suite_of_the_series_ran_and_every_case_passed(log: str) -> None:
    suites = suites_of(PatchSeries())
    assert suites
    assert len(_CASE.findall(log)) > len(suites)
    assert complaints(log, suites) == [], log[-3000:]


def test_the_kernel_reports_no_error(log: str) -> None:
    assert kernel_complaint(log) == []


def test_what_fails_or_is_left_out_is_missed(log: str) -> None:
    suites = suites_of(PatchSeries())
    suite, case = min(suites), _CASE.search(log)
    assert case
    passed = case[0]
    assert (
        complaints(log.replace(passed, passed.replace(" ok ", " not ok ")), suites)[0] == f"case {case['name']}: not ok"
    )
    assert complaints(log.replace(passed, f"{passed} # SKIP", 1), suites) == [f"case {case['name']}: skipped"]
    without = "\n".join(line for line in log.splitlines() if not line.endswith(f" {suite}"))
    assert complaints(without, suites) == [f"suite {suite}: did not run"]


def test_without_kunit_enable_nothing_is_tested(tmp_path: Path) -> None:
    assert "kunit: disabled" in boot(tmp_path)


@pytest.mark.parametrize("seed", ["abc", "-1", "0x", "99999999999999999999999", ""])
def test_a_seed_that_is_no_number_is_refused_at_once(tmp_path: Path, seed: str) -> None:
    log = boot(tmp_path, f"lab.seed={seed}")
    assert re.search(r"lab\.seed", log)
    assert "Run /" not in log
    assert [path.name for path in tmp_path.iterdir()] in ([], ["kunit"])
