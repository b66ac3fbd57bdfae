# SPDX-License-Identifier: MIT
"""LIHD in the guest: the client keeps to the limits that follow from its downloads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.record import Record
from tests import stored

from ...probes._lihd_program import Lihd
from .test_swarm import CELL, PEER, PUBLISHED, STACK

pytestmark = pytest.mark.guest


def run(tmp_path: Path, machine: runs.Machine, processes: str) -> tuple[Record, list[dict[str, Any]]]:
    """Two stations download from a seed that gives 100 kB/s, and give to each other what they have."""
    published = PUBLISHED.replace("torrent: /srv", "upload: 800 kbit/s, utp: false, torrent: /srv")
    lihd = "  - {on: sta1, run: {probe: lihd, window: 5 s, start: 160 kbit/s}, as: lihd}\n"
    (tmp_path / "w.yaml").write_text(published + lihd + processes)
    (tmp_path / "t.yaml").write_text(CELL)
    plan = load(str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"), 1, ("files.file.random=16 MiB", "duration=62 s"))
    own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
    (tmp_path / "run").mkdir()
    record = stored.run_plan(plan, own, tmp_path / "run")
    return record, [json.loads(line) for line in (tmp_path / "run" / "raw" / "lihd.out").read_text().splitlines()]


def follow(lines: list[dict[str, Any]]) -> list[float]:
    """Return the limits that follow from the windows that count; after a restart, the rule compares with nothing."""
    rule, restarts, limits = Lihd("window", 10, 10, 20, 10, 125_000), 0, []
    for line in lines:
        if line["restarts"] > restarts or not line["counts"]:
            rule.forget()
        restarts = line["restarts"]
        limits.append(rule.window(line["down"]) if line["counts"] else rule.limit)
    return limits


TCP = PEER.replace("probe: transmission,", "probe: transmission, utp: false,")


def test_its_client_keeps_to_the_limits_of_the_rule(tmp_path: Path, machine: runs.Machine) -> None:
    record, lines = run(tmp_path, machine, TCP)
    assert len(lines) >= 11
    assert [line["next"] for line in lines] == follow(lines) and all(line["counts"] for line in lines)
    assert [line["limit"] for line in lines[1:]] == [line["next"] for line in lines[:-1]]
    assert any(after["next"] > after["limit"] for after in lines)
    assert max(line["up"] - line["limit"] for line in lines) < 5  # kB/s: a block more or less in a window
    assert max(line["up"] for line in lines) > 5
    assert record.data["sources"]["lihd"]["values"]["windows"] == len(lines)


def test_a_client_that_is_started_anew_gets_the_limit_of_the_old_one(tmp_path: Path, machine: runs.Machine) -> None:
    """The first one ends at 22 s, the second one starts at 30 s."""
    first, second = TCP.replace("client,", "sta1,"), TCP.replace("client,", "sta2,").replace("as: peer", "as: other")
    again = first.replace("at: 1 s", "at: 30 s").replace("as: peer", "as: again")
    record, lines = run(tmp_path, machine, first.replace("at: 1 s", "at: 1 s, stop: 22 s") + second + again)
    assert [line["restarts"] for line in lines] == sorted([0] * 4 + [1] * (len(lines) - 4)) and len(lines) > 8, lines
    assert [line["next"] for line in lines] == follow(lines)
    assert all(line["down"] >= 0 <= line["up"] for line in lines)
    assert max(line["up"] - line["limit"] for line in lines) < 5
    assert max(line["up"] for line in lines if line["restarts"]) > 5  # without a limit, it would be more than that
    assert record.data["sources"]["lihd"]["values"]["restarts"] == 1
