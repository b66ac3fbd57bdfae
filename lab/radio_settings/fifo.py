# SPDX-License-Identifier: MIT
"""One queue for all stations, instead of one for each in turn."""

from __future__ import annotations

from typing import Any

from lab.model.base import Flag
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio


class Fifo(RadioSetting):
    """Who is served next."""

    about = (
        "Whether the station whose packet has waited longest is served next, as if all shared one queue (other systems "
        "and simulators). An A-MPDU still takes what waits for its station. With drop_tail:, the queue drops what "
        "comes when it is full. Needs a medium:. Default: false: stations take turns by air time, as in Linux."
    )
    type = Flag | None
    perfect = "has no queues"

    def show(self, value: bool) -> str:
        return "one queue for all stations"

    def resolve(self, written: Any) -> bool | None:
        """Return whether it is so; None: it is not."""
        return written or None

    def attributes(self, value: bool | None, radio: Radio, values: list[bool | None]) -> dict[str, Any]:
        return {"oldest_first": 1} if value else {}
