# SPDX-License-Identifier: MIT
"""Fading distributions, one per file; see lab.phy.fading.base."""

from lab.phy.fading.base import Fading, known, load, quantiles

__all__ = ["Fading", "known", "load", "quantiles"]
