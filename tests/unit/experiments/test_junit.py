# SPDX-License-Identifier: MIT
"""junit.xml of an experiment."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.experiments.output.files import junit
from lab.experiments.types import Claim, Results, Verdict

from . import made


def suite(results: Results) -> ET.Element:
    """The only suite, its counts right."""
    root = ET.fromstring(junit(results).encode())
    assert root.tag == "testsuites" and [child.tag for child in root] == ["testsuite"]
    found = root[0]
    cases = found.findall("testcase")
    for element in (root, found):
        assert element.attrib["tests"] == str(len(cases))
        assert element.attrib["failures"] == str(len(found.findall("testcase/failure")))
        assert element.attrib["errors"] == str(len(found.findall("testcase/error")))
    assert all(case.attrib["name"] and case.attrib["classname"] and float(case.attrib["time"]) >= 0 for case in cases)
    return found


def test_a_case_for_each_claim() -> None:
    found = suite(made.table1())
    names = [case.attrib["name"] for case in found]
    assert names == ["approximate is fastest everywhere", "mean speed-up", "150 trials completed"]
    (failure,) = found.findall("testcase/failure")
    assert failure.attrib["message"] == "geomean(tcp / swp-approximate) = 1.428; expected between 1.2 and 1.4"
    assert "1.2 < geomean(tcp / swp-approximate) < 1.4" in (failure.text or "")
    assert "the paper says: 1.43" in (failure.text or "") and "table1.yaml:13" in (failure.text or "")


def test_a_case_for_each_failed_trial() -> None:
    found = suite(made.broken())
    errors = {case.attrib["name"]: case.find("error") for case in found if case.find("error") is not None}
    assert len(errors) == 12
    error = errors["distance=6 m, transport=tcp, seed 1"]
    assert error is not None and error.attrib["message"] == "sta1 is not associated after 5 s"
    assert "ap1: <deauth>" in (error.text or "") and "--set 'transport=tcp' --seed 1" in (error.text or "")
    assert "runs/failed/6-1" in (error.text or "")


def test_a_claim_that_was_not_judged_is_skipped() -> None:
    found = suite(made.table1(verdicts=[made.FASTEST], unjudged=(made.SPEED.claim,)))
    assert [case.attrib["name"] for case in found if case.find("skipped") is not None] == ["mean speed-up"]
    assert found.attrib["skipped"] == "1"


def test_there_is_always_a_case() -> None:
    assert len(suite(made.results([], [], lambda labels: 1.0, repetitions=1))) == 1


@settings(deadline=None)
@given(st.text(), st.text(), st.text())
def test_any_text_is_xml(name: str, value: str, error: str) -> None:
    verdict = Verdict(Claim(name, value, error, name), False, value, error)
    results = made.results([], [], lambda labels: 1.0, verdicts=[verdict], fails=lambda labels, seed: True)
    outcomes = tuple(replace(found, error=error) for found in results.outcomes)
    experiment = replace(results.experiment, name=name or "x")
    suite(replace(results, outcomes=outcomes, experiment=experiment, verdicts=() if not name else results.verdicts))
