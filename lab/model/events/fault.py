# SPDX-License-Identifier: MIT
"""Frames of a radio are lost or damaged on purpose."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from lab.model.base import Integer, Text, refuse
from lab.model.events.base import Event, Resolved, Scene

_MOST = 2**32 - 1  # the kernel's


def _skip(value: int) -> int:
    if not 0 <= value <= _MOST:
        refuse(f"{value} frames cannot be skipped; write a whole number from 0")
    return value


def _count(value: int) -> int:
    if not 1 <= value <= _MOST:
        refuse(f"{value} frames would be hit; write a whole number from 1")
    return value


class Fault(Event):
    """Frames are lost or damaged at a receiver, whatever the medium would do. Needs a medium:."""

    fault: Literal["lose", "damage"] = Field(
        description="What becomes of them: lose (the receiver does not notice them) or damage (the FCS is wrong)."
    )
    frames: Literal["ack", "ba", "bar", "data", "mgmt", "beacon", "rts", "cts", "any"] = Field(
        description="Which frames: ba is a BlockAck, bar its request, mgmt management frames other than beacons."
    )
    from_: Text | None = Field(
        None,
        alias="from",
        description="The node that sends them (of an ack: who acknowledges). If nothing is said: any.",
    )
    to: Text | None = Field(
        None,
        description="The node they are for; of frames for all, such as beacons, a node that hears them. "
        "If nothing is said: any.",
    )
    skip: Annotated[Integer, AfterValidator(_skip)] = Field(
        0, description="So many such frames pass before the first is hit."
    )
    count: Annotated[Integer, AfterValidator(_count)] = Field(
        1,
        description="So many are hit. Each frame of an A-MPDU counts; one for all counts at each node that hears it.",
    )

    def resolve(self, scene: Scene) -> Resolved:
        """``{action, from, to, skip, count}`` for the kind of frames."""
        if not scene.has_medium():
            scene.refuse("the perfect medium loses no frames; write medium: {} in the topology", "fault")
            return
        ends = {key: _radio(scene, name, key) for key, name in (("from", self.from_), ("to", self.to)) if name}
        if None in ends.values():
            return
        if len(ends) == 2 and ends["from"] == ends["to"]:
            scene.refuse(f"{ends['to']} does not hear itself; name two nodes", "to")
            return
        yield (
            self.frames,
            {
                "action": self.fault,
                "from": ends.get("from"),
                "to": ends.get("to"),
                "skip": self.skip,
                "count": self.count,
            },
        )


def _radio(scene: Scene, name: str, key: str) -> str | None:
    """The one node with a radio of that name; says why there is none."""
    found = scene.nodes(name, key)
    if len(found) > 1:
        scene.refuse(f'"{name}" means {len(found)} nodes; name one of them', key)
    if len(found) != 1:
        return None
    if found[0].radio is None:
        scene.refuse(f"{found[0].name} has no radio (it is a {found[0].kind})", key)
        return None
    return found[0].name
