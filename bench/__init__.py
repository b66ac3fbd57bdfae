# SPDX-License-Identifier: MIT
"""Figures of speed and memory, measured on this machine in one go: ``make bench``."""
