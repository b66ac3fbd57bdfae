# SPDX-License-Identifier: MIT
"""Runs trials on workers, on one machine or many; stores each result by what it depends on."""
