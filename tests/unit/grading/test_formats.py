# SPDX-License-Identifier: MIT
"""Files of results: what each platform reads, whatever a submission prints."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from lab.errors import InputError
from lab.grading.formats import FORMATS
from lab.grading.results import CheckResult, Result

CURED = CheckResult("cured", "It is cured.", 1.0, 4, True, "goodput = 3, wanted > 7", "Think.", "runs/x/after", False)
HEARD = CheckResult("heard", "It is heard.", 1, 1, False, "answers.heard = CTS", None, "runs/x/after", True)
ADA = Result("a-test", "A test", "ada", "Ada", "", (CURED, HEARD))
REFUSED = Result("a-test", "A test", "bob", "=1+1", "settings.yaml:1  \x1b[31mbad", (CURED, HEARD))


def test_gradescope_has_each_check_and_hides_what_students_do_not_see() -> None:
    found = json.loads(FORMATS["gradescope"]([ADA]))
    assert found["leaderboard"] == [{"name": "points", "value": 2}] and "output" not in found
    first, second = found["tests"]
    assert first == {
        "name": "It is cured.",
        "number": "1",
        "score": 1,
        "max_score": 4,
        "status": "failed",
        "output": "goodput = 3, wanted > 7\nThink.\nrun: after",
        "output_format": "text",
        "tags": ["cured"],
        "visibility": "visible",
    }
    assert (second["status"], second["visibility"], second["output"]) == ("passed", "after_published", "")


def test_classroom_has_the_form_of_its_graders() -> None:
    found = json.loads(FORMATS["classroom"]([ADA]))
    assert (found["version"], found["status"], found["max_score"]) == (1, "fail", 5)
    assert [(test["name"], test["status"], test["score"]) for test in found["tests"]] == [
        ("It is cured.", "fail", 1),
        ("It is heard.", "pass", 1),
    ]
    assert found["tests"][1]["message"] is None
    refused = json.loads(FORMATS["classroom"]([REFUSED]))
    assert refused["status"] == refused["tests"][0]["status"] == "error"


@pytest.mark.parametrize("name", ["gradescope", "classroom"])
def test_platforms_read_one_submission(name: str) -> None:
    with pytest.raises(InputError, match=f"--format {name} is for one submission, not for 2"):
        FORMATS[name]([ADA, REFUSED])


def test_junit_has_a_suite_for_each_submission() -> None:
    root = ET.fromstring(FORMATS["junit"]([ADA, REFUSED]))
    suites = [(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) for suite in root]
    assert suites == [("a-test.ada", "3", "1", "0"), ("a-test.bob", "3", "1", "1")]


@pytest.mark.parametrize("name", ["gradescope", "classroom"])
def test_students_elsewhere_see_no_path_of_this_machine(name: str) -> None:
    seen = "the run failed: last lines of /marks/ada/after/console.log, see /marks/ada/files"
    failed = replace(CURED, seen=seen, where="/marks/ada/after")
    found = FORMATS[name]([replace(ADA, checks=(failed, HEARD))])
    assert "/marks" not in found and "last lines of after/console.log" in found
    unmarked = Result("a-test", "A test", "ada", "", "a fault of the lab; /marks/ada/error.txt says where", ())
    assert "/marks" not in FORMATS[name]([unmarked])
    assert "Ask your teacher" in FORMATS["gradescope"]([unmarked])


def test_csv_has_a_row_for_each_submission_and_no_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"]([ADA, REFUSED]))))
    assert (rows[0]["submission"], rows[0]["points"], rows[0]["most"], rows[0]["cured"]) == ("ada", "2.0", "5", "1.0")
    assert rows[1]["student"] == "'=1+1"
    assert rows[0]["exercise"] == "a-test" and rows[0]["not read"] == ""


def test_csv_says_why_answers_were_not_read() -> None:
    (row,) = csv.DictReader(io.StringIO(FORMATS["csv"]([replace(ADA, invalid=("answers.yaml is missing",))])))
    assert row["not read"] == "answers.yaml is missing"


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_in_them_controls_a_terminal(name: str) -> None:
    assert "\x1b" not in FORMATS[name]([REFUSED])


def test_json_has_all_of_it() -> None:
    found = json.loads(FORMATS["json"]([ADA, REFUSED]))
    assert [(one["submission"], one["points"], one["most"]) for one in found] == [("ada", 2, 5), ("bob", 2, 5)]
    assert found[0]["checks"][1]["seen"] == "answers.heard = CTS"
