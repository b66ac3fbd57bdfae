# SPDX-License-Identifier: MIT
"""The plugin for pytest, in a project of its own, with labs that boot nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab import Lab
from lab.errors import RunError

pytest_plugins = "pytester"


@pytest.fixture(autouse=True, scope="module")
def imported() -> None:
    """Import what labs are made of: pytester removes the modules that a project is the first to import."""
    assert Lab("two-aps-handoff").plan.medium


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What labs are asked to do: to start, to stop, to close."""
    reported: list[str] = []

    def start(lab: Lab) -> Lab:
        assert lab._out is not None
        reported.append(f"start {lab.plan.name}, seed {lab.plan.seed}, pcap {lab.plan.pcap}, in {lab._out.name}")
        if lab.plan.seed == 13:
            raise RunError("the network did not come up")
        (lab._out / "raw" / "daemon").mkdir(parents=True)
        (lab._out / "raw" / "daemon" / "ap1-hostapd.log").write_text("AP-ENABLED\n")
        noise = (
            "2026-01-01T00:00:00Z|00001|dns_resolve|WARN|Failed to read /etc/resolv.conf: No such file or directory\n"
        )
        (lab._out / "raw" / "daemon" / "s1-ovsdb-server.log").write_text(noise)
        lab._directory = lab._out
        return lab

    def stop(lab: Lab) -> Any:
        reported.append("stop")
        (lab.directory / "raw" / "air-2412.pcapng").touch()

    monkeypatch.setattr(Lab, "start", start)
    monkeypatch.setattr(Lab, "stop", stop)
    monkeypatch.setattr(Lab, "remarks", ["h1 ran out of memory"])
    monkeypatch.setattr(Lab, "epoch_ns", 1_767_225_601_000_500_000)
    monkeypatch.setattr(Lab, "close", lambda lab: reported.append("close"))
    yield reported


def run(pytester: pytest.Pytester, test: str) -> pytest.RunResult:
    pytester.makepyfile(test_own=f"import pytest\nfrom lab import roam\n\n{test}")
    return pytester.runpytest_inprocess("--strict-markers", "-p", "no:cacheprovider")


def test_a_marker_starts_a_lab_that_ends_with_the_test(pytester: pytest.Pytester, stand_ins: list[str]) -> None:
    result = run(
        pytester,
        """
@pytest.mark.lab(topology="two-aps-handoff", seed=7, duration="30 s")
def test_one(lab):
    assert lab["sta1"].ip == "10.0.0.2"

@pytest.mark.lab("one-ap", "ping/ping")
def test_other(lab):
    assert lab.plan.medium is None
""",
    )
    result.assert_outcomes(passed=2)
    assert stand_ins == [
        "start idle on two-aps-handoff, seed 7, pcap air, in lab",
        "close",
        "start ping on one-ap, seed 1, pcap None, in lab",
        "close",
    ]


def test_markers_of_a_class_and_of_parameters_complete_each_other(
    pytester: pytest.Pytester, stand_ins: list[str]
) -> None:
    result = run(
        pytester,
        """
@pytest.mark.lab("one-ap", "ping/ping", seed=3)
class TestAll:
    def test_one(self, lab): pass

    @pytest.mark.parametrize("times", [pytest.param(2, marks=pytest.mark.lab(seed=4))])
    @pytest.mark.lab(workload="idle")
    def test_other(self, lab, times): pass
""",
    )
    result.assert_outcomes(passed=2)
    assert [line.partition(", pcap")[0] for line in stand_ins if line.startswith("start")] == [
        "start ping on one-ap, seed 3",
        "start idle on one-ap, seed 4",
    ]


def test_without_a_marker_the_test_starts_labs(pytester: pytest.Pytester, stand_ins: list[str]) -> None:
    result = run(
        pytester,
        """
def test_two(lab):
    one, other = lab.start("one-ap"), lab.start("one-ap", seed=2)
    assert one is not other
""",
    )
    result.assert_outcomes(passed=1)
    assert [line.rpartition(" ")[2] for line in stand_ins] == ["lab", "lab-2", "close", "close"]


