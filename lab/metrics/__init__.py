# SPDX-License-Identifier: MIT
"""One metric in each file, computed from what probes recorded; see lab.metrics.base."""
