# SPDX-License-Identifier: MIT
"""Link-layer ACKs that are later than SIFS; all other radios wait longer for them."""

from __future__ import annotations

from typing import Annotated, Any

from lab import units
from lab.model.base import Quantity
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio

_US = 1_000


def _attributes(delay_ns: int, _radio: Radio, all_ns: list[int]) -> dict[str, Any]:
    others = list(all_ns)
    others.remove(delay_ns)
    given = {"answer_delay_us": delay_ns // _US, "answer_wait_us": max(others, default=0) // _US}
    return {name: value for name, value in given.items() if value}


SETTING = RadioSetting(
    about="By how much its ACK and BlockAck frames are later than SIFS, in steps of 1 us. All other radios wait for "
    "answers longer by the greatest such delay of the medium. Needs a medium:.",
    type=Annotated[int, Quantity(units.DURATION, most=1_000 * _US, least=0)],
    default=0,
    perfect="has no ACK frames",
    show=lambda delay_ns: f"ACKs {delay_ns // _US} us late",
    attributes=_attributes,
)
