# SPDX-License-Identifier: MIT
"""Fixed rates of radios, by mode: ``54 Mbit/s`` for 802.11b, g and a, ``MCS 7`` for 802.11n.

Source: IEEE 802.11-2020 15.4.4.4 and 16.3.3 (b), 17.3.2.2 (a, g), 19.5 (n: eight per stream).
Not offered: rates of b, g and a in a network of mode n, since such frames would not be aggregated.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from lab import units
from lab.model.base import refuse

_MBIT = 1_000_000
DSSS_BPS = tuple(round(mbit * _MBIT) for mbit in (1, 2, 5.5, 11))
OFDM_BPS = tuple(mbit * _MBIT for mbit in (6, 9, 12, 18, 24, 36, 48, 54))
MCS_PER_STREAM = 8
DEFAULT_STREAMS = 2
_MCS_MOST = 4 * MCS_PER_STREAM - 1
_MCS = re.compile(r"\s*MCS\s*(\d{1,3})\s*\Z", re.IGNORECASE)


def _names(rates_bps: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(units.RATE.write(f"{rate / _MBIT:g}", "Mbit/s") for rate in rates_bps)


DSSS, OFDM = _names(DSSS_BPS), _names(OFDM_BPS)
HT = tuple(f"MCS {index}" for index in range(_MCS_MOST + 1))
MODES = {"b": DSSS, "g": _names(tuple(sorted(DSSS_BPS + OFDM_BPS))), "a": OFDM, "n": HT}


def legacy(mode: str, band_ghz: float) -> tuple[str, ...]:
    """Return the rates of b, g and a in a network, from which basic rates are chosen."""
    return (MODES["g"] if band_ghz < 5 else MODES["a"]) if mode == "n" else MODES[mode]


def compatible(mode: str, band_ghz: float) -> tuple[str, ...]:
    """Return the modes of stations that can join a network of this mode, oldest first."""
    if band_ghz >= 5:
        return ("a", "n") if mode == "n" else ("a",)
    return {"b": ("b",), "g": ("b", "g"), "n": ("b", "g", "n")}[mode]


def listed(mode: str) -> str:
    """Format the rates of a mode for a reader."""
    if mode == "n":
        return f"{HT[0]} to {HT[-1]}"
    return f"{', '.join(name.split()[0] for name in MODES[mode])} Mbit/s"


def _rate(value: Any) -> str:
    """Return a rate as ``MODES`` names it; refuse one that no mode has."""
    text = (str(value).lower() if isinstance(value, bool) else str(value)).strip()
    match = _MCS.match(text)
    if match:
        if int(match[1]) > _MCS_MOST:
            refuse(f'"{text}" is not a valid rate; mode n has {listed("n")}')
        return HT[int(match[1])]
    if isinstance(value, bool | list | dict) or value is None or text.isdigit():
        refuse(f'"{text}" is not a valid rate; write one such as 54 Mbit/s, or MCS 7 in mode n')
    try:
        rate_bps = units.RATE.parse(text)
    except units.UnitError as error:
        refuse(str(error))
    names = dict(zip(DSSS_BPS + OFDM_BPS, DSSS + OFDM, strict=True))
    if rate_bps not in names:
        refuse(f'"{text}" is not a rate of 802.11b, g or a; mode g has {listed("g")}, mode n {listed("n")}')
    return names[int(rate_bps)]


FixedRate = Annotated[
    str,
    BeforeValidator(_rate),
    WithJsonSchema({"type": "string", "examples": ["54 Mbit/s", "MCS 7"]}),
]
