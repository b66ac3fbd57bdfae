# SPDX-License-Identifier: MIT
"""Error models in the kernel's fixed point."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lab.phy.curves import CURVES, NAMED, Curve
from lab.phy.error_models import ErrorModel, load
from lab.phy.error_rates import hazard
from lab.phy.kernel_table import KernelTable, burst_q8, kernel_table, wrong_share

MODELS = [load("nist"), load("yans")]
ONE = 2**60


def level_mb(table: KernelTable, index: int) -> int:
    return table.start_mb + index * table.step_mb


@pytest.mark.parametrize("model", MODELS, ids=["nist", "yans"])
@pytest.mark.parametrize("curve", CURVES, ids=[curve.name for curve in CURVES])
@pytest.mark.parametrize("step_mb", [5, 7, 25])
def test_a_table_holds_the_hazards_from_certain_loss_to_none(model: ErrorModel, curve: Curve, step_mb: int) -> None:
    table = kernel_table(model, curve, step_mb)
    assert (table.curve, table.model, table.step_mb) == (curve.index, model.name, step_mb)
    assert table.values.dtype == np.uint64 and table.start_mb % step_mb == 0
    assert np.all(table.values[1:] <= table.values[:-1])
    levels_mb = table.start_mb + step_mb * np.arange(len(table.values))
    expected = np.minimum(hazard(model, curve, levels_mb / 100), 15.0) * ONE
    assert table.values[:-1].astype(float) == pytest.approx(expected[:-1], abs=0.5, rel=1e-15)
    assert table.values[-1] == 0 and expected[-1] < 2 <= table.values[-2]


@pytest.mark.parametrize("curve", [curve for curve in CURVES if curve.coding], ids=lambda curve: curve.name)
def test_a_table_of_nist_begins_at_the_cap(curve: Curve) -> None:
    """Its decoder gets bits right for some decibels more than its bound has frames arrive."""
    table = kernel_table(MODELS[0], curve)
    assert int(table.values[0]) == 15 * ONE
    wrong = -np.expm1(-table.wrong_bits.astype(float) / ONE)
    assert wrong[0] > 0.475 and wrong[np.flatnonzero(table.values < 13.8 * ONE)[0]] < 0.05
    assert hazard(MODELS[0], curve, level_mb(table, 0) / 100) == math.inf


def test_where_tables_begin_and_end() -> None:
    # bpsk-1/2 leaves a union bound of 1 between 0.75 and 0.80 dB, and a hazard of 2^-59 between 8.90 and 8.95; its
    # decoder guesses at -6.2 dB
    table = kernel_table(MODELS[0], NAMED["bpsk-1/2"])
    capped = np.flatnonzero(table.values == 15 * ONE)
    assert (level_mb(table, int(capped[-1])), level_mb(table, len(table.values) - 1)) == (75, 895)
    assert level_mb(table, 0) == -620
    # a fifth of the step, five times the steps; each end is at most four off
    fine = kernel_table(MODELS[0], NAMED["bpsk-1/2"], 1)
    assert len(fine.values) - 1 == pytest.approx(5 * (len(table.values) - 1), abs=8)


@pytest.mark.parametrize("model", MODELS, ids=["nist", "yans"])
@pytest.mark.parametrize("curve", CURVES, ids=[curve.name for curve in CURVES])
def test_a_table_begins_and_ends_where_a_look_at_every_level_says(model: ErrorModel, curve: Curve) -> None:
    table = kernel_table(model, curve)
    levels_mb = np.arange(-6000, 10_001, 5)
    hazards = hazard(model, curve, levels_mb / 100)
    share = wrong_share(model, curve, levels_mb / 100)
    lost = levels_mb[(hazards >= min(-math.log(1e-6), 0.9 * hazards[0])) & (share >= 0.98 * share[0])]
    none = levels_mb[hazards < 2.0**-59]
    assert (table.start_mb, level_mb(table, len(table.values) - 1)) == (lost[-1], none[0])


def test_guesses_are_right_half_the_time() -> None:
    for name in ("dsss-1", "dsss-2", "cck-5.5", "cck-11"):
        first = int(kernel_table(MODELS[0], NAMED[name]).values[0]) / ONE
        assert 0.89 * math.log(2) < first < math.log(2), name


def test_error_events_have_so_many_bits() -> None:
    # 3.3 · 256 = 844.8, 5.3 · 256 = 1356.8, 6.6 · 256 = 1689.6
    expected = {"1/2": 845, "2/3": 768, "3/4": 1357, "5/6": 1690}
    for curve in CURVES:
        assert burst_q8(curve) == expected.get(curve.name[-3:], 256), curve.name
    assert kernel_table(MODELS[0], NAMED["64qam-2/3"]).burst_q8 == 768


def test_a_step_is_a_positive_number() -> None:
    with pytest.raises(ValueError, match="step_mb is 0"):
        kernel_table(MODELS[0], CURVES[0], 0)
