# SPDX-License-Identifier: MIT
"""The kind of a node is a role, without roles: in the workload."""

from pathlib import Path

import pytest

from lab.plan.load import load
from tests.refused import refused
from tests.unit.plan.test_mistakes import TOPOLOGY, WORKLOAD


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("w.yaml").write_text(WORKLOAD)


def test_a_kind_is_a_role() -> None:
    """``on:`` and references take a kind, which stands for all nodes of it."""
    text = TOPOLOGY.replace("  sta1: {kind: sta}", "  sta1: {kind: sta}\n  sta2: {kind: sta}")
    Path("t.yaml").write_text(text)
    Path("w.yaml").write_text(WORKLOAD.replace("on: sta1", "on: sta").replace("{server.ip}", "{host.ip}"))
    plan = load("t.yaml", "w.yaml")
    assert [(process.id, process.node) for process in plan.processes if process.name == "call"] == [
        ("call@sta1", "sta1"),
        ("call@sta2", "sta2"),
    ]


def test_a_kind_of_several_nodes_has_no_single_address() -> None:
    Path("t.yaml").write_text(TOPOLOGY.replace("  sta1: {kind: sta}", "  sta1: {kind: sta}\n  sta2: {kind: sta}"))
    Path("w.yaml").write_text(WORKLOAD.replace("{server.ip}", "{sta.ip}"))
    assert "{sta.ip}: sta stands for 2 nodes; write {sta[1].ip} for the first" in refused(load, "t.yaml", "w.yaml")


def test_an_unknown_role_may_mean_a_kind() -> None:
    Path("w.yaml").write_text(WORKLOAD.replace("on: sta1", "on: station"))
    assert refused(load, "t.yaml", "w.yaml") == (
        'w.yaml:6  processes.1.on: unknown role or node "station" (did you mean sta?); roles: server; '
        "nodes: h1, ap1, sta1"
    )
