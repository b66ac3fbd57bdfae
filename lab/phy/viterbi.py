# SPDX-License-Identifier: MIT
"""Bit error rates after Viterbi decoding over those before it, found by running a decoder.

Bounds on the error probability (as in lab.phy.error_models) do not say how many bits of a damaged frame are wrong: they
exceed 1 where the decoder still gets most bits right. Applications that read damaged frames need the rate itself. So
the K=7 code of 802.11 (generators 133 and 171 octal, IEEE 802.11-2020 17.3.5.6, punctured as there) is decoded with
hard decisions over a binary symmetric channel. ``python -m lab.phy.viterbi`` writes the table that lab.phy.decoded
reads.

Not modelled: soft decisions, which need about 2 dB less; a limited traceback depth.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lab.phy.decoded import TABLE

_STATES = 64
_GENERATORS = (0o133, 0o171)
_PUNCTURING = {  # coded bits of A and B that are sent, one period
    Fraction(1, 2): ((1,), (1,)),
    Fraction(2, 3): ((1, 1), (1, 0)),
    Fraction(3, 4): ((1, 1, 0), (1, 0, 1)),
    Fraction(5, 6): ((1, 1, 0, 1, 0), (1, 0, 1, 0, 1)),
}
_LENGTH, _FRAMES, _SEED = 1200, 256, 1
_EDGE = 60  # bits at the end of a frame that are not counted, since its final state is unknown
# before decoding; below the first rate the union bound is tight, at one half nothing can be decoded
_RATES: tuple[float, ...] = (0.002, 0.004, 0.006, 0.008, 0.01, 0.014, 0.018, 0.024, 0.03, 0.04, 0.05, 0.06, 0.08)
_RATES += (0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def error_rate(rate: Fraction, p: float, frames: int = _FRAMES, length: int = _LENGTH, seed: int = _SEED) -> float:
    """Return the share of wrong bits after decoding.

    ``p``: probability that a coded bit is wrong; ``length``: bits per frame; ``seed``: of the channel and of ties.
    """
    rng = np.random.default_rng(seed)
    sent = np.array(_PUNCTURING[rate], dtype=np.int8)  # (2, period)
    came, decisions, metrics = _trellis()
    costs = np.zeros((frames, _STATES), dtype=np.float32)
    costs[:, 1:] = 1e3  # a frame starts in the first state
    taken = np.empty((length, frames, _STATES), dtype=bool)
    for step in range(length):
        # the code is linear, so errors after all zeros are typical of any data
        wrong = rng.random((2, frames)) < p
        mask = sent[:, step % sent.shape[1]]
        branch = sum(mask[one] * (metrics[one][None, :, :] != wrong[one][:, None, None]) for one in (0, 1))
        paths = costs[:, came] + branch  # (frames, states, 2)
        paths += rng.random(paths.shape, dtype=np.float32) * 1e-3  # break ties at random
        taken[step] = paths[:, :, 1] < paths[:, :, 0]
        costs = np.rint(paths.min(axis=2)).astype(np.float32)
    return _wrong_share(came, decisions, taken, costs)


def _trellis() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """Return predecessors of each state (states, 2), the bit that led there (states), the output (2, states, 2)."""
    after = np.arange(_STATES)
    came = np.stack([after * 2 % _STATES, after * 2 % _STATES + 1], axis=1)
    bit = (after >> 5).astype(np.int8)
    registers = bit[:, None].astype(np.intp) << 6 | came
    taps = registers & np.array(_GENERATORS)[:, None, None]
    sent = np.array([[[int(tap).bit_count() & 1 for tap in row] for row in state] for state in taps], dtype=bool)
    return came, bit, sent


def _wrong_share(
    came: npt.NDArray[np.intp],
    decisions: npt.NDArray[np.int8],
    taken: npt.NDArray[np.bool_],
    costs: npt.NDArray[np.float32],
) -> float:
    """Trace back from the best final state and return the share of wrong bits."""
    state = costs.argmin(axis=1)
    every = np.arange(len(state))
    wrong = 0
    for step in range(len(taken) - 1, -1, -1):
        if step < len(taken) - _EDGE:
            wrong += int(decisions[state].sum())
        state = came[state, taken[step, every, state].astype(np.intp)]
    return wrong / (len(state) * (len(taken) - _EDGE))


def main() -> int:
    """Write the table."""
    lines = ["code rate,before decoding,after decoding"]
    for rate in _PUNCTURING:
        for p in _RATES:
            lines.append(f"{rate},{p:g},{error_rate(rate, p):.3g}")
            print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
