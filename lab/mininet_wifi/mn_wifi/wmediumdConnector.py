# SPDX-License-Identifier: MIT
"""Modes of Mininet-WiFi's medium; the lab always has its own (docs/mininet-wifi.md)."""


class snr:
    """The level decides which frames arrive."""


class interference:
    """The same, and frames collide."""


class error_prob:
    """A share of frames is lost, whatever the level."""
