# SPDX-License-Identifier: MIT
"""How many bits of a damaged frame are wrong, where the chance that it is damaged is known from an error model.

The table beside this file is of lab.phy.viterbi, which ran a decoder.
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
    """By code rate: bit error rates before decoding, rising, and after it."""
    found: dict[Fraction, list[tuple[float, float]]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for rate, before, after in list(csv.reader(file))[1:]:
            found.setdefault(Fraction(rate), []).append((float(before), float(after)))
    return {rate: (np.array(rows)[:, 0], np.array(rows)[:, 1]) for rate, rows in found.items()}


def error_rate(rate: Fraction, p: Floats) -> Floats:
    """Bit error rate after decoding, from the rate ``p`` before it; 1 below the table: what is there is left to bounds.

    Between the rows of the table in logarithms of both.
    """
    before, after = _table()[rate]
    seen = after > 0
    known = np.exp(np.interp(np.log(np.maximum(p, 1e-300)), np.log(before[seen]), np.log(after[seen])))
    return np.asarray(np.where(p < before[seen][0], 1.0, known))
