# SPDX-License-Identifier: MIT
"""Builds and caches kernel and image by content; boots, watches and ends a guest."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]  # the checkout: hwsim-patches/, images/
