# SPDX-License-Identifier: MIT
"""Modes, channels and frequencies.

Channel numbering: IEEE 802.11-2020 17.3.8.4.3 and 18.3.8.4 (annex E for the 5 GHz set). Permitted channels:
wireless-regdb. Channels that need radar detection (52 to 144) are left out, since radar is not modelled, and so is
channel 14, which only 802.11b in Japan may use.
"""

from __future__ import annotations

_TO = "\N{EN DASH}"

MODES = {"b": ("2.4",), "g": ("2.4",), "a": ("5",), "n": ("2.4", "5")}

_ELEVEN = frozenset({"CA", "US"})  # countries whose 2.4 GHz band ends at 2472 MHz
_UPPER = frozenset({"CA", "US"})  # countries that allow 5735-5835 MHz at full power without radar detection
_LOWER_5_GHZ = (36, 40, 44, 48)
_UPPER_5_GHZ = (149, 153, 157, 161, 165)

# 40 MHz (IEEE 802.11-2020 19.3.15.4, annex E): the secondary channel is above these, and below the others
_SECOND_ABOVE = frozenset({*range(1, 8), 36, 44, 149, 157})
_SECOND_BELOW = frozenset({*range(8, 14), 40, 48, 153, 161})


def ht40_secondary(channel: int) -> str | None:
    """Return where the secondary 20 MHz channel is: ``+`` above, ``-`` below, None if 40 MHz does not fit."""
    return "+" if channel in _SECOND_ABOVE else "-" if channel in _SECOND_BELOW else None


def frequency_mhz(channel: int) -> int:
    """Return the centre frequency of a 20 MHz channel."""
    return 2407 + 5 * channel if channel <= 13 else 5000 + 5 * channel


def number(frequency_mhz: int) -> int:
    """Return the channel at a frequency: the inverse of ``frequency_mhz``."""
    return (frequency_mhz - 2407) // 5 if frequency_mhz < 3000 else (frequency_mhz - 5000) // 5


def band(channel: int) -> str:
    """Return ``2.4`` or ``5`` (GHz)."""
    return "2.4" if channel <= 14 else "5"


def usable(mode: str, country: str) -> list[int]:
    """Return the channels that an access point of that mode may use in that country."""
    channels: list[int] = []
    if "2.4" in MODES[mode]:
        channels += range(1, 12 if country in _ELEVEN else 14)
    if "5" in MODES[mode]:
        channels += _LOWER_5_GHZ + (_UPPER_5_GHZ if country in _UPPER else ())
    return channels


def ranges(channels: list[int]) -> str:
    """Format channel numbers for a reader: as a range if they are consecutive, else as a list."""
    if len(channels) > 1 and channels == list(range(channels[0], channels[-1] + 1)):
        return f"{channels[0]}{_TO}{channels[-1]}"
    low = [channel for channel in channels if channel <= 13]
    if len(low) > 2 and len(low) < len(channels):
        return f"{ranges(low)}, {ranges(channels[len(low) :])}"
    return ", ".join(str(channel) for channel in channels)


def complaint(channel: int, mode: str, country: str) -> str | None:
    """Return what is wrong with a channel and what to write, or None."""
    allowed = usable(mode, country)
    if channel in allowed:
        return None
    here = f"use {ranges(allowed)}"
    others = [name for name in MODES if channel in usable(name, country)]
    if others:
        return (
            f"{channel} is a {band(channel)} GHz channel, but mode {mode} is {' and '.join(MODES[mode])} GHz; "
            f"{here}, or mode: {' or '.join(others)}"
        )
    if 52 <= channel <= 144 and channel % 4 == 0:
        return f"{channel} needs radar detection, which is not modelled; {here}"
    return f"mode {mode} has no channel {channel} in country {country}; {here}"
