# SPDX-License-Identifier: MIT
"""Captures of the air: splits the guest's capture into one file per channel for Wireshark."""

from lab.captures.split import FILES, AirError, split

__all__ = ["FILES", "AirError", "split"]
