# SPDX-License-Identifier: MIT
"""What walls do to levels in the guest, and what error models other than NIST's do to frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.phy.curves import NAMED
from lab.phy.error_models import load
from lab.phy.error_rates import per
from tests.system.conftest import Ran
from tests.system.downlink import (
    MPDU_BYTES,
    RATE_CURVE,
    attempts,
    bound_percent,
    data_frames,
    topology,
    workload,
)
from tests.validation.rows import Row, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

Boot = Callable[..., Ran]
WALL_DB = 12


def test_a_wall_takes_its_loss_off_the_level(boot: Boot) -> None:
    """Two stations at equal distances, one behind the wall."""
    place = topology(
        f"walls: [{{from: [5 m, -5 m], to: [5 m, 5 m], loss: {WALL_DB} dB}}]",
        {"sta1": "position: [10 m, 0 m, 1 m]", "sta2": "position: [-10 m, 0 m, 1 m]"},
    )
    ran = boot(place, workload(2, "20 ms", 3), pcap="air")
    behind, open_air = ([frame.header["signal_dbm"][0] for frame, _ in data_frames(ran, number)] for number in (1, 2))
    assert len(behind) > 40 and len(open_air) > 40
    assert {*behind} == {open_air[0] - WALL_DB} and len({*open_air}) == 1


TABLE_LOSS = 0.3
OTHERS = ("bpsk-1/2", "bpsk-3/4", "qpsk-1/2", "qpsk-3/4", "16qam-1/2", "16qam-3/4", "64qam-2/3")  # of mode a
YANS_DB = 19.0


def table() -> str:
    """At 20 dB, 54 Mbit/s loses 30 % of frames of that length; the other rates lose nothing there."""
    bits = 8 * MPDU_BYTES
    lines = ["curve,snr_db,per,bits"]
    for curve in OTHERS:
        lines += [f"{curve},-5,0.9,{bits}", f"{curve},0,0.1,{bits}", f"{curve},5,0,{bits}"]
    lines += [f"{RATE_CURVE},15,0.9,{bits}", f"{RATE_CURVE},20,{TABLE_LOSS},{bits}", f"{RATE_CURVE},30,0,{bits}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("model", ["table", "yans"])
def test_frames_are_damaged_as_other_error_models_say(boot: Boot, tmp_path: Path, model: str) -> None:
    if model == "table":
        (tmp_path / "own.csv").write_text(table())
        errors, snr_db, expected = "{table: own.csv}", 20.0, TABLE_LOSS
    else:
        errors, snr_db = "yans", YANS_DB
        expected = float(per(load("yans"), NAMED[RATE_CURVE], snr_db, 8 * MPDU_BYTES))
    place = topology(
        f"errors: {errors}, snr: [{{from: ap1, to: sta1, is: {snr_db} dB}}, {{from: sta1, to: ap1, is: 70 dB}}]",
        {"sta1": ""},
    )
    seen = attempts(boot(place, workload(1, "1 ms", 6)), "sta1")
    assert seen.sent > 4500 and seen.lost == 0
    # NIST's curve is elsewhere
    other = float(per(load("nist"), NAMED[RATE_CURVE], snr_db, 8 * MPDU_BYTES))
    bound = bound_percent(expected, seen.sent)
    assert abs(100 * (other - expected)) > 10 * bound
    name = f"{'table of a CSV file' if model == 'table' else 'Yans'}; {snr_db:g} dB"
    record(Row("fading", name, rounded(seen.failed_percent), "%", [rounded(100 * expected)], absolute=bound))
