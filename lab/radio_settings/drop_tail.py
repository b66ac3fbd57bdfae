# SPDX-License-Identifier: MIT
"""A queue that drops what comes when it is full, instead of FQ-CoDel."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio

_MOST = 4096  # packets; mac80211 has memory for more


class DropTail(RadioSetting):
    """The length of the queue."""

    about = (
        "Maximum number of packets that wait for the radio, for all its peers together; further ones are dropped (a "
        "queue of other systems and simulators). Needs a medium:. Default: FQ-CoDel, as in Linux, which drops packets "
        "that wait for more than 20 ms."
    )
    type = Annotated[int, Field(ge=1, le=_MOST, strict=True)] | None
    perfect = "has no queues"

    def show(self, value: int) -> str:
        return f"drop-tail queue of {value}"

    def attributes(self, value: int | None, radio: Radio, values: list[int | None]) -> dict[str, Any]:
        return {"drop_tail": value} if value else {}
