# SPDX-License-Identifier: MIT
"""Nodes, links, radios and their addresses, resolved."""
