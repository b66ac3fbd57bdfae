# SPDX-License-Identifier: MIT
"""Bit error rates of demodulators, before decoding."""

from __future__ import annotations

import math

import numpy as np

from lab.phy.numbers import Floats, erfc


def bpsk(es_n0: Floats) -> Floats:
    """Return the bit error rate of BPSK: erfc(√s)/2."""
    return np.asarray(0.5 * erfc(np.sqrt(es_n0)))


def dimension(points: int, es_n0: Floats) -> Floats:
    """Return the error probability of one dimension of square QAM: (1 - 1/√M) erfc(√(1.5 s / (M - 1))).

    Args:
        points: M, a power of 4.
        es_n0: s, symbol energy over noise density, linear.
    """
    return np.asarray((1.0 - 1.0 / math.sqrt(points)) * erfc(np.sqrt(1.5 * es_n0 / (points - 1))))


def nearest_neighbour(points: int, es_n0: Floats) -> Floats:
    """Return the bit error rate of Gray-coded square QAM if each wrong dimension costs one bit.

    This is 2/m of ``dimension`` with M = 2^m: for 4, 16, 64 and 256 points, 1/2 erfc(√(s/2)), 3/8 erfc(√(s/10)),
    7/24 erfc(√(s/42)) and 15/64 erfc(√(s/170)).
    """
    return np.asarray(2.0 / math.log2(points) * dimension(points, es_n0))
