# SPDX-License-Identifier: MIT
"""A queue that drops what comes when it is full, instead of FQ-CoDel."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lab.model.radio_setting import RadioSetting

_MOST = 4096  # packets; mac80211 has memory for more

SETTING = RadioSetting(
    about="How many packets wait for the radio at most, of all its peers together; those that come then are dropped (a "
    "queue of other systems and simulators). Needs a medium:. Default: FQ-CoDel, as in Linux, which drops packets that "
    "wait for more than 20 ms.",
    type=Annotated[int, Field(ge=1, le=_MOST, strict=True)] | None,
    perfect="has no queues",
    show=lambda packets: f"drop-tail queue of {packets}",
    attributes=lambda packets, *_: {"drop_tail": packets} if packets else {},
)
