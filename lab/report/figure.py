# SPDX-License-Identifier: MIT
"""Moved to lab.drawing."""

from lab.drawing.figure import Figure, Panel
from lab.drawing.marks import Band, Line, Rule, Span
from lab.drawing.palette import PALETTE

__all__ = ["PALETTE", "Band", "Figure", "Line", "Panel", "Rule", "Span"]
