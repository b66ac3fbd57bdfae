# SPDX-License-Identifier: MIT
"""Measures speed and memory on this machine: ``make bench``."""
