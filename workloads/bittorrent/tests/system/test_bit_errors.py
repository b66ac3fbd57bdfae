# SPDX-License-Identifier: MIT
"""Bit errors of an access point: long packets are lost as often as their length says, short ones hardly ever."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from tests import stored

from .test_swarm import STACK

pytestmark = pytest.mark.guest
CELL = """\
name: cell
nodes:
  h1:   {kind: host, roles: [server]}
  ap1:  {kind: ap, ssid: a}
  sta1: {kind: sta, roles: [client]}
links:
  - {between: [h1, ap1]}
"""
BOTH_WAYS = """\
name: both-ways
stack: bittorrent
roles: {server: 1, client: 1, ap: 1}
duration: 12 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sink}, as: back, ready: {listening: udp/9000}}
  - {on: ap, run: {probe: bit-errors, per_million: 15, every: 5 s}, as: errors}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 5 ms, count: 2000, size: 1472 B}, as: long}
  - {on: server, run: {probe: udp-sender, to: "{client.ip}", every: 5 ms, count: 2000, size: 1472 B}, as: long-back}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 5 ms, count: 2000, size: 100 B}, as: short}
"""


def test_losses_follow_the_length(tmp_path: Path, machine: runs.Machine) -> None:
    (tmp_path / "t.yaml").write_text(CELL)
    (tmp_path / "w.yaml").write_text(BOTH_WAYS)
    plan = load(str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"))
    own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
    (tmp_path / "run").mkdir()
    stored.run_plan(plan, own, tmp_path / "run")
    last = json.loads((tmp_path / "run" / "raw" / "errors.out").read_text().splitlines()[-1])
    assert last["joined"] == 0
    for first, length, sent in (("1496", 1500, 4000), ("128", 128, 2000)):
        seen = last["classes"][first]
        share = 1 - (1 - 1.5e-5) ** (8 * length)
        deviation = math.sqrt(share * (1 - share) * seen["packets"])
        assert seen["packets"] == sent
        assert abs(seen["lost"] - share * seen["packets"]) < 4 * deviation, (length, seen)
