# SPDX-License-Identifier: MIT
"""Kinds of nodes, one file each."""
