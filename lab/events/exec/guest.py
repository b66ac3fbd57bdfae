# SPDX-License-Identifier: MIT
"""A command is run in a node, to its end."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.steps import Run, Step
from lab.shared import types


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """The command; the event's record holds its output."""
    yield Run(event.params["argv"], event.target)
