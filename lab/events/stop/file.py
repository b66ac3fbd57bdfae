# SPDX-License-Identifier: MIT
"""Ends a process."""

from __future__ import annotations

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene


class Stop(Event):
    """End a process of the workload with SIGTERM; its end then counts as expected."""

    stop: Text = Field(description="The process, by its name (the as: of the workload).")

    def resolve(self, scene: Scene) -> Resolved:
        """Yield one target without parameters for each node that runs it."""
        for identifier in scene.processes(self.stop, "stop"):
            yield identifier, {}
