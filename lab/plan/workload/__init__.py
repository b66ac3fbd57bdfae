# SPDX-License-Identifier: MIT
"""Files, processes, probes, metrics and checks of a workload, bound to the nodes of a topology."""
