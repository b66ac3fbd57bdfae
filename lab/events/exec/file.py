# SPDX-License-Identifier: MIT
"""A command is run in a node."""

from __future__ import annotations

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene


class Exec(Event):
    """A command is run in a node; the run waits for its end and fails if it fails."""

    exec: Text = Field(description="The node (or role) it is run in.")
    run: list[Text] = Field(min_length=1, description='The command as a list: [ip, addr]. "{server.ip}" is filled in.')

    def resolve(self, scene: Scene) -> Resolved:
        """``{argv}`` for each node."""
        for node in scene.nodes(self.exec, "exec"):
            yield node.name, {"argv": scene.fill(self.run, node, "run")}
