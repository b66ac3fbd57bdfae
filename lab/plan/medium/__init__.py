# SPDX-License-Identifier: MIT
"""The 802.11 medium of a topology, resolved to what the kernel takes."""
