# SPDX-License-Identifier: MIT
"""Events in the order of their times, and where nodes are while they move."""
