# SPDX-License-Identifier: MIT
"""Metrics of the medium, from what a guest counted."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from lab.guest.medium.uapi import Airtime
from lab.metrics.air_share import USES
from lab.metrics.base import Context, MetricValues, load
from lab.record import medium
from lab.shared.frozen import fields_of
from lab.shared.medium_types import FrameCounts, LinkCounters, OnAir
from tests.unit.record.medium_sample import TEXT

from .samples import SECOND, context, wanted


@pytest.fixture
def run(tmp_path: Path) -> Context:
    """Two seconds; ap1 has sent all the time on 2412 MHz, 80 ms of answers and beacons on 2437 MHz."""
    (tmp_path / "medium.json").write_text(TEXT)
    return dataclasses.replace(context(), medium=medium.read(tmp_path))


def computed(run: Context, kind: str, *of: str, per: str | None = None) -> MetricValues:
    return load(kind).compute(wanted(kind, *of, unit="%", per=per), run)


def test_uses_are_those_that_the_kernel_counts() -> None:
    assert tuple(use.name.lower() for use in Airtime) == USES


def test_the_share_of_a_use_on_each_channel(run: Context) -> None:
    found = computed(run, "air-share", "data")
    # of 2412 MHz: 1200 of 2000 ms; of 2437 MHz: nothing
    assert found.rows == [{"of": "data", "mhz": 2412, "share": 60.0}, {"of": "data", "mhz": 2437, "share": 0.0}]
    assert found.values == [60.0, 0.0]
    first = found.series[0]
    assert (first.name, first.unit) == ("data 2412 MHz", "%")
    assert first.t_ns == [SECOND, 2 * SECOND] and first.values == [40.0, 80.0]


def test_the_shares_of_all_uses_are_the_whole_time(run: Context) -> None:
    found = computed(run, "air-share", *USES)
    for mhz in (2412, 2437):
        assert sum(row["share"] for row in found.rows if row["mhz"] == mhz) == pytest.approx(100)


def test_the_share_of_what_a_node_sends(run: Context) -> None:
    found = computed(run, "air-share", "ap1", "sta1")
    assert found.rows == [{"of": "ap1", "mhz": None, "share": 100.0}, {"of": "sta1", "mhz": None, "share": 0.0}]


def test_the_loss_of_frames_on_each_link(run: Context) -> None:
    found = computed(run, "frame-loss", "ap1", "sta1")
    counts = {"damaged": 1, "collided": 1, "lost": 1, "header": 0, "away": 0, "dropped": 1, "approximate": 0}
    assert found.rows == [
        {"from": "ap1", "to": "sta1", "sent": 20, **counts, "loss": 15.0},
        {"from": "ap1", "to": "sta2", "sent": 10, **dict.fromkeys(counts, 0), "loss": 0.0},
    ]
    assert found.values == [15.0, 0.0]


def test_the_loss_of_all_that_a_node_sends(run: Context) -> None:
    (row,) = computed(run, "frame-loss", "ap1", "sta1", per="node").rows
    assert (row["from"], row["to"], row["sent"], row["loss"]) == ("ap1", None, 30, 10.0)


@pytest.mark.parametrize(("kind", "of"), [("air-share", "data"), ("air-share", "ap1"), ("frame-loss", "ap1")])
def test_a_run_without_a_medium_has_no_values(kind: str, of: str) -> None:
    assert computed(context(), kind, of).values == []


def test_frames_are_damaged_or_erased() -> None:
    clean = FrameCounts(**dict.fromkeys(fields_of(FrameCounts) or (), 0) | {"sent": 200})
    counts = dataclasses.replace(clean, damaged=50, collided=6, lost=3, header=2, away=1, approximate=52)
    links = [LinkCounters("sta1", "ap1", counts, {}), LinkCounters("sta1", "ap2", clean, {})]
    run = dataclasses.replace(context(), medium=OnAir([], [], links, [], {}))
    kinds = ("frame-loss", "frames-damaged", "frame-erasure")
    values = {kind: load(kind).compute(wanted(kind, "sta1", unit="%"), run).values for kind in kinds}
    assert values == {"frame-loss": [31, 0], "frames-damaged": [26, 0], "frame-erasure": [5, 0]}
    node = load("frame-erasure").compute(wanted("frame-erasure", "sta1", unit="%", per="node"), run)
    assert node.rows == [{"from": "sta1", "to": None, "sent": 400, "lost": 2.5}]
    assert not load("frame-erasure").compute(wanted("frame-erasure", "sta1", unit="%"), context()).rows
