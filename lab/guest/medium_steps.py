# SPDX-License-Identifier: MIT
"""Steps of a medium: requests to the kernel, and readings of its counters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.medium import requests
from lab.guest.medium.requests import Request
from lab.guest.medium.uapi import FAMILY
from lab.guest.steps import Do, Step
from lab.shared import types
from lab.shared.medium_types import Medium
from lab.shared.paths import RAW

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

_COUNTERS = f"# netlink, {FAMILY}: GET_RADIO, GET_LINK, GET_AIR"


class Netlink(NamedTuple):
    """Requests to the kernel's medium."""

    requests: tuple[Request, ...]
    names: Mapping[int, str]  # of radios, for the printed form

    def describe(self) -> Iterator[str]:
        for request in self.requests:
            yield f"# netlink, {FAMILY}: {request.describe(dict(self.names))}"

    def execute(self, guest: LiveGuest) -> None:
        guest.medium.send(self.requests)


def netlink(medium: Medium, given: Iterable[Request]) -> Netlink:
    """Return the step that sends requests."""
    return Netlink(tuple(given), medium.names())


def medium_of(plan: types.Plan) -> Medium:
    """Return the medium of a plan with an event that needs one."""
    assert plan.medium is not None  # the event's model has checked
    return plan.medium


def change(plan: types.Plan, node: str, attributes: Mapping[str, int]) -> Netlink:
    """Return the step that changes attributes of a node's radio on the medium, by their names in lower case."""
    medium = medium_of(plan)
    return netlink(medium, [requests.change(types.radio_numbers(plan.nodes)[node], attributes, medium.parts)])


class Look(NamedTuple):
    """Read the counters; with ``every_ns``, again at every multiple of it."""

    every_ns: int | None = None

    def describe(self) -> Iterator[str]:
        again = "" if self.every_ns is None else f", and again every {self.every_ns / 1e9:g} s"
        yield f"{_COUNTERS}{again}"

    def execute(self, guest: LiveGuest) -> None:
        """Read the counters, with the actual time, not the planned one: an event that takes time (exec) delays it."""
        from lab.guest.medium.record import MediumRecord

        if guest.looks is None:
            guest.looks = MediumRecord(guest.medium, guest.clock.start_ns)
        elapsed_ns = guest.clock.elapsed_ns()
        guest.looks.look(elapsed_ns)
        if self.every_ns is None:
            return
        next_ns = (elapsed_ns // self.every_ns + 1) * self.every_ns
        if next_ns < guest.plan.duration_ns:  # the last reading is due then
            guest.call_at(next_ns, lambda: self.execute(guest))


def last_look() -> Step:
    """Read the counters for the last time, and write all readings to a file."""

    def look(guest: LiveGuest) -> None:
        guest.guard(lambda: Look().execute(guest))
        if guest.looks is not None:
            guest.looks.write(RAW)

    return Do([_COUNTERS], look)
