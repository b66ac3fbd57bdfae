# SPDX-License-Identifier: MIT
"""A process is ended."""

from __future__ import annotations

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene


class Stop(Event):
    """A process of the workload is ended (SIGTERM), which then counts as expected."""

    stop: Text = Field(description="The process, by its name (the as: of the workload).")

    def resolve(self, scene: Scene) -> Resolved:
        """No parameters; one target for each node that runs it."""
        for identifier in scene.processes(self.stop, "stop"):
            yield identifier, {}
