# SPDX-License-Identifier: MIT
"""Loses or damages frames on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from lab import units
from lab.model.base import Integer, Percent, Text, refuse
from lab.model.event import Event, Resolved, Scene

_ENDS = {"from": "from", "to": "to", "listener": "at"}  # in a summary
_MOST = 2**32 - 1  # limit of the kernel's interface


def _skip(value: int) -> int:
    if not 0 <= value <= _MOST:
        refuse(f"must be a whole number from 0 to {_MOST}, not {value}")
    return value


def _count(value: int) -> int:
    if not 1 <= value <= _MOST:
        refuse(f"must be a whole number from 1 to {_MOST}, not {value}")
    return value


def _share(percent: float) -> float:
    if percent == 0:
        refuse("must be more than 0%; with 0% no frame would be affected")
    return percent


class Fault(Event):
    """Lose or damage frames at a receiver, regardless of signal and noise. Needs a medium:."""

    fault: Literal["lose", "damage"] = Field(
        description="What happens to them: lose (the receiver does not detect them) or damage (the FCS is wrong)."
    )
    frames: Literal["ack", "ba", "bar", "data", "mgmt", "beacon", "rts", "cts", "any"] = Field(
        description="Frame type: ba is a BlockAck, bar a BlockAck request, mgmt a management frame other than a beacon."
    )
    from_: Text | None = Field(
        None,
        alias="from",
        description="The node that sends them (of an ack: the node that acknowledges). Default: any.",
    )
    to: Text | None = Field(
        None,
        description="The node that they are addressed to. Default: any. Of group-addressed frames, such as beacons: "
        "the receiver that is affected. Default: every receiver.",
    )
    skip: Annotated[Integer, AfterValidator(_skip)] = Field(
        0, description="Number of matching frames to let pass first. Frames hit by earlier faults do not count."
    )
    count: Annotated[Integer, AfterValidator(_count)] = Field(
        1, description="Number of frames to affect. Each frame of an aggregate and each retry counts."
    )
    share: Annotated[Percent, AfterValidator(_share)] | None = Field(
        None, description="Probability that each of them is affected, drawn from the seed. Default: 100%."
    )
    listener: Text | None = Field(
        None,
        description="The node at which they are affected, if not the one they are addressed to: other nodes "
        "receive them, too, and set their NAV by them.",
    )

    def resolve(self, scene: Scene) -> Resolved:
        """Yield ``{action, from, to, listener, skip, count, share_percent}`` for the type of frames."""
        if not scene.has_medium():
            scene.refuse("the perfect medium loses no frames; write medium: {} in the topology", "fault")
            return
        named = (("from", self.from_), ("to", self.to), ("listener", self.listener))
        ends = {key: _radio(scene, name, key) for key, name in named if name}
        if None in ends.values():
            return
        for key in ("to", "listener"):
            if key in ends and ends.get("from") == ends[key]:
                scene.refuse(f"{ends[key]} cannot be both sender and receiver; name two nodes", key)
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

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        ends = "".join(f" {word} {params[key]}" for key, word in _ENDS.items() if params[key] is not None)
        skipped = f" after {params['skip']}" if params["skip"] else ""
        share = (
            f", {units.PERCENT.format(params['share_percent'])} of them" if params["share_percent"] is not None else ""
        )
        return f"{params['action']} {params['count']}{ends}{skipped}{share}"


def _radio(scene: Scene, name: str, key: str) -> str | None:
    """Return the one node with a radio of that name; report why no node is."""
    found = scene.nodes(name, key, lambda node: node.radio)
    if len(found) > 1:
        scene.refuse(f'"{name}" stands for {len(found)} nodes; name one of them', key)
    if len(found) != 1:
        return None
    if found[0].radio is None:
        scene.refuse(f"{found[0].name} has no radio (it is a {found[0].kind})", key)
        return None
    return found[0].name
