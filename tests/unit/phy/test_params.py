# SPDX-License-Identifier: MIT
"""What files may say of kinds: every parameter has a meaning, and bounds that name it."""

from __future__ import annotations

import dataclasses

import pytest

from lab import units
from lab.phy import error_models
from lab.phy.curves import CURVES
from lab.phy.fading.base import FADING
from lab.phy.params import BoundsError, PhyModel, check
from lab.phy.propagation.base import PROPAGATION


@pytest.mark.parametrize("kind", [*PROPAGATION.classes().values(), *FADING.classes().values()])
def test_every_parameter_is_described(kind: type[PhyModel]) -> None:
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        assert field.metadata["about"].endswith(".")
        unit = field.metadata["unit"]
        assert not unit or units.dimension_of(unit) is not None


def test_bounds_name_the_parameter() -> None:
    with pytest.raises(BoundsError) as failure:
        check("k_db", 50, -40, 40, "dB")
    assert (failure.value.key, failure.value.wanted) == ("k_db", "write a number from -40 to 40 dB")


def test_formulas_have_every_curve() -> None:
    assert all(error_models.load(name).has(curve) for name in ("nist", "yans") for curve in CURVES)
