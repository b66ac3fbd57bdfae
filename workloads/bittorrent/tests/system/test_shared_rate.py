# SPDX-License-Identifier: MIT
"""Both directions through an access point share one rate and one queue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.probes.base import Raw
from lab.probes.base import load as load_probe
from tests import stored

from .test_bit_errors import CELL
from .test_swarm import STACK

pytestmark = pytest.mark.guest
SINKS = ("up", "down")
OFFERED = """\
name: offered
stack: bittorrent
roles: {server: 1, client: 1, ap: 1}
duration: 12 s
processes:
  - {on: server, run: {probe: udp-sink}, as: up, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sink}, as: down, ready: {listening: udp/9000}}
  - {on: ap, run: {probe: shared-rate, rate: 2 Mbit/s, queue: 20, every: 100 ms}, as: leg}
"""
SENDER = "{{probe: udp-sender, to: {to}, every: 5 ms, count: 2000, size: 1472 B}}"
UP, DOWN = (
    f"  - {{on: {on}, at: 1 s, run: {SENDER.format(to=repr(f'{{{to}.ip}}'))}, as: from-{on}}}\n"
    for on, to in (("client", "server"), ("server", "client"))
)


@pytest.mark.parametrize(("senders", "offered"), [(UP, 1), (UP + DOWN, 2)], ids=["up", "both"])
def test_one_rate_is_for_both_directions(senders: str, offered: int, tmp_path: Path, machine: runs.Machine) -> None:
    """Each direction offers 2.4 Mbit/s for ten seconds."""
    (tmp_path / "t.yaml").write_text(CELL)
    (tmp_path / "w.yaml").write_text(OFFERED + senders)
    plan = load(str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"))
    own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
    (tmp_path / "run").mkdir()
    stored.run_plan(plan, own, tmp_path / "run")
    looks: list[dict[str, Any]] = [
        json.loads(line) for line in (tmp_path / "run" / "raw" / "leg.out").read_text().splitlines()
    ]
    first, last = (next(one for one in looks if one["packets"] >= least) for least in (100, 1500))
    seconds = float(last["t_s"]) - float(first["t_s"])
    assert 8 * (last["bytes"] - first["bytes"]) / seconds == pytest.approx(2e6, rel=0.02)
    assert max(look["queued"] for look in looks) == 20  # of both directions together
    received = sum(
        load_probe("udp-sink").parse(Raw(tmp_path / "run" / "raw", name)).values["packets"] for name in SINKS
    )
    others = (
        looks[-1]["packets"] - received,
        sum(looks[-1][key] for key in ("packets", "lost", "queued")) - 2000 * offered,
    )
    assert all(0 <= count < 10 for count in others), others  # such as IGMP
