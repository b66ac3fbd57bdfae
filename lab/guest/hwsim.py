# SPDX-License-Identifier: MIT
"""Asks mac80211_hwsim to make the radios. Numbers are those of the kernel's mac80211_hwsim.h."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lab.guest.errors import GuestError
from lab.guest.netlink import wire
from lab.guest.netlink.generic import Family, KernelSocket, RefusedError, Transport

FAMILY = "MAC80211_HWSIM"
_VERSION = 1
_NEW_RADIO = 4  # HWSIM_CMD_*
_SUPPORT_P2P_DEVICE, _STREAMS, _DSSS_ONLY = 14, 30, 31  # HWSIM_ATTR_*

# What a radio can do is fixed before the kernel registers it: attributes of NEW_RADIO by name, with their encoders.
LIMITS: dict[str, Callable[[int], bytes]] = {
    "streams": lambda value: wire.attribute(_STREAMS, bytes([value])),
    "dsss_only": lambda _: wire.attribute(_DSSS_ONLY, b""),
}
Limits = Mapping[str, int]  # by a name of LIMITS


def describe(limits: Limits) -> str:
    """Return the request for a radio as a reader sees it."""
    return " ".join(["NEW_RADIO", *(f"{name}={value}" for name, value in limits.items())])


def payload(limits: Limits) -> bytes:
    """Return the attributes of a radio: all that those of the module's parameter `radios` have, and its limits."""
    own = b"".join(LIMITS[name](value) for name, value in limits.items())
    return wire.attribute(_SUPPORT_P2P_DEVICE, b"") + own


class Hwsim:
    """The kernel's driver of simulated radios."""

    def __init__(self, transport: Transport | None = None) -> None:
        self._family = Family(FAMILY, _VERSION, transport or KernelSocket())

    def make_radios(self, radios: Sequence[Limits]) -> None:
        """Make radios; the first one made is phy0 and wlan0.

        Raises:
            GuestError: If the kernel refuses one.
        """
        try:
            self._family.send([(_NEW_RADIO, payload(limits)) for limits in radios])
        except RefusedError as error:
            request = describe(radios[error.request])
            raise GuestError(f"hwsim: the kernel refuses {request}: {error.message}") from None
