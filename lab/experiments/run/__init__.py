# SPDX-License-Identifier: MIT
"""Trials: on workers, on one machine or many, each result stored under what it depends on."""
