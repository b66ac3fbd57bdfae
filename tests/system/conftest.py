# SPDX-License-Identifier: MIT
"""Fixtures for tests that boot the guest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lab import library, runs
from lab.builders.kernel.chosen import KernelChoice
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.probes import base as probes
from lab.probes.base import Parsed, Raw
from lab.shared.types import Plan
from tests import booted, stored

WIRED = """\
name: wired
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  h2: {kind: host, roles: [client]}
links:
  - {between: [h1, s1]}
  - {between: [s1, h2]}
"""


@pytest.fixture(scope="session", autouse=True)
def _own_history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave the history of this user's prompts alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@dataclass(frozen=True)
class Ran:
    """A finished run: the files that the guest left, whether or not it failed."""

    directory: Path

    def guest(self) -> dict[str, Any]:
        """Return guest.json."""
        data: dict[str, Any] = json.loads((self.directory / "guest.json").read_text())
        return data

    def raw(self, name: str) -> str:
        """Return a raw file."""
        return (self.directory / "raw" / name).read_text()

    def looks(self) -> list[dict[str, Any]]:
        """Return the readings of the medium's counters."""
        looks: list[dict[str, Any]] = json.loads(self.raw("medium.json"))["looks"]
        return looks

    def link(self, sender: str, receiver: str) -> dict[str, int]:
        """Return the counters of frames from one radio to another, at the end."""
        return self._link(sender, receiver, -1)

    def link_since(self, look: int, sender: str, receiver: str) -> dict[str, int]:
        """Return the increase since that reading, which excludes, for example, the traffic of hosts that come up."""
        before, by_the_end = self._link(sender, receiver, look), self._link(sender, receiver, -1)
        return {key: value - before[key] for key, value in by_the_end.items() if isinstance(value, int)}

    def _link(self, sender: str, receiver: str, look: int) -> dict[str, int]:
        (found,) = [link for link in self.looks()[look]["links"] if (link["from"], link["to"]) == (sender, receiver)]
        return {key: value for key, value in found.items() if key not in ("from", "to")}

    def sink(self, name: str = "sink") -> Parsed:
        """Return the results of a udp-sink, with times since the start of the timeline."""
        return probes.load("udp-sink").parse(Raw(self.directory / "raw", name, epoch_ns=self.guest()["epoch_ns"]))

    def flows(self, name: str = "sink") -> dict[str, dict[str, Any]]:
        """Return the results of each flow to a udp-sink."""
        flows: dict[str, dict[str, Any]] = self.sink(name).values["flows"]
        return flows

    def iperf3_mbps(self, name: str) -> float:
        """Return the goodput that an iperf3 reported."""
        raw = Raw(self.directory / "raw", name, epoch_ns=self.guest()["epoch_ns"])
        return float(probes.load("iperf3").parse(raw).values["goodput_bps"]) / 1e6

    def goodputs_mbps(self, name: str = "sink") -> dict[str, float]:
        """Return the mean goodput of each flow to a udp-sink, from its first datagram to its last."""
        return {
            flow.removeprefix("load@"): 8e3 * found["bytes"] / (found["last_ns"] - found["first_ns"])
            for flow, found in self.flows(name).items()
        }

    def outputs(self) -> list[str]:
        """Return the output of the exec events, in order."""
        return [event["output"] for event in self.guest()["events"] if event["kind"] == "exec"]


def quoted(text: str) -> str:
    """Return a text for YAML's flow style."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@pytest.fixture(scope="session")
def machine() -> runs.Machine:
    """Return kernel, image, initrd and code of this checkout; `make test` has built them."""
    return runs.ensure_machine(SilentReport(), choice=KernelChoice(built=str(booted.kernel().path)))


def with_stack(machine: runs.Machine, workload: str | Path, plan: Plan) -> runs.Machine:
    """Return the machine with the code that a plan of this workload needs."""
    code = library.code_of(workload, plan.stack)
    return runs.with_stacks(machine, [code] if code else [], SilentReport())


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boot a guest for each run of this test, and store none: it looks at the host, or changes the lab."""
    monkeypatch.setattr(stored, "fresh", True)


@pytest.fixture
def plan_of(tmp_path: Path) -> Callable[..., Plan]:
    """Make a plan from the text of a topology and a workload."""

    def make(topology: str, workload: str, seed: int = 1, pcap: str | None = None) -> Plan:
        place, work = tmp_path / "topology.yaml", tmp_path / "workload.yaml"
        place.write_text(topology)
        work.write_text(workload)
        return load(str(place), str(work), seed, pcap=pcap)

    return make


@pytest.fixture
def boot(tmp_path: Path, machine: runs.Machine, plan_of: Callable[..., Plan]) -> Callable[..., Ran]:
    """Boot a topology and a workload given as text, and follow it to its end."""

    def run(topology: str, workload: str, seed: int = 1, stall_s: float = 60.0, pcap: str | None = None) -> Ran:
        directory = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        directory.mkdir()
        plan = plan_of(topology, workload, seed, pcap)
        own = runs.with_images(machine, plan, SilentReport()) if plan.images() else machine
        own = with_stack(own, tmp_path / "workload.yaml", plan)
        stored.boot(plan, own, directory, stall_s=stall_s)
        return Ran(directory)

    return run


@pytest.fixture
def boot_own(tmp_path: Path, machine: runs.Machine) -> Callable[..., Ran]:
    """Boot a topology of the lab with a workload of the lab, changed by ``key=value`` settings."""

    def run(topology: str, workload: str, *settings: str) -> Ran:
        directory = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        directory.mkdir()
        plan = load(topology, workload, 1, settings)
        own = runs.with_images(machine, plan, SilentReport()) if plan.images() else machine
        stored.boot(plan, with_stack(own, workload, plan), directory)
        return Ran(directory)

    return run
