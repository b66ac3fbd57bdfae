# SPDX-License-Identifier: MIT
"""Its probes are refused where nodes do not have its programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.cli.check import check
from lab.errors import InputError
from lab.probes import base as probes
from tests.unit.plan.conftest import WORKLOAD, Plans
from workloads.sap.tests.unit.test_plans import refusal

OF_SAP = ("sap-get", "sap-stream-sink", "sap-streamer", "sap-track-sink", "sap-tracker")
SAID = f"{WORKLOAD}stack: sap\n"


def test_the_probes_of_the_stack_are_those_that_lie_in_it() -> None:
    assert tuple(name for name in probes.known() if probes.load(name).stack == "sap") == OF_SAP


@pytest.mark.parametrize("probe", OF_SAP)
def test_a_probe_whose_program_nodes_lack_is_refused(plans: Plans, probe: str) -> None:
    keys = ", url: http://h1/" if probe == "sap-get" else ", to: 10.0.0.1" if probe.endswith("er") else ""
    text = f"processes:\n  - {{on: client, run: {{probe: {probe}{keys}}}}}\n"
    reported = (
        f"processes.0.run.probe: the program of {probe} is part of the stack sap, but this workload has no stack; "
        "write stack: sap"
    )
    assert refusal(plans, WORKLOAD + text) == f"w.yaml:5  {reported}"
    assert plans(workload=SAID + text).processes[0].probe == probe
    with pytest.raises(InputError, match=r"w\.yaml:5  processes\.0\.run\.probe: the program of "):
        Path("w.yaml").write_text(WORKLOAD + text)
        check(Path("w.yaml"))
    Path("w.yaml").write_text(SAID + text)
    assert check(Path("w.yaml")) == "workload"
