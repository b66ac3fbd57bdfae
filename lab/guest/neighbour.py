# SPDX-License-Identifier: MIT
"""What access points tell stations of each other: neighbour reports (IEEE 802.11-2020 9.4.2.36)."""

from __future__ import annotations

import struct

from lab.shared import types

_INFORMATION = 0x3  # the access point is reachable for preauthentication
_PHYS = {"a": 4, "b": 5, "g": 6, "n": 7}  # dot11PHYType
# operating classes of 20 MHz: first channel, class (IEEE 802.11-2020 Table E-4)
_CLASSES = ((149, 125), (100, 121), (52, 118), (36, 115), (1, 81))
_PREFERRED = "0301ff"  # subelement: BSS transition candidate preference, 255


def _class(channel: int) -> int:
    return next(number for first, number in _CLASSES if channel >= first)


def announce(radio: types.Radio) -> str:
    """Return the command by which hostapd learns of another access point, for stations that ask it."""
    channel = radio.channel or 0
    element = bytes.fromhex(radio.mac.replace(":", ""))
    element += struct.pack("<I3B", _INFORMATION, _class(channel), channel, _PHYS[radio.mode])
    return f"SET_NEIGHBOR {radio.mac} ssid={radio.ssid.encode().hex()} nr={element.hex()}"


def suggest(station: types.Radio, to: types.Radio, leaves: bool) -> str:
    """Return the command by which hostapd suggests another access point to a station, and maybe puts it out later."""
    channel = to.channel or 0
    candidate = f"{to.mac},{_INFORMATION:#06x},{_class(channel)},{channel},{_PHYS[to.mode]},{_PREFERRED}"
    leaving = " disassoc_imminent=1 disassoc_timer=10" if leaves else ""
    return f"BSS_TM_REQ {station.mac} pref=1 abridged=1 valid_int=255{leaving} neighbor={candidate}"
