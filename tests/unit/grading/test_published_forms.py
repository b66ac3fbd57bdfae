# SPDX-License-Identifier: MIT
"""Files of results have the form that is published for each.

* Gradescope: "Autograder Specifications" (docs/specs.md of its autograder_samples)
* GitHub Classroom: what autograding-grading-reporter reads of a grader's result
* JUnit: the schema of Jenkins' xUnit plugin, junit-10.xsd
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest

from lab.grading.formats import FORMATS
from lab.grading.results import CheckResult, Result

VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEXT_FORM = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
NUMBER, TEXT = {"type": "number"}, {"type": "string"}


def form(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


GRADESCOPE = {
    **form(
        [],
        score=NUMBER,
        execution_time=NUMBER,
        output=TEXT,
        output_format=TEXT_FORM,
        test_output_format=TEXT_FORM,
        test_name_format=TEXT_FORM,
        visibility=VISIBILITY,
        stdout_visibility=VISIBILITY,
        extra_data={"type": "object"},
        tests={
            "type": "array",
            "items": form(
                ["score"],  # since there is none for the whole
                score=NUMBER,
                max_score=NUMBER,
                status={"enum": ["passed", "failed"]},
                name=TEXT,
                name_format=TEXT_FORM,
                number=TEXT,
                output=TEXT,
                output_format=TEXT_FORM,
                tags={"type": "array", "items": TEXT},
                visibility=VISIBILITY,
                extra_data={"type": "object"},
            ),
        },
        leaderboard={
            "type": "array",
            "items": form(["name", "value"], name=TEXT, value={"type": ["number", "string"]}, order={"const": "asc"}),
        },
    ),
    "anyOf": [{"required": ["score"]}, {"required": ["tests"]}],
}
STATUS = {"enum": ["pass", "fail", "error"]}
CLASSROOM = form(
    ["version", "status", "max_score", "tests"],
    version={"const": 1},
    status=STATUS,
    max_score=NUMBER,
    tests={
        "type": "array",
        "minItems": 1,
        "items": form(
            ["name", "status", "score"],
            name=TEXT,
            status=STATUS,
            score=NUMBER,
            message={"type": ["string", "null"]},
            test_code=TEXT,
            filename=TEXT,
            line_no={"type": "integer"},
            duration=NUMBER,
        ),
    },
)
# element: its required attributes, the optional ones, what may be in it
JUNIT: Mapping[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "disabled", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests"},
        {"failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name"},
        {"assertions", "time", "classname", "status"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}

PASSED = CheckResult("a", "It is so.", 4, 4, True, "seen", None, "runs/x", False)
PARTLY = CheckResult("b", "It is <so> & \x1b.", 1.5, 4, False, "x = 1\ny", "Think.", "runs/x", True)
MARKED = Result("a-test", "A test", "ada", "Ada", "", (PASSED, PARTLY))
REFUSED = Result("a-test", "A test", "bob", "Bob", "settings.yaml:1  bad\n  hint", (PARTLY,))
BOTH = [MARKED, REFUSED]


@pytest.mark.parametrize("result", BOTH)
@pytest.mark.parametrize(("name", "schema"), [("gradescope", GRADESCOPE), ("classroom", CLASSROOM)])
def test_json_has_the_published_form(name: str, schema: dict[str, Any], result: Result) -> None:
    found = json.loads(FORMATS[name]([result]))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert sum(test["score"] for test in found["tests"]) == result.points


@pytest.mark.parametrize(("name", "schema"), [("gradescope", GRADESCOPE), ("classroom", CLASSROOM)])
@pytest.mark.parametrize("wrong", [{"tests": [{"name": "x", "status": "maybe", "score": 1}]}, {"mine": 1}])
def test_these_forms_refuse_others(name: str, schema: dict[str, Any], wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(FORMATS[name]([MARKED])) | wrong, schema)


def misfits(element: ET.Element) -> list[str]:
    required, optional, inside = JUNIT[element.tag]
    found = [f"{element.tag} lacks {name}" for name in required - set(element.attrib)]
    found += [f"{element.tag} has {name}" for name in set(element.attrib) - required - optional]
    found += [f"{child.tag} in {element.tag}" for child in element if child.tag not in inside]
    return found + [one for child in element if child.tag in inside for one in misfits(child)]


def test_junit_has_the_published_form() -> None:
    root = ET.fromstring(FORMATS["junit"](BOTH))
    assert root.tag == "testsuites" and misfits(root) == []
    root[0].set("points", "3")
    root[0][0].append(ET.Element("hint"))
    assert misfits(root) == ["testsuite has points", "hint in testcase"]
