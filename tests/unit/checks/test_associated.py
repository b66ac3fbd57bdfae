# SPDX-License-Identifier: MIT
"""With whom a station is associated follows from what the probes told up to a moment.

The probe link begins with what it sees itself. The probe wpa-events only tells of changes: until the first, the
association with which the run began counts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.checks.associated import Associated
from lab.grading.evidence import RunEvidence
from lab.plan.load import load
from lab.record import Record
from lab.shared.outcome import Outcome

CELL = """\
name: cell
nodes:
  ap1: {kind: ap, ssid: a, mode: g, channel: 1, roles: [server]}
  ap2: {kind: ap, ssid: a, mode: g, channel: 6}
  sta1: {kind: sta, ssid: a, roles: [client]}
"""
WORK = """\
name: work
roles: {server: 1, client: 1}
duration: 3 s
processes:
  - {on: client, run: ["true"]}
probes:
  - {on: client, probe: PROBE, as: seen}
"""
SECOND = 1_000_000_000


def seen(folder: Path, probe: str, at: str, *told: tuple[int, str, str | None]) -> str:
    """What the check saw of a station that began the run at ap1, and of which a probe told this."""
    (folder / "cell.yaml").write_text(CELL)
    (folder / "work.yaml").write_text(WORK.replace("PROBE", probe))
    plan = load(str(folder / "cell.yaml"), str(folder / "work.yaml"))
    macs = {node.name: node.radio.mac for node in plan.nodes if node.radio}
    (folder / "guest.json").write_text(Outcome(0, 0, 0, "", [], [], {"sta1": macs["ap1"]}, None).to_json())
    events = [{"t_ns": when, "kind": kind, "fields": {"bssid": macs.get(to or "")}} for when, kind, to in told]
    (process,) = (one.id for one in plan.processes if one.probe == probe)
    record = Record(folder, {"sources": {process: {"occurrences": events, "error": None}}})
    check = Associated.model_validate(
        {"name": "one", "about": "It is so.", "points": 1, "associated": "sta1", "with": "ap1", "at": at}
    )
    return check.judge(RunEvidence(record, plan, folder, {}, {})).seen


@pytest.mark.parametrize(
    ("probe", "told", "at", "found"),
    [
        ("wpa-events", [(2 * SECOND, "connected", "ap2")], "1.99 s", "ap1"),
        ("wpa-events", [(2 * SECOND, "connected", "ap2")], "2 s", "ap2, wanted ap1"),
        ("wpa-events", [(2 * SECOND, "disconnected", None)], "2 s", "no access point, wanted ap1"),
        ("link", [(2 * SECOND, "bssid", "ap1")], "1.99 s", "no access point, wanted ap1"),
        ("link", [(2 * SECOND, "bssid", "ap1")], "2 s", "ap1"),
        ("link", [(SECOND, "bssid", "ap1"), (2 * SECOND, "bssid", None)], "2 s", "no access point, wanted ap1"),
    ],
)
def test_what_counts_is_the_last_that_was_told(
    tmp_path: Path, probe: str, told: list[tuple[int, str, str | None]], at: str, found: str
) -> None:
    assert seen(tmp_path, probe, at, *told) == f"at {at}, sta1 is associated with {found}"
