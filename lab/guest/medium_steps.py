# SPDX-License-Identifier: MIT
"""Steps that a medium needs: requests to the kernel, and looks at its counters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.errors import GuestError
from lab.guest.medium.requests import Request
from lab.guest.medium.uapi import FAMILY
from lab.shared import types
from lab.shared.medium_types import Medium

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

_COUNTERS = f"# netlink, {FAMILY}: GET_RADIO, GET_LINK, GET_AIR"


class Netlink(NamedTuple):
    """Requests to the kernel's medium."""

    requests: tuple[Request, ...]
    names: Mapping[int, str]  # of radios, for a reader

    def describe(self) -> Iterator[str]:
        """The requests."""
        for request in self.requests:
            yield f"# netlink, {FAMILY}: {request.describe(dict(self.names))}"

    def execute(self, guest: LiveGuest) -> None:
        """Send them."""
        guest.medium.send(self.requests)


def netlink(medium: Medium, requests: Iterable[Request]) -> Netlink:
    """The step that sends requests."""
    return Netlink(tuple(requests), medium.names())


def medium_of(plan: types.Plan, what: str) -> Medium:
    """The plan's medium, for an event that does ``what`` to its frames.

    Raises:
        GuestError: radios are on the stock one.
    """
    if plan.medium is None:
        raise GuestError(f"there is no medium that could {what} frames")
    return plan.medium


class Look(NamedTuple):
    """The counters are read; with ``every_ns``, again at every multiple of it."""

    every_ns: int | None = None

    def describe(self) -> Iterator[str]:
        """The requests."""
        again = "" if self.every_ns is None else f", and again every {self.every_ns / 1e9:g} s"
        yield f"{_COUNTERS}{again}"

    def execute(self, guest: LiveGuest) -> None:
        """Note them."""
        guest.look_at_medium(self.every_ns)


class LastLook(NamedTuple):
    """The counters are read for the last time, and all looks are written to a file."""

    def describe(self) -> Iterator[str]:
        """The requests."""
        yield _COUNTERS

    def execute(self, guest: LiveGuest) -> None:
        """Note and write them."""
        guest.record_medium()
