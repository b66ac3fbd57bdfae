# SPDX-License-Identifier: MIT
"""The timeline of a topology or a workload."""

from __future__ import annotations

from typing import Annotated

from lab.model.base import Choice
from lab.model.event import Event
from lab.model.registry import kinds, pick_key
from lab.shared.kinds import EVENTS

AnyEvent = Annotated[Event, Choice(lambda value: pick_key(EVENTS, "an event", value), lambda: kinds(EVENTS))]
