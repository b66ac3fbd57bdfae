# SPDX-License-Identifier: MIT
"""hostapd swaps the channels of a wide radio where another network has its beacons in the secondary one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.plan.load import load
from lab.runs import Machine, run_plan

pytestmark = pytest.mark.guest

PLACE = """\
name: wide
nodes:
  ap1: {kind: ap, ssid: one, mode: n, channel: CHANNEL, position: [0 m, 0 m, 3 m]}
  ap2: {kind: ap, ssid: two, mode: n, width: 40 MHz, channel: 36, position: [5 m, 0 m, 3 m]}
medium: {}
"""


@pytest.mark.parametrize(("channel", "swapped"), [("40", ["ap2"]), ("36", None), ("44", None)])
def test_a_swap_is_recorded(tmp_path: Path, machine: Machine, channel: str, swapped: list[str] | None) -> None:
    (tmp_path / "place.yaml").write_text(PLACE.replace("CHANNEL", channel))
    (tmp_path / "run").mkdir()
    plan = load(str(tmp_path / "place.yaml"), "idle", overrides=["duration=1 s"])
    record = run_plan(plan, machine, tmp_path / "run")
    assert record.data.get("swapped_channels") == swapped
