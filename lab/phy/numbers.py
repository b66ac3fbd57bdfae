# SPDX-License-Identifier: MIT
"""Arrays, decibels, and the error function."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def linear(value_db: npt.ArrayLike) -> Floats:
    """Convert decibels to a ratio of powers, in the shape of ``value_db``."""
    return np.asarray(10.0 ** (np.asarray(value_db, dtype=np.float64) / 10.0))


def decibels(ratio: npt.ArrayLike) -> Floats:
    """Convert a ratio of powers, above 0, to decibels."""
    return np.asarray(10.0 * np.log10(np.asarray(ratio, dtype=np.float64)))


_erfc = np.vectorize(
    math.erfc, otypes=[np.float64]
)  # scipy's is faster, but its import takes longer than all calls together


def erfc(x: npt.ArrayLike) -> Floats:
    """Return 1 - erf(x) in the shape of ``x``, with the C library's precision even for tiny results."""
    return np.asarray(_erfc(x))
