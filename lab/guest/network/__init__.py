# SPDX-License-Identifier: MIT
"""Containers, links and radios of a running guest, with Mininet-WiFi's vocabulary."""
