# SPDX-License-Identifier: MIT
"""A radio's switch for damaged frames is turned."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.medium import requests
from lab.guest.medium_steps import medium_of, netlink
from lab.guest.steps import Step
from lab.shared import types


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """The medium is asked to."""
    medium = medium_of(plan, "damage")
    index = next(radio.index for radio in medium.radios if radio.node == event.target)
    yield netlink(medium, [requests.approximate(index, bool(event.params["enabled"]))])
