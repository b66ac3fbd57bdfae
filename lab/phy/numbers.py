# SPDX-License-Identifier: MIT
"""Arrays, decibels, and the error function."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def linear(value_db: npt.ArrayLike) -> Floats:
    """The ratio of two powers that is so many decibels, in the shape of ``value_db``."""
    return np.asarray(10.0 ** (np.asarray(value_db, dtype=np.float64) / 10.0))


def decibels(ratio: npt.ArrayLike) -> Floats:
    """A ratio of two powers, above 0, in decibels."""
    return np.asarray(10.0 * np.log10(np.asarray(ratio, dtype=np.float64)))


_erfc = np.vectorize(math.erfc, otypes=[np.float64])  # scipy's is quicker, but takes longer to import than all of these


def erfc(x: npt.ArrayLike) -> Floats:
    """1 - erf(x) in the shape of ``x``, to the digits of the C library however small it is."""
    return np.asarray(_erfc(x))
