# SPDX-License-Identifier: MIT
"""The 802.11 medium of a running guest."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from lab.guest.errors import GuestError
from lab.guest.medium import counters
from lab.guest.medium.requests import ID, Request
from lab.guest.medium.uapi import FAMILY, VERSION, Attr, Command
from lab.guest.netlink.generic import Family, KernelSocket, RefusedError, Transport
from lab.shared import medium_types as types
from lab.shared.medium_types import PeerCounters, Reading


class MediumControl:
    """The medium of a plan in the kernel."""

    def __init__(self, plan: types.Medium, transport: Transport | None = None) -> None:
        """Find the kernel's interface.

        Raises:
            GuestError: If the kernel has no medium.
        """
        self.plan = plan
        self._names = plan.names()
        try:
            self._family = Family(FAMILY, VERSION, transport or KernelSocket())
        except RefusedError as error:
            if error.outcome.code != errno.ENOENT:
                raise GuestError(f"medium: {error.message}") from None
            raise GuestError(
                f"the guest's kernel has no 802.11 medium (generic netlink family {FAMILY}, option "
                "MAC80211_HWSIM_MEDIUM); write medium: perfect, or use the lab's own kernel"
            ) from None

    def send(self, requests: Iterable[Request]) -> None:
        """Send requests in order.

        Raises:
            GuestError: If the kernel refuses one.
        """
        listed = list(requests)
        try:
            self._family.send([(request.command, request.payload()) for request in listed])
        except RefusedError as error:
            raise self._refusal(listed[error.request], error) from None

    def counters(self, t_ns: int, start_ns: int) -> Reading:
        """Return the counters so far.

        ``t_ns``: the time now; ``start_ns``: the uptime from which times count.
        """
        return Reading(
            t_ns,
            counters.radios(self._dump(Command.GET_RADIO), self._names),
            counters.links(self._dump(Command.GET_LINK), self._names),
            [counters.channel(answer, start_ns) for answer in self._dump(Command.GET_AIR)],
            self._parts(),
        )

    def _parts(self) -> dict[str, list[PeerCounters]]:
        """Return what the kernel's parts of stacks have counted; without such parts, make no dump, which takes time."""
        answers = self._dump(Command.GET_PEER) if self.plan.parts else []
        return {part.key: counters.peers(answers, self._names, part) for part in self.plan.parts}

    def _dump(self, command: Command) -> list[dict[int, bytes]]:
        request = Request(command, {Attr.ID: ID})
        try:
            return self._family.dump(command, request.payload())
        except RefusedError as error:
            raise self._refusal(request, error) from None

    def _refusal(self, request: Request, error: RefusedError) -> GuestError:
        """Return the kernel's message as an error, with the attribute that it is about."""
        about = next((f" ({attr.name})" for attr in [*Attr, *request.values] if attr == error.blamed), "")
        return GuestError(f"medium: the kernel refuses {request.describe(self._names)}: {error.message}{about}")
