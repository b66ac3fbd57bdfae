# SPDX-License-Identifier: MIT
"""Handoffs that something else interrupts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lab.events.disconnect.guest import Disconnect
from lab.events.roam.guest import StartHandoff
from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.plan.load import load

SCANNED = "<3>CTRL-EVENT-SCAN-RESULTS "


class Supplicant(Control):
    """A wpa_supplicant that knows no access point."""

    def __init__(self) -> None:
        self._listeners = []
        self.handoff = None
        self.asked: list[str] = []
        self.task: Any = SimpleNamespace(name="wpa_supplicant", logs=[])

    def request(self, command: str) -> str:
        self.asked.append(command)
        return "" if command.startswith("BSS") else "OK\n"

    def tell(self, text: str) -> None:
        for listener in tuple(self._listeners):
            listener(0, text)


@pytest.fixture
def guest() -> Any:
    return SimpleNamespace(controls={"sta1": Supplicant()}, guard=lambda callback: callback())


def begin(guest: Any) -> Supplicant:
    plan = load("two-aps-handoff", "idle")
    StartHandoff(plan.node("sta1"), plan.node("ap2")).execute(guest)
    supplicant: Supplicant = guest.controls["sta1"]
    return supplicant


def test_a_handoff_to_an_access_point_that_is_not_heard_fails(guest: Any) -> None:
    supplicant = begin(guest)
    with pytest.raises(GuestError, match=r"^sta1 cannot roam to ap2: no beacon or probe response"):
        supplicant.tell(SCANNED)


def test_a_station_that_is_disconnected_meanwhile_ends_its_handoff(guest: Any) -> None:
    supplicant = begin(guest)
    assert Disconnect("sta1").execute(guest) == "OK"
    supplicant.tell(SCANNED)  # of the scan that was under way
    assert supplicant.asked == ["SCAN freq=2437", "DISCONNECT"]
