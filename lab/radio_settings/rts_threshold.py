# SPDX-License-Identifier: MIT
"""From which size on frames follow RTS and CTS; ``iw`` sets it (lab/guest/kinds.py)."""

from __future__ import annotations

from typing import Annotated

from lab import units
from lab.model.base import Quantity
from lab.model.radio_setting import RadioSetting

_BYTES_MAX = 65_535  # the maximum of hostapd; dot11RTSThreshold may be one higher (IEEE 802.11-2020 C.3)


class RtsThreshold(RadioSetting):
    """The size."""

    about = (
        "RTS threshold: it sends an RTS, and waits for a CTS, before each unicast frame longer than this (including "
        "MAC header, FCS and all MPDUs of an A-MPDU); 0 B: before every one. Needs a medium:. Default: only if rate "
        "control or a network of mixed modes requires it."
    )
    type = Annotated[int, Quantity(units.SIZE, least=0, most=_BYTES_MAX, usual="B")] | None
    perfect = "has no RTS"

    def show(self, value: int) -> str:
        return f"RTS above {units.SIZE.format(value)}"
