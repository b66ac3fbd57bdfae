# SPDX-License-Identifier: MIT
"""One model of path loss per file; see lab.phy.propagation.base."""

from lab.phy.propagation.base import Paths, Propagation, kinds, known, load

__all__ = ["Paths", "Propagation", "kinds", "known", "load"]
