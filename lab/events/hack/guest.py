# SPDX-License-Identifier: MIT
"""Switches whether TCP ACKs go with link-layer ACKs."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.medium import requests
from lab.guest.medium_steps import medium_of, netlink
from lab.guest.steps import Step
from lab.shared import types
from lab.shared.medium_types import MediumHack


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """Send the request to the medium."""
    medium = medium_of(plan, "hack")
    index = next(radio.index for radio in medium.radios if radio.node == event.target)
    yield netlink(medium, [requests.hack(index, MediumHack(**event.params))])
