# SPDX-License-Identifier: MIT
"""Builds kernel, images and the code of stacks."""
