# SPDX-License-Identifier: MIT
"""Common parts of figures over time: lines, and the moments that all figures mark."""
