# SPDX-License-Identifier: MIT
"""TCP/HACK: TCP ACKs that go with the ACKs and BlockAcks of the link layer.

L. Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", USENIX ATC 2014.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lab import units
from lab.model.base import Choice, Model, Quantity, refuse
from lab.shared.medium_types import MediumPart

# enums hwsim_medium_attr and hwsim_medium_hack_attr, as the patch of the kernel has them
PART = MediumPart(
    key="hack",
    attributes={"u32": {"hack": 64, "hack_turnaround_us": 65, "hack_timer_us": 66}, "u8": {"hack_in_clear": 69}},
    counters={"sent": 67, "received": 68},  # of TCP ACKs to a peer, and from it
    counts=[
        "acks", "bytes", "packet_bytes", "payloads", "natives", "refused", "flushed", "duplicates", "crc_failures",
        "unknown", "malformed", "resets", "held_ns", "syncs", "air_ns",
    ],
)  # fmt: skip

_MS = 1_000_000
_TURNAROUND_MOST_NS = 10 * _MS
_TIMER_MOST_NS = 10_000 * _MS

Mode = Literal["off", "timer", "more-data", "opportunistic"]
MODES = ("off", "timer", "more-data", "opportunistic")  # enum hwsim_medium_hack
_US = 1_000


class Hack(Model):
    """TCP ACKs that are sent compressed in ACK and BlockAck frames (TCP/HACK)."""

    mode: Mode = Field(
        description="Which TCP ACKs are: more-data, opportunistic, timer or off. more-data: those that are due while "
        "the other end says by MORE DATA that it will send again. opportunistic: those for which an answer is due "
        "before they win the medium, for which they contend in the meantime. timer: all; if no answer is due in time, "
        "they are sent uncompressed."
    )
    turnaround: Annotated[int, Quantity(units.DURATION, most=_TURNAROUND_MOST_NS, least=0)] = Field(
        50_000, description="The time that a TCP ACK takes from its host into an answer."
    )
    timer: Annotated[int, Quantity(units.DURATION, most=_TIMER_MOST_NS, least=_MS)] | None = Field(
        None,
        description="The longest time that a TCP ACK is held. Default: 10 ms in mode timer, otherwise 100 ms, in case "
        "the other end drops what it announced.",
    )

    in_clear: bool = Field(
        False,
        description="Whether this also happens in an encrypted network. Anyone can then read how ACK numbers, windows "
        "and timestamps grow, and anyone who can send ACK frames can forge TCP ACKs.",
    )

    @model_validator(mode="after")
    def _nothing_to_time(self) -> Hack:
        if self.mode == "off" and self.timer is not None:
            refuse("has no effect with mode: off; remove it", key="timer")
        return self

    @property
    def timer_ns(self) -> int:
        """How long a TCP ACK is held at most."""
        default_ms = 10 if self.mode == "timer" else 100
        return default_ms * _MS if self.timer is None else self.timer


def _form(value: Any) -> str:
    return "settings" if isinstance(value, dict) else "mode"


AnyHack = Annotated[Any, Choice(_form, lambda: {"mode": Mode, "settings": Hack})]


def of(written: Any) -> Hack | None:
    """Return the settings of a key ``hack:``, which may be a mode alone; None: it is off."""
    if written is None:
        return None
    found = written if isinstance(written, Hack) else Hack.model_validate({"mode": written})
    return None if found.mode == "off" else found


def numbers(settings: Hack | None) -> dict[str, int]:
    """Return mode, turnaround, timer and ``in_clear`` as the kernel wants them; times in microseconds."""
    if settings is None:
        return {"mode": 0, "turnaround_us": 0, "timer_us": 0, "in_clear": 0}
    return {
        "mode": MODES.index(settings.mode),
        "turnaround_us": settings.turnaround // _US,
        "timer_us": settings.timer_ns // _US,
        "in_clear": int(settings.in_clear),
    }
