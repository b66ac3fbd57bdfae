# SPDX-License-Identifier: MIT
"""JUnit's XML of runs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.record import Record
from lab.report import junit
from lab.runs import command
from tests.unit.report.conftest import Recorder


def test_a_case_for_each_check_and_one_for_the_run(recorded: Recorder) -> None:
    checks = [{"that": "outage.max < 1 ms", "source": "w.yaml:9"}, {"that": "outage.max < 9 s", "source": "w.yaml:10"}]
    record = recorded(checks=checks)
    root = ET.fromstring(junit.document([record]).encode())
    (suite,) = root
    assert suite.attrib["name"] == f"{record.plan.name}, seed {record.plan.seed}"
    assert {key: suite.attrib[key] for key in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
    }
    assert [case.attrib["name"] for case in suite] == ["the run finishes", "outage.max < 1 ms", "outage.max < 9 s"]
    failure = suite[1].find("failure")
    assert failure is not None and failure.attrib["message"].startswith("outage.max = ")
    assert failure.text is not None and failure.text.startswith("w.yaml:9\n")


def test_several_runs_are_suites(record: Record) -> None:
    root = ET.fromstring(junit.document([record, record]).encode())
    assert [child.tag for child in root] == ["testsuite", "testsuite"]
    assert root.attrib["tests"] == str(2 * int(root[0].attrib["tests"]))


def test_a_run_that_failed_is_an_error(record: Record) -> None:
    root = ET.fromstring(junit.failed(junit.name_of([record.plan]), "cli ended with status 3\n  last lines").encode())
    error = root.find("testsuite/testcase/error")
    assert error is not None and error.attrib == {"message": "cli ended with status 3", "type": "run"}
    assert root.attrib["errors"] == "1"


def execute(junit: Path, workload: str) -> None:
    command.run(command.RunOptions("one-ap", workload, junit=junit))


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The result of an earlier run, in the current directory."""
    monkeypatch.chdir(tmp_path)
    result = tmp_path / "result.xml"
    result.write_text("<testsuites/>")
    return result


def reported(junit: Path) -> tuple[str, str]:
    """Return the name and the message of the only case, which is an error."""
    case = ET.parse(junit).getroot().find("testsuite/testcase")
    assert case is not None
    error = case.find("error")
    assert error is not None
    return case.attrib["classname"], error.attrib["message"]


def test_a_mistake_in_a_file_replaces_an_earlier_result(earlier: Path) -> None:
    Path("work.yaml").write_text("name: work\nduration: never\n")
    with pytest.raises(InputError):
        execute(earlier, "work.yaml")
    name, message = reported(earlier)
    assert name == "work.yaml on one-ap, seed 1"
    assert message.startswith("work.yaml:2  duration: ")


def test_so_does_an_interrupt(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "machine_for", interrupted)
    with pytest.raises(KeyboardInterrupt):
        execute(earlier, "ping/ping")
    assert reported(earlier) == ("ping on one-ap, seed 1", "interrupted")
