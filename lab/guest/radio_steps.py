# SPDX-License-Identifier: MIT
"""Steps that configure radios before any daemon does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.errors import GuestError
from lab.guest.nl80211 import FAMILY
from lab.guest.steps import Pid

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class MoveRadio(NamedTuple):
    """Move a radio into a node's container."""

    phy: int
    to: str  # node
    pid: Pid
    node: None = None

    def describe(self) -> Iterator[str]:
        yield f"# netlink, {FAMILY}: SET_WIPHY_NETNS wiphy={self.phy} pid={self.pid(self.to)}"

    def execute(self, guest: LiveGuest) -> None:
        guest.nl80211.move_radio(self.phy, guest.pid(self.to), self.to)


class CheckRateControl(NamedTuple):
    """Check that the radios have the rate control that the kernel was told: otherwise it silently takes its default."""

    name: str
    phy: int
    node: None = None

    def describe(self) -> Iterator[str]:
        yield f"# {self._file} must be {self.name}"

    def execute(self, guest: LiveGuest) -> None:
        try:
            found = self._file.read_text().strip()
        except FileNotFoundError:  # of one that tells nothing there; the default one does
            return
        if found != self.name:
            raise GuestError(
                f"rate_control: the kernel has no {self.name}, and took {found}; a workload names the module that has "
                "it in modules:"
            )

    @property
    def _file(self) -> Path:
        return Path(f"/sys/kernel/debug/ieee80211/phy{self.phy}/rc/name")


class SetCountry(NamedTuple):
    """Set the regulatory domain."""

    country: str  # two letters
    node: None = None

    def describe(self) -> Iterator[str]:
        yield f"# netlink, {FAMILY}: RELOAD_REGDB"
        yield f"# netlink, {FAMILY}: REQ_SET_REG alpha2={self.country}"

    def execute(self, guest: LiveGuest) -> None:
        guest.nl80211.set_country(self.country)
