# SPDX-License-Identifier: MIT
"""The network."""

from lab.mininet_wifi.net import Mininet_wifi

__all__ = ["Mininet_wifi"]
