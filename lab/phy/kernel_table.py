# SPDX-License-Identifier: MIT
"""Error models in the kernel's form: hazards in fixed point over SNR in hundredths of a decibel (mB).

A value is round(hazard · 2^60). With 60 fraction bits, loss probabilities of the longest A-MPDU (65535 bytes, 2^19
bits) as small as 2^-40 can be represented.
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
_LOST = -math.log(1e-6)  # hazard at which one bit in a million is correct
_NEAR_WORST = 0.9  # of a curve's worst hazard, for curves that never reach _LOST, as a guess is right half the time
_GUESS = 0.98  # of the worst share of wrong bits; beyond that, differences are noise
_NEGLIGIBLE = 2.0**-40 / 2**19  # hazard at which an A-MPDU of 2^19 bits has an error with probability 2^-40
_COARSE = 64  # steps for the first search of a table's range; three quarters of all levels are outside

_BURST_BITS = {  # wrong bits per error event of the K=7 code after Viterbi decoding
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
        start_mb: SNR of the first value, in hundredths of a decibel; the first value also applies below it.
        step_mb: SNR difference between values.
        values: shape (n,), hazards in 1/2^60, not increasing. The last is 0 and applies to all higher levels.
        wrong_bits: shape (n,), the same for wrong bits in a damaged frame, if they are independent.
        events: shape (n,), the same for error events with ``burst_q8`` wrong bits each.
        burst_q8: mean number of wrong bits per error event, in 1/256.
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
    """Return the mean number of wrong bits per error event, in 1/256; without a code, events are single bits."""
    return round((_BURST_BITS[curve.coding.rate] if curve.coding else 1.0) * _BURST_UNIT)


def kernel_table(model: ErrorModel, curve: Curve, step_mb: int = 5) -> KernelTable:
    """Return the table of a curve, at multiples of ``step_mb``.

    It starts at the highest SNR at which almost every bit is wrong (p ≥ 1 - 10^-6) and half of the bits of a damaged
    frame are wrong. If a curve never gets that bad, 90 % of its worst hazard counts instead (DSSS: 0.62, at which the
    48 bits of a header arrive once in 10^13). It ends where the error probability of the longest A-MPDU is below 2^-40.

    Raises:
        InputError: If a user's curve does not fall that far.
        ValueError: If ``step_mb`` is not positive.
    """
    if step_mb < 1:
        raise ValueError(f"step_mb is {step_mb}; it must be at least 1")
    levels_mb = (
        np.arange(math.ceil(SNR_LEAST_DB * 100 / step_mb), math.floor(SNR_MOST_DB * 100 / step_mb) + 1) * step_mb
    )
    few = np.append(np.arange(0, len(levels_mb), _COARSE), len(levels_mb) - 1)
    hazards = hazard(model, curve, levels_mb[few] / 100.0)
    if hazards[-1] >= _NEGLIGIBLE:
        raise InputError(
            f"curve {curve.name} of error model {model.name} still has errors at {SNR_MOST_DB:g} dB; "
            "make its last rows fall faster, or end it with a rate of 0"
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
    """Return the share of wrong bits in damaged frames, shaped like ``snr_db``; at most 0.5."""
    before = model.uncoded(curve, snr_db)
    if curve.coding is None or before is None:
        return np.full_like(snr_db, 0.5)
    return np.minimum(decoded.error_rate(curve.coding.rate, before), 0.5)


def _event_share(share: Floats, burst: float) -> Floats:
    """Return the share of bits at which an error event starts, for a share of wrong bits.

    An event of m = ``burst`` wrong bits spans 2 m - 1 bits, within which no other starts. So the share of wrong bits is
    s = q m / (1 + q (2 m - 2)), here solved for q.
    """
    return np.asarray(share / (burst - share * (2 * burst - 2)))


def _within(hazards: Floats, share: Floats) -> Floats:
    """Limit hazards to those of the share of wrong bits, and make them non-increasing."""
    return np.asarray(np.minimum.accumulate(np.minimum(hazards, -np.log1p(-share))))


def _fixed(hazards: Floats) -> npt.NDArray[np.uint64]:
    """Convert to the kernel's fixed point; the last value is 0."""
    values = np.rint(np.minimum(hazards, HAZARD_CAP) * 2.0**FRACTION_BITS).astype(np.uint64)
    values[-1] = 0
    return values


def _ends(lost: npt.NDArray[np.bool_], guessed: npt.NDArray[np.bool_], none: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first and the last index of a table.

    Args:
        lost: levels at which a frame is lost; true up to some level.
        guessed: levels at which its bits are no better than a guess; also true up to some level.
        none: levels at which the hazard may be taken as 0; true from some level on.
    """
    end = int(np.flatnonzero(none)[0])
    return min(int(np.flatnonzero(lost & guessed)[-1]), end), end
