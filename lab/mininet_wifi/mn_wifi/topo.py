# SPDX-License-Identifier: MIT
"""Networks as classes."""

from lab.mininet_wifi.topo import Topo

__all__ = ["Topo"]
