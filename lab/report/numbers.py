# SPDX-License-Identifier: MIT
"""Moved to lab.numbers."""

from lab.numbers import MINUS, NONE, plain, short, size, ticks

__all__ = ["MINUS", "NONE", "plain", "short", "size", "ticks"]
