# SPDX-License-Identifier: MIT
"""Error models as the kernel takes them: hazards in fixed point over SNR in hundredths of a decibel (mB).

A value is round(hazard · 2^60). With 60 bits behind the point, the longest A-MPDU (65535 bytes, 2^19 bits) may still be
lost as rarely as once in 2^40.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lab.errors import InputError
from lab.phy import decoded
from lab.phy.curves import Curve
from lab.phy.error_models import ErrorModel
from lab.phy.error_models.base import HAZARD_CAP
from lab.phy.error_rates import SNR_LEAST_DB, SNR_MOST_DB, hazard
from lab.phy.numbers import Floats

FRACTION_BITS = 60
_LOST = -math.log(1e-6)  # hazard at which a bit is right but once in a million
_NEAR_WORST = 0.9  # of a curve's worst hazard, for those that never get to _LOST, as a guess is right half the time
_GUESS = 0.98  # of the worst share of wrong bits: what is left to tell of them is noise
_NEGLIGIBLE = 2.0**-40 / 2**19  # hazard: an A-MPDU of 2^19 bits has an error once in 2^40
_COARSE = 64  # steps, to find a table's range: three quarters of all levels are outside

_BURST_BITS = {  # wrong bits in one error event of the K=7 code after Viterbi's decoder
    Fraction(1, 2): 3.3,
    Fraction(2, 3): 3.0,
    Fraction(3, 4): 5.3,
    Fraction(5, 6): 6.6,
}
_BURST_UNIT = 256


@dataclass(frozen=True, eq=False)
class KernelTable:
    """One curve for the kernel.

    Attributes:
        curve: its index.
        model: name of the error model.
        start_mb: SNR of the first value, in hundredths of a decibel; below it, the first value holds.
        step_mb: SNR from one value to the next.
        values: shape (n,), hazards in 1/2^60, none above the one before it. The last is 0, and so are all beyond.
        wrong_bits: shape (n,), likewise, of bits in a frame that is damaged: how many are wrong, each by itself.
        events: shape (n,), likewise, of error events with ``burst_q8`` wrong bits each.
        burst_q8: mean number of wrong bits in one error event, in 1/256, for positions in bursts.
    """

    curve: int
    model: str
    start_mb: int
    step_mb: int
    values: npt.NDArray[np.uint64]
    wrong_bits: npt.NDArray[np.uint64]
    events: npt.NDArray[np.uint64]
    burst_q8: int


def burst_q8(curve: Curve) -> int:
    """Mean number of wrong bits in one error event, in 1/256; without a code, events are single bits."""
    return round((_BURST_BITS[curve.coding.rate] if curve.coding else 1.0) * _BURST_UNIT)


def kernel_table(model: ErrorModel, curve: Curve, step_mb: int = 5) -> KernelTable:
    """The table of a curve, at multiples of ``step_mb``.

    It begins at the highest SNR at which hardly a bit gets through (p ≥ 1 - 10^-6), or, where a curve never gets there,
    at which the hazard is 90 % of its worst (DSSS: 0.62, which the 48 bits of a header survive once in 10^13), and at
    which half of the bits of a damaged frame are wrong. It ends where the longest A-MPDU has an error less than once in
    2^40.

    Raises:
        InputError: a user's curve does not fall so far.
        ValueError: ``step_mb`` is no positive number.
    """
    if step_mb < 1:
        raise ValueError(f"a step of {step_mb} mB")
    levels_mb = (
        np.arange(math.ceil(SNR_LEAST_DB * 100 / step_mb), math.floor(SNR_MOST_DB * 100 / step_mb) + 1) * step_mb
    )
    few = np.append(np.arange(0, len(levels_mb), _COARSE), len(levels_mb) - 1)
    hazards = hazard(model, curve, levels_mb[few] / 100.0)
    if hazards[-1] >= _NEGLIGIBLE:
        raise InputError(
            f"curve {curve.name} of error model {model.name} still has errors at {SNR_MOST_DB:g} dB; "
            "let its last rows fall faster, or end it with a rate of 0"
        )
    lost = min(_LOST, _NEAR_WORST * hazards[0])
    share = wrong_share(model, curve, levels_mb[few] / 100.0)
    guess = _GUESS * share[0]
    start, end = _ends(hazards >= lost, share >= guess, hazards < _NEGLIGIBLE)
    levels_mb = levels_mb[few[start] : few[end] + 1]
    hazards = hazard(model, curve, levels_mb / 100.0)
    share = wrong_share(model, curve, levels_mb / 100.0)
    start, end = _ends(hazards >= lost, share >= guess, hazards < _NEGLIGIBLE)
    hazards, share = hazards[start : end + 1], share[start : end + 1]
    burst = burst_q8(curve)
    return KernelTable(
        curve.index,
        model.name,
        int(levels_mb[start]),
        step_mb,
        _fixed(hazards),
        _fixed(_within(hazards, share)),
        _fixed(_within(hazards, _event_share(share, burst / _BURST_UNIT))),
        burst,
    )


def wrong_share(model: ErrorModel, curve: Curve, snr_db: Floats) -> Floats:
    """The share of bits that are wrong where frames are damaged, in the shape of ``snr_db``; at most a half."""
    before = model.uncoded(curve, snr_db)
    if curve.coding is None or before is None:
        return np.full_like(snr_db, 0.5)
    return np.minimum(decoded.error_rate(curve.coding.rate, before), 0.5)


def _event_share(share: Floats, burst: float) -> Floats:
    """The share of bits at which an error event begins, for that share of wrong ones.

    An event has ``burst`` wrong bits in 2 burst - 1, and no other begins meanwhile: of s = q m / (1 + q (2 m - 2)).
    """
    return np.asarray(share / (burst - share * (2 * burst - 2)))


def _within(hazards: Floats, share: Floats) -> Floats:
    """Hazards that are as low as the share of wrong bits has them, and do not rise again beyond."""
    return np.asarray(np.minimum.accumulate(np.minimum(hazards, -np.log1p(-share))))


def _fixed(hazards: Floats) -> npt.NDArray[np.uint64]:
    """In the kernel's fixed point; the last is 0."""
    values = np.rint(np.minimum(hazards, HAZARD_CAP) * 2.0**FRACTION_BITS).astype(np.uint64)
    values[-1] = 0
    return values


def _ends(lost: npt.NDArray[np.bool_], guessed: npt.NDArray[np.bool_], none: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Where a table begins and ends.

    Args:
        lost: levels at which a frame is lost; as the next, true up to some level.
        guessed: at which its bits are no better than a guess.
        none: at which hazards may be taken for 0, true from some level on.
    """
    end = int(np.flatnonzero(none)[0])
    return min(int(np.flatnonzero(lost & guessed)[-1]), end), end
