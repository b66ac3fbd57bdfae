# SPDX-License-Identifier: MIT
"""The 802.11 medium of a running guest: requests to the kernel, and its counters."""
