# SPDX-License-Identifier: MIT
"""Captures of the air: from the one that the guest took to one file a channel that Wireshark opens."""

from lab.captures.split import FILES, AirError, split

__all__ = ["FILES", "AirError", "split"]
