# SPDX-License-Identifier: MIT
"""Places, movements and powers without a medium are reported, once, with what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import errors
from lab.cli.check import check

from .conftest import WORKLOAD, Plans

NODES = """\
name: here
nodes:
  ap1: {kind: ap, ssid: campus}
  sta1: {kind: sta, roles: [client]}
  h1: {kind: host, roles: [server]}
"""
WHY = (
    "since without a medium every frame arrives at any distance; write medium: {} in the topology for one in which "
    "distance and power count, or medium: perfect if that is meant\n"
)
MOVE = "timeline: [{at: 1 s, move: client, to: [5 m, 0 m, 0 m]}]\n"
PLACED = NODES.replace("ssid: campus", "ssid: campus, txpower: 10 dBm, position: [0 m, 0 m, 0 m]")
BOTH_PLACED = PLACED.replace("roles: [client]", "roles: [client], position: [9 m, 0 m, 0 m]")
POWERED = PLACED.replace("kind: sta,", "kind: sta, txpower: 9 dBm,") + "medium: {}\n"
WALK = "mobility: [{model: RandomWalk, nodes: sta1, max_x: 9 m, max_y: 9 m}]\n"


@pytest.fixture(autouse=True)
def nothing_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what was reported in other tests."""
    monkeypatch.setattr(errors, "_warned", set())


@pytest.mark.parametrize(
    ("topology", "workload", "reported"),
    [
        (NODES, WORKLOAD, ""),
        (NODES, WORKLOAD + MOVE, f"lab: w.yaml:4  timeline.0.move: has no effect, {WHY}"),
        (
            PLACED,
            WORKLOAD + MOVE,
            f"lab: t.yaml:3  nodes.ap1.position: has no effect (and 2 more such keys), {WHY}",
        ),
        (NODES + WALK, WORKLOAD, f"lab: t.yaml:6  mobility.0: has no effect, {WHY}"),
        (PLACED + "medium: perfect\n", WORKLOAD + MOVE, ""),
        (BOTH_PLACED + "medium: {}\n", WORKLOAD, ""),
        (POWERED + WALK, WORKLOAD, ""),
        (POWERED.replace("sta1: {", "sta: {count: 1, ") + WALK.replace("sta1", "sta"), WORKLOAD, ""),
    ],
)
def test_a_plan_says_it_once(
    plans: Plans, capsys: pytest.CaptureFixture[str], topology: str, workload: str, reported: str
) -> None:
    for _ in range(2):
        plans(topology, workload)
    assert capsys.readouterr() == ("", reported)


def test_check_reports(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    plans(BOTH_PLACED + "medium: {}\n")
    Path("t.yaml").write_text(PLACED + "links: [{between: [h1, ap1]}]\n")
    assert check(Path("t.yaml")) == "topology"
    assert capsys.readouterr().err == f"lab: t.yaml:3  nodes.ap1.position: has no effect (and 1 more such key), {WHY}"


def test_a_group_is_reported_once(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    plans(NODES + "  mon: {kind: monitor, count: 3, position: [0 m, 0 m, 0 m], channel: 1}\n", WORKLOAD)
    assert capsys.readouterr().err == f"lab: t.yaml:6  nodes.mon.position: has no effect, {WHY}"
