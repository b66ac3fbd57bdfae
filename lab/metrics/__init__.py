# SPDX-License-Identifier: MIT
"""One metric in each file, computed from what probes recorded; see lab.metrics.base."""

from lab.metrics.base import known, load

__all__ = ["known", "load"]
