# SPDX-License-Identifier: MIT
"""A plan as tables for a terminal."""
