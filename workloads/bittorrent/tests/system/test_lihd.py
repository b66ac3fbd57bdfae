# SPDX-License-Identifier: MIT
"""LIHD in the guest: the client keeps to the limits that follow from its downloads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load

from ...probes._lihd_program import Lihd
from .test_swarm import CELL, PEER, PUBLISHED, STACK

pytestmark = pytest.mark.guest


def test_its_client_keeps_to_the_limits_of_the_rule(tmp_path: Path, machine: runs.Machine) -> None:
    """Two stations download from a seed that gives 100 kB/s, and give to each other what they have."""
    published = PUBLISHED.replace("torrent: /srv", "upload: 800 kbit/s, utp: false, torrent: /srv")
    (tmp_path / "w.yaml").write_text(
        published
        + "  - {on: sta1, run: {probe: lihd, window: 5 s, start: 160 kbit/s}, as: lihd}\n"
        + PEER.replace("probe: transmission,", "probe: transmission, utp: false,")
    )
    (tmp_path / "t.yaml").write_text(CELL)
    plan = load(str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"), 1, ("files.file.random=16 MiB", "duration=62 s"))
    own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
    (tmp_path / "run").mkdir()
    record = runs.run_plan(plan, own, tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "raw" / "lihd.out").read_text().splitlines()]
    assert len(lines) >= 11
    rule = Lihd("window", 10, 10, 20, 10, 125_000)
    assert [line["next"] for line in lines] == [rule.window(line["down"]) for line in lines]
    assert [line["limit"] for line in lines[1:]] == [line["next"] for line in lines[:-1]]
    assert any(after["next"] > after["limit"] for after in lines)
    assert max(line["up"] - line["limit"] for line in lines) < 5  # kB/s: a block more or less in a window
    assert max(line["up"] for line in lines) > 5
    assert record.data["sources"]["lihd"]["values"]["windows"] == len(lines)
