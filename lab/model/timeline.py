# SPDX-License-Identifier: MIT
"""The timeline of a topology or a workload."""

from __future__ import annotations

from typing import Annotated

from lab.model.event import EVENTS, Event
from lab.model.one_of import OneOf, by_key

AnyEvent = Annotated[Event, OneOf(EVENTS, by_key)]