def test_the_tests_of_a_module_share_a_lab(pytester: pytest.Pytester, stand_ins: list[str]) -> None:
    result = run(
        pytester,
        """
pytestmark = pytest.mark.lab("one-ap", seed=5)

def test_one(lab_module):
    assert lab_module["sta1"].kind == "sta"

def test_other(lab_module):
    assert lab_module.now_s == 1

def test_own(lab): pass

def test_last(lab_module): pass
""",
    )
    result.assert_outcomes(passed=3, failed=1)
    assert [line.split(",")[0] for line in stand_ins] == ["start idle on one-ap"] * 2 + ["close"] * 2
    result.stdout.fnmatch_lines(["idle on one-ap, seed 5, continues at 0.000 s of virtual time", "directory: *"])


def test_a_test_that_fails_reports_where_the_files_are(pytester: pytest.Pytester, stand_ins: list[str]) -> None:
    result = run(
        pytester,
        """
@pytest.mark.lab("two-aps-handoff")
def test_one(lab):
    assert lab.now_s == 1
""",
    )
    result.assert_outcomes(failed=1)
    assert stand_ins[1:] == ["stop", "close", "close"]
    result.stdout.fnmatch_lines(
        [
            "*- lab -*",
            "idle on two-aps-handoff, seed 1, stopped at 0.000 s of virtual time",
            "0 s is 1767225601.000500 in logs and captures",
            "directory: */test_one0/lab",
            "h1 ran out of memory",
            "capture: */test_one0/lab/raw/air-2412.pcapng",
            "*- lab: last lines of logs -*",
            "*/raw/daemon/ap1-hostapd.log",
            "*AP-ENABLED",
        ]
    )
    result.stdout.no_fnmatch_line("*s1-ovsdb-server*")


@pytest.mark.parametrize(
    "call",
    ['lab["sta1"].run("ls")', 'lab["sta1"].put(Path("x"), "/x")', "lab.run_for(-1)", 'lab.at(1, roam("h1", "ap1"))'],
)
def test_a_failed_call_shows_its_line_and_not_the_labs(pytester: pytest.Pytester, call: str) -> None:
    result = run(
        pytester, f'from pathlib import Path\n@pytest.mark.lab("two-aps-handoff")\ndef test_one(lab):\n    {call}\n'
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">   *{call.replace('[', '[[]', 1)}"])
    result.stdout.no_fnmatch_line("*/lab/*.py:*")
    result.stdout.fnmatch_lines_random(["E   *lab.*Error: *"])


@pytest.mark.parametrize(
    ("marker", "reported"),
    [
        ('("one-ap", seeds=3)', 'test_own.py:4  @*.lab: unknown parameter "seeds" (did you mean seed?); known: top*'),
        ("(seed=3)", 'test_own.py:4  @pytest.mark.lab: write which topology: topology="one-ap"'),
        ('("one-ap", set={"links.0.delay": "5"})', 'test_own.py:4  links.0.delay: "5" has no unit; write 5 ms'),
        ('("one-app")', 'test_own.py:4  unknown topology "one-app" (did you mean one-ap?)'),
        ('("one-ap", seed=13)', "the network did not come up"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_marker_is_one_message(pytester: pytest.Pytester, marker: str, reported: str) -> None:
    result = run(pytester, f"@pytest.mark.lab{marker}\ndef test_one(lab): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([reported.replace("[", "[[]")])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*.py:*: in *")


def test_a_test_without_a_lab_learns_how_to_get_one(pytester: pytest.Pytester) -> None:
    result = run(pytester, 'def test_one(lab): lab["sta1"]\n\ndef test_other(lab): lab.run_until(3)\n')
    result.assert_outcomes(failed=2)
    for what in ('lab[[]"sta1"]', "lab.run_until"):
        result.stdout.fnmatch_lines([f"*{what}: the test has no lab yet; write @pytest.mark.lab(topology=*"])


def test_a_project_that_does_not_use_it_imports_nothing_of_it(tmp_path: Path) -> None:
    test = tmp_path / "test_own.py"
    test.write_text(
        "import sys\n\ndef test_one():\n    found = sorted(name for name in sys.modules if name.startswith('lab'))\n"
        "    assert found == ['lab', 'lab.pytest_plugin']\n    assert 'numpy' not in sys.modules\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
