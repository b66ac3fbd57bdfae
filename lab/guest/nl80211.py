# SPDX-License-Identifier: MIT
"""Asks nl80211 directly for what ``iw`` would ask for: a program costs as much time as a hundred requests.

Numbers are those of include/uapi/linux/nl80211.h.
"""

from __future__ import annotations

from lab.guest.errors import GuestError
from lab.guest.netlink import wire
from lab.guest.netlink.generic import Family, KernelSocket, RefusedError, Transport

FAMILY = "nl80211"
_VERSION = 1
_REQ_SET_REG, _GET_REG, _SET_WIPHY_NETNS, _RELOAD_REGDB = 27, 31, 49, 126  # NL80211_CMD_*
_WIPHY, _REG_ALPHA2, _PID = 1, 33, 82  # NL80211_ATTR_*


class Nl80211:
    """The kernel's configuration of radios, as seen from outside of all nodes."""

    def __init__(self, transport: Transport | None = None) -> None:
        self._family = Family(FAMILY, _VERSION, transport or KernelSocket())

    def move_radio(self, phy: int, pid: int, node: str) -> None:
        """Move a radio into the network namespace of a process of ``node``.

        Raises:
            GuestError: If the kernel refuses it.
        """
        payload = wire.attribute(_WIPHY, wire.u32(phy)) + wire.attribute(_PID, wire.u32(pid))
        self._send(_SET_WIPHY_NETNS, payload, f"move phy{phy} to {node}", node)

    def set_country(self, country: str) -> None:
        """Ask for a regulatory domain, which the kernel sets later: see ``country``.

        Its database is loaded before: the kernel looked for it when the image was not mounted yet.

        Raises:
            GuestError: If the kernel refuses it.
        """
        self._send(_RELOAD_REGDB, b"", "load the regulatory database")
        self._send(_REQ_SET_REG, wire.attribute(_REG_ALPHA2, wire.text(country)), f"set the country {country}")

    def country(self) -> str:
        """Return the country of the regulatory domain that all radios have.

        Raises:
            GuestError: If the kernel refuses it.
        """
        try:
            domains = self._family.dump(_GET_REG, b"")
        except RefusedError as error:
            raise GuestError(f"nl80211: the kernel does not report the country: {error.message}") from None
        return next(one[_REG_ALPHA2] for one in domains if _WIPHY not in one)[:2].decode("ascii", "replace")

    def _send(self, command: int, payload: bytes, what: str, culprit: str | None = None) -> None:
        try:
            self._family.send([(command, payload)])
        except RefusedError as error:
            raise GuestError(f"nl80211: the kernel does not {what}: {error.message}", culprit) from None
