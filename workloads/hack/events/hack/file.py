# SPDX-License-Identifier: MIT
"""Switch whether TCP ACKs go with link-layer ACKs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene

from ...radio_settings import _hack as settings_of
from ...radio_settings._hack import MODES, AnyHack


class HackSwitch(Event):
    """Change which TCP ACKs of a node go with ACK and BlockAck frames (see the key hack of a node)."""

    other_names: ClassVar[Mapping[str, str]] = {"mode": "to"}

    hack: Text = Field(description="The node, an access point or a station with the key hack.")
    to: AnyHack = Field(
        description="more-data, opportunistic, timer, off, or {mode: …} with the keys of hack. "
        "In an encrypted network none do without in_clear."
    )

    def resolve(self, scene: Scene) -> Resolved:
        """Yield ``{mode, turnaround_us, timer_us, in_clear}`` for each node."""
        settings = settings_of.of(self.to)
        for node in scene.nodes(self.hack, "hack", lambda node: node.radio and "hack" in node.radio.settings):
            if node.radio is None or "hack" not in node.radio.settings:
                scene.refuse(f"{node.name} has no key hack; write one, such as hack: more-data", "hack")
            else:
                yield node.name, settings_of.numbers(settings)

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        """Return what it does, from the parameters in the plan."""
        return MODES[params["mode"]]
