# SPDX-License-Identifier: MIT
"""Measure speed and memory on this machine: ``make bench``."""
