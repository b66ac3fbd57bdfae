# SPDX-License-Identifier: MIT
"""Frames of a radio are lost or damaged on purpose."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from lab.model.base import Integer, Percent, Text, refuse
from lab.model.event import Event, Resolved, Scene

_MOST = 2**32 - 1  # the kernel's


def _skip(value: int) -> int:
    if not 0 <= value <= _MOST:
        refuse(f"{value} frames cannot be skipped; write a whole number from 0")
    return value


def _count(value: int) -> int:
    if not 1 <= value <= _MOST:
        refuse(f"{value} frames would be hit; write a whole number from 1")
    return value


def _share(percent: float) -> float:
    if percent == 0:
        refuse("a share of 0% hits no frame; write more than 0%")
    return percent


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
        description="The node that they are for. If nothing is said: any. Of frames for all, such as beacons, the node "
        "at which they are hit; if nothing is said: at all that hear them.",
    )
    skip: Annotated[Integer, AfterValidator(_skip)] = Field(
        0, description="So many such frames pass before the first is hit, not counting what earlier faults hit."
    )
    count: Annotated[Integer, AfterValidator(_count)] = Field(
        1, description="So many are hit. Each frame of an aggregate counts, and each retry, as they are sent."
    )
    share: Annotated[Percent, AfterValidator(_share)] | None = Field(
        None, description="The chance that one of them is hit, as the seed wants it. If nothing is said: each is."
    )
    listener: Text | None = Field(
        None,
        description="The node at which they are hit, if not the one that they are for: others hear them, too, and "
        "keep silent for as long as they say.",
    )

    def resolve(self, scene: Scene) -> Resolved:
        """``{action, from, to, listener, skip, count, share_percent}`` for the kind of frames."""
        if not scene.has_medium():
            scene.refuse("the perfect medium loses no frames; write medium: {} in the topology", "fault")
            return
        named = (("from", self.from_), ("to", self.to), ("listener", self.listener))
        ends = {key: _radio(scene, name, key) for key, name in named if name}
        if None in ends.values():
            return
        for key in ("to", "listener"):
            if key in ends and ends.get("from") == ends[key]:
                scene.refuse(f"{ends[key]} does not hear itself; name two nodes", key)
                return
        yield (
            self.frames,
            {
                "action": self.fault,
                "from": ends.get("from"),
                "to": ends.get("to"),
                "listener": ends.get("listener"),
                "skip": self.skip,
                "count": self.count,
                "share_percent": self.share,
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
