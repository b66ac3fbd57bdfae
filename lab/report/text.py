# SPDX-License-Identifier: MIT
"""Moved to lab.text."""

from lab.text import printable

__all__ = ["printable"]
