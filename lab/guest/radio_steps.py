# SPDX-License-Identifier: MIT
"""Steps that configure radios before any daemon does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lab.guest import hwsim
from lab.guest.errors import GuestError
from lab.guest.nl80211 import FAMILY
from lab.guest.steps import GUEST, Do, Pid, Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

_COUNTRY_NS = 5_000_000_000  # limit of what the kernel takes to set a country


def make_radios(plan: types.Plan) -> Step:
    """Make the radios of a plan, in the order of their numbers."""
    attributes = {radio.index: radio.attributes for radio in plan.medium.radios} if plan.medium else {}
    radios = [
        {name: value for name, value in attributes.get(number, {}).items() if name in hwsim.LIMITS}
        for number in types.radio_numbers(plan.nodes).values()
    ]
    lines = [f"# netlink, {hwsim.FAMILY}: {hwsim.describe(limits)}" for limits in radios]
    return Do(lines, lambda guest: guest.hwsim.make_radios(radios), GUEST)


def move_radio(phy: int, to: str, pid: Pid) -> Step:
    """Move a radio into the container of the node ``to``."""
    line = f"# netlink, {FAMILY}: SET_WIPHY_NETNS wiphy={phy} pid={pid(to)}"
    return Do([line], lambda guest: guest.nl80211.move_radio(phy, guest.pid(to), to), GUEST)


def check_rate_control(name: str, phy: int) -> Step:
    """Check that the radios have the requested rate control: the kernel silently takes its default otherwise."""
    file = Path(f"/sys/kernel/debug/ieee80211/phy{phy}/rc/name")

    def check(guest: LiveGuest) -> None:
        try:
            found = file.read_text().strip()
        except FileNotFoundError:  # of one that reports nothing there; the default one does
            return
        if found != name:
            raise GuestError(
                f"rate_control: the kernel has no {name}, and took {found}; a workload names the module that has it in "
                "modules:"
            )

    return Do([f"# {file} must be {name}"], check, GUEST)


def set_country(country: str) -> Step:
    """Set the regulatory domain, by two letters, and wait until radios have it."""
    lines = [
        f"# netlink, {FAMILY}: RELOAD_REGDB",
        f"# netlink, {FAMILY}: REQ_SET_REG alpha2={country}",
        f"# wait for the country {country}",
    ]

    def change(guest: LiveGuest) -> None:
        guest.nl80211.set_country(country)
        what = f"the country {country}"
        guest.loop.wait_for(lambda: guest.nl80211.country() == country, _COUNTRY_NS, what, guest.nl80211.country)

    return Do(lines, change, GUEST)
