# SPDX-License-Identifier: MIT
"""EDCA parameters of an access point with WMM (IEEE 802.11-2020 9.4.2.28, 10.23.2).

Not offered: parameters of the access point that differ from those that it announces; admission control.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from lab import units
from lab.model.base import Integer, Model, Quantity, refuse
from lab.shared import types

_TXOP_UNIT_NS = 32_000
_TXOP_MOST = 65_535  # units: the field has 16 bits
_AIFSN = range(2, 16)  # access points may have 1, but their stations may not
_CW_EXPONENTS = range(1, 16)  # hostapd's


def _aifsn(value: int) -> int:
    if value not in _AIFSN:
        refuse(f"{value} is out of range; write {_AIFSN[0]} to {_AIFSN[-1]}")
    return value


def _contention_window(value: int) -> int:
    windows = [2**exponent - 1 for exponent in _CW_EXPONENTS]
    if value not in windows:
        below = [window for window in windows if window < value][-1:]
        above = [window for window in windows if window > value][:1]
        choice = " or ".join(map(str, below + above))
        refuse(f"{value} is not a contention window, which is a power of 2, minus 1; write {choice}")
    return value


def _whole_units(value_ns: int) -> int:
    if value_ns % _TXOP_UNIT_NS:
        given, below_us = units.DURATION.format(value_ns), value_ns // _TXOP_UNIT_NS * 32
        choice = f"{below_us} us or {below_us + 32} us"
        refuse(f"{given} is not a multiple of 32 us, the unit of TXOP limits; write {choice}")
    return value_ns


def _with_unit(value: Any) -> Any:
    """Refuse a bare number, which hostapd would take for units of 32 us."""
    text = str(value).strip()
    if text.isascii() and text.isdigit() and int(text) <= _TXOP_MOST and int(text) % 32:
        refuse(f'"{text}" has no unit; if it counts units of 32 us, as in hostapd, write {int(text) * 32} us')
    return value


Aifsn = Annotated[Integer, AfterValidator(_aifsn)]
ContentionWindow = Annotated[Integer, AfterValidator(_contention_window)]
TxopLimit = Annotated[
    int,
    Quantity(units.DURATION, least=0, most=_TXOP_MOST * _TXOP_UNIT_NS, usual="us"),
    AfterValidator(_whole_units),
    BeforeValidator(_with_unit),
]


class Category(Model):
    """EDCA parameters of an access category. What is left out is as in hostapd."""

    other_names: ClassVar[Mapping[str, str]] = {
        "aifs": "aifsn",
        "cwmin": "cw_min",
        "cwmax": "cw_max",
        "txop": "txop_limit",
        "burst": "txop_limit",
    }

    aifsn: Aifsn | None = Field(
        None,
        description="AIFSN: slots, after SIFS, for which the channel must be idle before a backoff continues, "
        f"{_AIFSN[0]} to {_AIFSN[-1]}.",
    )
    cw_min: ContentionWindow | None = Field(
        None,
        description="CWmin: the first backoff is of 0 to this many slots, a power of 2, minus 1. Needs cw_max:.",
    )
    cw_max: ContentionWindow | None = Field(
        None, description="CWmax: the window grows with each failed attempt, up to this. Needs cw_min:."
    )
    txop_limit: TxopLimit | None = Field(
        None,
        description="TXOP limit: how long a station that has won the channel may send, a multiple of 32 us; 0 us: one "
        "frame or A-MPDU. hostapd takes that of the access point itself in units of 100 us, so it may differ by up to "
        "64 us (lab show prints it).",
    )

    @model_validator(mode="after")
    def _windows(self) -> Category:
        """Check that each window comes with the other: with hostapd's, it might be in the wrong order."""
        if self.cw_min is None and self.cw_max is None:
            return self
        if self.cw_max is None:
            refuse("needs cw_max: as well; write both, or remove this", key="cw_min")
        if self.cw_min is None:
            refuse("needs cw_min: as well; write both, or remove this", key="cw_max")
        if self.cw_min > self.cw_max:
            refuse(f"{self.cw_min} is more than cw_max, {self.cw_max}; write the smaller one here", key="cw_min")
        return self


class Edca(Model):
    """EDCA parameters by access category. What is left out is as in hostapd."""

    other_names: ClassVar[Mapping[str, str]] = {
        prefix + short: name
        for short, name in (("vo", "voice"), ("vi", "video"), ("be", "best_effort"), ("bk", "background"))
        for prefix in ("", "ac_")
    }

    voice: Category | None = Field(None, description="Voice (AC_VO): user priorities 6 and 7, DSCP EF.")
    video: Category | None = Field(None, description="Video (AC_VI): user priorities 4 and 5.")
    best_effort: Category | None = Field(None, description="Best effort (AC_BE): user priorities 0 and 3.")
    background: Category | None = Field(None, description="Background (AC_BK): user priorities 1 and 2.")

    def resolve(self) -> list[types.EdcaParameters]:
        """Return the categories for which something is set."""
        found = [
            types.EdcaParameters(name, given.aifsn, given.cw_min, given.cw_max, given.txop_limit)
            for name in types.ACCESS_CATEGORIES
            if (given := getattr(self, name)) is not None
        ]
        return [one for one in found if one != types.EdcaParameters(one.category)]
