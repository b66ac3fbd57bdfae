# SPDX-License-Identifier: MIT
"""Every workload of the lab over IPv6, by one setting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab import library, runs
from lab.errors import InputError
from lab.plan.load import load
from lab.shared.types import Plan
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest

ON = {  # the topologies that they need; short: a run ends before its duration where processes do
    "http/download": ("two-subnets", ["--set", "duration=8 s", "--set", "files.file.random=1 MiB"]),
    "idle": ("one-station", ["--set", "duration=2 s"]),
    "iperf3/tcp": ("one-station", ["--set", "duration=5 s", "--set", "processes.flow.run.duration=2 s"]),
    "iperf3/udp": ("one-station", ["--set", "duration=5 s", "--set", "processes.flow.run.duration=2 s"]),
    "ping/mesh": ("mesh", []),
    "ping/ping": ("vlans", ["--set", "duration=5 s", "--set", "processes.echo.run.count=40"]),
    "ping/roaming": ("openflow-handoff", ["--set", "duration=8 s", "--set", "topology.nodes.c0.app=roaming"]),
    "routing/babel": ("ad-hoc-relay", []),
    "udp/saturate": ("one-station", ["--set", "duration=4 s"]),
    "udp/voice": ("one-station", ["--set", "duration=4 s"]),
    "udp/voice-under-load": ("edca-priority", ["--set", "duration=4 s"]),
    "web/browse": ("remote-web", []),
}
ONLY_IPV4 = {"routing/ospf": "ring-of-routers"}


def own() -> set[str]:
    """The workloads of the lab that are not those of a stack, which has tests of its own."""
    return {name for name, path in library.known("workload").items() if not (path.parent / "tests").is_dir()}


def texts(plan: Plan) -> str:
    return json.dumps([[process.argv, process.params] for process in plan.processes])


def test_no_workload_of_the_lab_is_left_out() -> None:
    assert own() == {*ON, *ONLY_IPV4}


@pytest.mark.parametrize("workload", ONLY_IPV4)
def test_others_say_why_not(workload: str) -> None:
    with pytest.raises(InputError, match="runs only over IPv4: "):
        load(ONLY_IPV4[workload], workload, 1, ["family=ipv6"])


@pytest.mark.parametrize("workload", ON)
def test_a_workload_runs_over_ipv6(workload: str, tmp_path: Path, machine: runs.Machine) -> None:
    topology, settings = ON[workload]
    settings = [*settings, "--set", "family=ipv6"]
    plan = load(topology, workload, 1, settings[1::2])
    assert "10.0." not in texts(plan)
    assert workload == "idle" or "2001:db8:" in texts(plan)
    lab("run", topology, workload, *settings, "--out", "run", cwd=tmp_path)
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    for name in {"goodput", "rtt", "delay"} & set(record["metrics"]):  # each of which needs packets that arrived
        assert record["metrics"][name]["values"]["count"] > 0, name
