# SPDX-License-Identifier: MIT
"""Figures of an experiment: what is in them (chart), where it goes (layout), and the picture (SVG, PNG)."""
