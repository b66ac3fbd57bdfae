# SPDX-License-Identifier: MIT
"""The error function over arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from lab.phy.numbers import erfc


def test_the_error_function_has_all_its_digits() -> None:
    x = np.linspace(-6, 26, 4001)  # down to 10^-296
    assert erfc(x) == pytest.approx(special.erfc(x), rel=1e-13, abs=0)
    assert erfc(3.0) == pytest.approx(2.209049699858544e-05, rel=1e-14, abs=0)


def test_the_error_function_has_limits() -> None:
    assert erfc([-math.inf, -40, 0, 40, math.inf]).tolist() == [2, 2, 1, 0, 0]


def test_the_error_function_keeps_the_shape() -> None:
    assert erfc(np.ones((2, 3))).shape == (2, 3)
    assert erfc(1.0).shape == ()
    assert erfc(np.ones((0,))).dtype == np.float64
