# SPDX-License-Identifier: MIT
"""Path loss models, one per file; see lab.phy.propagation.base."""

from lab.phy.propagation.base import Paths, Propagation, kinds, known, load

__all__ = ["Paths", "Propagation", "kinds", "known", "load"]
