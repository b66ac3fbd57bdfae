# SPDX-License-Identifier: MIT
"""The timeline of a topology or a workload."""

from __future__ import annotations

from typing import Annotated

from lab.model.base import Choice
from lab.model.events.base import Event
from lab.model.registry import kinds, pick_key

EVENTS = "lab.model.events"

AnyEvent = Annotated[Event, Choice(lambda value: pick_key(EVENTS, "an event", value), lambda: kinds(EVENTS))]
