# SPDX-License-Identifier: MIT
"""Fading in the guest: how often frames are lost, how levels are distributed, and how long they hold.

Expected losses are those of the lab's own error curve under each level that the distribution of amplitudes gives, by
numerical integration. The distributions are SciPy's, of amplitudes; lab/phy has its own, of powers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest

from lab.phy.curves import NAMED
from lab.phy.error_models import load
from lab.phy.error_rates import hazard
from lab.phy.links import noise_floor_dbm
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
RETRY = 0x08  # of the second octet
HEADER_BITS = 24  # SIGNAL (17.3.4)
NOTICED_DB = 3.0  # preambles, see docs/model.md
STATIONS = ("sta1", "sta2", "sta3")
K_DB = 6.0
M = 3.0


@dataclass(frozen=True)
class Fading:
    """A kind of fading.

    Attributes:
        key: what the topology says.
        amplitudes: their distribution, whose mean square is 1.
        snrs_db: mean ratios at which about 1, 10 and 50 % of the frames are lost. Without fading it is 10 % at 22.6.
    """

    name: str
    key: str
    amplitudes: Any
    snrs_db: tuple[float, float, float]

    def share_below(self, gain_db: Any) -> Any:
        """Probability of a level that exceeds the mean by no more than that."""
        return self.amplitudes.cdf(10 ** (np.asarray(gain_db, dtype=float) / 20))


def fadings() -> list[Fading]:
    """SciPy takes a second to import."""
    from scipy import stats

    k = 10 ** (K_DB / 10)
    return [
        Fading("Rayleigh", "model: rayleigh", stats.rayleigh(scale=sqrt(1 / 2)), (42, 32, 24)),
        Fading(
            f"Rician, K = {K_DB:g} dB",
            f"model: rician, k: {K_DB:g} dB",
            stats.rice(sqrt(2 * k), scale=sqrt(1 / (2 * (k + 1)))),
            (34, 27, 23),
        ),
        Fading(f"Nakagami, m = {M:g}", f"model: nakagami, m: {M:g}", stats.nakagami(M), (30, 26, 23)),
    ]


def arrival(fading: Fading, mean_db: float) -> tuple[Any, Any]:
    """Probability of each level, and that a frame arrives at it."""
    edges_db = np.arange(-60.0, 100.0, 0.01)
    weights = np.diff(fading.share_below(edges_db - mean_db))
    levels_db = (edges_db[1:] + edges_db[:-1]) / 2
    nist = load("nist")
    hazards = HEADER_BITS * hazard(nist, NAMED["bpsk-1/2"], levels_db)
    hazards += 8 * MPDU_BYTES * hazard(nist, NAMED[RATE_CURVE], levels_db)
    return weights, np.where(levels_db >= NOTICED_DB, np.exp(-hazards), 0.0)


def expected_loss(fading: Fading, mean_db: float) -> float:
    """Share of frames of which the receiver gets nothing right."""
    weights, arrives = arrival(fading, mean_db)
    return float(1 - np.sum(weights * arrives))


@pytest.mark.parametrize("which", [0, 1, 2], ids=["rayleigh", "rician", "nakagami"])
def test_frames_are_lost_and_levels_are_distributed_as_the_fading_says(boot: Boot, which: int) -> None:
    """Three stations at three ratios; ACKs come back without loss."""
    fading = fadings()[which]
    said = "".join(
        f"{{from: ap1, to: {name}, is: {snr_db} dB}}, {{from: {name}, to: ap1, is: 70 dB}}, "
        for name, snr_db in zip(STATIONS, fading.snrs_db, strict=True)
    )
    medium = f"fading: {{{fading.key}, coherence: frame}}, snr: [{said}]"
    place = topology(medium, dict.fromkeys(STATIONS, ""))
    ran = boot(place, workload(len(STATIONS), "2 ms", 10), pcap="air")

    for name, snr_db in zip(STATIONS, fading.snrs_db, strict=True):
        seen = attempts(ran, name)
        assert seen.sent > 3900
        expected = expected_loss(fading, snr_db)
        absolute = bound_percent(expected, seen.sent)
        reported = [rounded(100 * expected)]
        row_name = f"{fading.name}; mean {snr_db:g} dB"
        record(Row("fading", row_name, rounded(seen.failed_percent), "%", reported, absolute=absolute))

    # what the medium says of a level is rounded to the nearest dBm, halves away from zero
    mean_dbm = fading.snrs_db[0] + float(noise_floor_dbm())
    levels_dbm = np.array([frame.header["signal_dbm"][0] for frame, _ in data_frames(ran, 1)])
    count = len(levels_dbm)
    steps_dbm = np.arange(levels_dbm.min(), levels_dbm.max())
    seen_below = np.array([np.mean(levels_dbm <= step) for step in steps_dbm])
    # Kolmogorov and Smirnov: beyond that only one in a thousand times
    assert np.max(np.abs(seen_below - fading.share_below(steps_dbm + 0.5 - mean_dbm))) < 1.95 / sqrt(count)
    # each frame has a level of its own
    around = levels_dbm - levels_dbm.mean()
    assert abs(np.mean(around[1:] * around[:-1]) / np.mean(around**2)) < 3.3 / sqrt(count)


def test_what_was_lost_is_lost_again(boot: Boot) -> None:
    """By default, a level lasts for 31 ms at 5 GHz, and a retry follows at once: at the level of the first attempt."""
    fading = fadings()[0]
    mean_db = 32
    ran = boot(
        topology(
            f"fading: {{{fading.key}}}, snr: [{{from: ap1, to: sta1, is: {mean_db} dB}}, "
            "{from: sta1, to: ap1, is: 70 dB}]",
            {"sta1": ""},
        ),
        workload(1, "12 ms", 60),  # each has had its attempts before the next: bad times are seen as often as good ones
        pcap="air",
    )
    sent = data_frames(ran, 1)
    firsts = [(frame, arrived) for frame, arrived in sent if not frame.body[1] & RETRY]
    retries = {frame.sequence: arrived for frame, arrived in reversed(sent) if frame.body[1] & RETRY}
    again = [not retries[frame.sequence] for frame, arrived in firsts if not arrived and frame.sequence in retries]
    assert len(again) > 300
    reported = expected_again(fading, mean_db)
    name = f"{fading.name}; mean {mean_db} dB: first retries that are lost, too"
    record(Row("fading", name, rounded(100 * float(np.mean(again))), "%", [rounded(100 * reported)], absolute=4))


def expected_again(fading: Fading, mean_db: float) -> float:
    """Share of retries that are lost if they have the level of an attempt that was lost."""
    weights, arrives = arrival(fading, mean_db)
    return float(np.sum(weights * (1 - arrives) ** 2) / np.sum(weights * (1 - arrives)))


COHERENCE_MS = 50


def test_a_level_holds_for_the_coherence_time(boot: Boot) -> None:
    """A datagram each millisecond, at a mean level near what the rate needs."""
    place = topology(
        f"fading: {{model: rayleigh, coherence: {COHERENCE_MS} ms}}, "
        "snr: [{from: ap1, to: sta1, is: 24 dB}, {from: sta1, to: ap1, is: 70 dB}]",
        {"sta1": ""},
    )
    ran = boot(place, workload(1, "1 ms", 8), pcap="air")
    sent = data_frames(ran, 1)
    blocks = [list(group) for _, group in groupby(sent, key=lambda one: one[0].stamp_ns // (COHERENCE_MS * 1_000_000))]
    assert len(blocks) > 100
    levels_dbm = [{frame.header["signal_dbm"][0] for frame, _ in block} for block in blocks]
    assert all(len(levels) == 1 for levels in levels_dbm)
    # and not longer: neighbours differ, but for those that fall into the same dB
    means_dbm = [levels.pop() for levels in levels_dbm]
    assert sum(a != b for a, b in pairwise(means_dbm)) > 0.8 * len(blocks)

    # so losses come in blocks: all or nothing, but where the curve is between them
    needs_dbm = 22.6 + float(noise_floor_dbm())
    good = [block for block, level in zip(blocks, means_dbm, strict=True) if level > needs_dbm + 3]
    bad = [block for block, level in zip(blocks, means_dbm, strict=True) if level < needs_dbm - 3]
    assert len(good) > 15 and len(bad) > 15
    assert all(arrived for block in good for _, arrived in block)
    assert not any(arrived for block in bad for _, arrived in block)
