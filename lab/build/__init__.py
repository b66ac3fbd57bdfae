# SPDX-License-Identifier: MIT
"""Builds kernel, image and the code of stacks, and keeps them in a cache by content."""
