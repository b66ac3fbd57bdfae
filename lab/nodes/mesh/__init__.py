# SPDX-License-Identifier: MIT
"""Nodes of kind ``mesh``."""
