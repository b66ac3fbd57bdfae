# SPDX-License-Identifier: MIT
"""Share of wrong bits in a damaged frame; error models give only the probability that it is damaged.

The table next to this file was computed by lab.phy.viterbi, which runs a decoder.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from lab.phy.numbers import Floats

TABLE = Path(__file__).with_name("decoded.csv")


@cache
def _table() -> dict[Fraction, tuple[Floats, Floats]]:
    """Return, by code rate, the bit error rates before decoding (ascending) and after it."""
    found: dict[Fraction, list[tuple[float, float]]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for rate, before, after in list(csv.reader(file))[1:]:
            found.setdefault(Fraction(rate), []).append((float(before), float(after)))
    return {rate: (np.array(rows)[:, 0], np.array(rows)[:, 1]) for rate, rows in found.items()}


def error_rate(rate: Fraction, p: Floats) -> Floats:
    """Return the bit error rate after decoding for the rate ``p`` before it; 1 below the table, where bounds apply.

    Interpolates between rows of the table in the logarithm of both.
    """
    before, after = _table()[rate]
    seen = after > 0
    known = np.exp(np.interp(np.log(np.maximum(p, 1e-300)), np.log(before[seen]), np.log(after[seen])))
    return np.asarray(np.where(p < before[seen][0], 1.0, known))
