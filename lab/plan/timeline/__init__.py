# SPDX-License-Identifier: MIT
"""Events in order of time, and positions of moving nodes."""
