# SPDX-License-Identifier: MIT
"""Frames are lost or damaged on purpose."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.medium import requests
from lab.guest.medium_steps import medium_of, netlink
from lab.guest.steps import Step
from lab.shared import types


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """The medium is asked to."""
    medium = medium_of(plan, "lose")
    yield netlink(medium, [requests.fault(event.target, event.params, medium.names())])
