# SPDX-License-Identifier: MIT
"""Path loss models, one per file; see lab.phy.propagation.base."""

from lab.phy.propagation.base import Paths, Propagation, known, load

__all__ = ["Paths", "Propagation", "known", "load"]
