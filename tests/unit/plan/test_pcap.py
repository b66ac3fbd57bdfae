# SPDX-License-Identifier: MIT
"""``--pcap air`` in a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.plan.load import load
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import TOPOLOGY, WORKLOAD, Plans


def refusal(topology: str, overrides: tuple[str, ...] = ()) -> str:
    Path("t.yaml").write_text(topology)
    Path("w.yaml").write_text("name: idle\nduration: 1 s\n")
    return refused(load, "t.yaml", "w.yaml", overrides=overrides, pcap="air")


def test_a_plan_mentions_it_and_is_the_same_bytes_without(plans: Plans) -> None:
    quiet = plans(f"{TOPOLOGY}medium: {{}}\n")
    assert quiet.pcap is None and '"pcap"' not in quiet.to_json()
    plan = load("t.yaml", "w.yaml", pcap="air")
    assert plan.pcap == "air" and Plan.from_json(plan.to_json()) == plan
    assert plan.to_json() == quiet.to_json().replace('"processes": []', '"pcap": "air",\n  "processes": []')


def test_it_can_be_asked_for_together_with_a_medium(plans: Plans) -> None:
    plans(TOPOLOGY, WORKLOAD)
    assert load("t.yaml", "w.yaml", overrides=["medium={}"], pcap="air").pcap == "air"


@pytest.mark.parametrize(("said", "line"), [("", 1), ("medium: perfect\n", 13)])
def test_a_perfect_medium_has_no_air(plans: Plans, said: str, line: int) -> None:
    plans()
    message = refusal(TOPOLOGY + said)
    assert message.startswith(f"t.yaml:{line}  medium: --pcap air captures the frames of an 802.11 medium, but this")
    assert "write medium: {}" in message and "--set medium={}" in message


def test_nobody_has_a_radio(plans: Plans) -> None:
    plans()
    message = refusal("name: wired\nmedium: {}\nnodes:\n  h1: {kind: host}\n")
    assert message == "t.yaml:3  nodes: no node has a radio, so --pcap air has nothing to capture"
