# SPDX-License-Identifier: MIT
"""Background scans: when wpa_supplicant looks for a better access point.

Format of the text: wpa_supplicant.conf, ``bgscan``. Not offered: the file in which module ``learn`` stores what it
has learnt.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from lab import units
from lab.model.base import Choice, Model, Quantity, Text, refuse

_SECOND_NS = 1_000_000_000
_WORDS = re.compile(r"(simple|learn):(\d{1,5}):(-?\d{1,3}):(\d{1,5})\Z", re.ASCII)
_EXAMPLE = "simple:5:-65:60, or {short_interval: 5 s, signal: -65 dBm, long_interval: 60 s}"
_SIGNALS_DBM = range(-100, 1)


def _whole_s(value_ns: int) -> int:
    if value_ns % _SECOND_NS:
        refuse(f"{units.DURATION.format(value_ns)} is not a whole number of seconds, as wpa_supplicant requires")
    return value_ns


def _whole_dbm(value_dbm: float) -> float:
    if value_dbm != round(value_dbm):
        refuse(f"{units.POWER.format(value_dbm)} is not a whole number of dBm, as wpa_supplicant requires")
    return value_dbm


Interval = Annotated[
    int,
    Quantity(units.DURATION, least=_SECOND_NS, most=99_999 * _SECOND_NS, usual="s"),
    AfterValidator(_whole_s),
]
Signal = Annotated[
    float,
    Quantity(units.POWER, least=_SIGNALS_DBM[0], most=_SIGNALS_DBM[-1]),
    AfterValidator(_whole_dbm),
]


class Bgscan(Model):
    """Background scans: frequent while the signal is weak, rare while it is strong."""

    module: Literal["simple", "learn"] = Field(
        "simple",
        description="simple: it scans the channels of its network. learn: it scans those on which it has met its "
        "network, and now and then another one.",
    )
    short_interval: Interval = Field(description="Time between scans while the signal is below the threshold.")
    signal: Signal = Field(description="Signal threshold.")
    long_interval: Interval = Field(description="Time between scans while the signal is above the threshold.")

    @model_validator(mode="after")
    def _ordered(self) -> Bgscan:
        _check(self.short_interval // _SECOND_NS, self.long_interval // _SECOND_NS, "short_interval")
        return self

    def __str__(self) -> str:
        """Return the text for wpa_supplicant's configuration."""
        short_s, long_s = self.short_interval // _SECOND_NS, self.long_interval // _SECOND_NS
        return f"{self.module}:{short_s}:{self.signal:.0f}:{long_s}"


def _check(short_s: int, long_s: int, key: str | None) -> None:
    if short_s > long_s:
        refuse(
            f"this scans every {short_s} s while the signal is weak and every {long_s} s while it is strong; "
            "write the shorter interval first",
            key=key,
        )


def _words(text: str) -> str:
    """Check wpa_supplicant's own notation; refuse what it would refuse or misread."""
    match = _WORDS.fullmatch(text)
    if match is None:
        refuse(f'"{text}" is not a valid bgscan; write module:seconds:dBm:seconds, such as {_EXAMPLE}')
    short_s, signal_dbm, long_s = (int(match[index]) for index in (2, 3, 4))
    if signal_dbm not in _SIGNALS_DBM:
        refuse(f"{signal_dbm} dBm is not a valid signal level; write one from {_SIGNALS_DBM[0]} to {_SIGNALS_DBM[-1]}")
    if not short_s or not long_s:
        refuse("the interval must be at least 1 s")
    _check(short_s, long_s, None)
    return text


def _form(value: Any) -> str:
    if isinstance(value, dict):
        return "keys"
    if isinstance(value, list) or value is None:
        refuse(f"must look like {_EXAMPLE}")
    return "text"


AnyBgscan = Annotated[
    str | Bgscan,
    Choice(_form, lambda: {"text": Annotated[Text, AfterValidator(_words)], "keys": Bgscan}),
]
