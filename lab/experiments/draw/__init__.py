# SPDX-License-Identifier: MIT
"""Figures of an experiment: its results as charts, which lab.drawing draws."""
