# SPDX-License-Identifier: MIT
"""Runs a command in a node."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab.model.base import Argv, Text
from lab.model.event import Event, Resolved, Scene


class Exec(Event):
    """Run a command in a node and wait for it; the run fails if the command fails."""

    exec: Text = Field(description="The node (or role) to run it in.")
    run: Argv = Field(
        description='The command as a list: [ip, addr]. Placeholders such as "{server.ip}" are replaced.',
    )

    def resolve(self, scene: Scene) -> Resolved:
        for node in scene.nodes(self.exec, "exec"):
            if node.owner is not None:
                scene.refuse(f"{node.name} is a radio of {node.owner}; write {node.owner}", "exec")
                continue
            yield node.name, {"argv": scene.fill(self.run, node, "run")}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return shlex.join(params["argv"])
