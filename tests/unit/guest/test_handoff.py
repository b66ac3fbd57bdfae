# SPDX-License-Identifier: MIT
"""Handoffs that something else interrupts."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from lab.guest import handoff
from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.kinds import event_steps
from lab.guest.loop import Timer
from lab.plan.load import load
from lab.shared.outcome import Unfinished
from lab.shared.types import Event

SCANNED = "<3>CTRL-EVENT-SCAN-RESULTS "
SECOND_NS = 1_000_000_000


class Supplicant(Control):
    """A wpa_supplicant that knows no access point, or last heard it ``age`` seconds ago."""

    def __init__(self) -> None:
        self.age: int | None = None
        self._listeners = []
        self.handoff = None
        self.asked: list[str] = []
        self.busy = False
        self.events = []
        self.timers: list[tuple[int, Timer]] = []
        self.task: Any = SimpleNamespace(name="wpa_supplicant", logs=[])

    def request(self, command: str) -> str:
        self.asked.append(command)
        if command.startswith("BSS"):
            return "" if self.age is None else f"age={self.age}\n"
        return "FAIL-BUSY\n" if self.busy and command.startswith("SCAN") else "OK\n"

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> Timer:
        assert delay_ns in (SECOND_NS, 30 * SECOND_NS)
        self.timers.append((delay_ns, Timer(callback)))
        return self.timers[-1][1]

    def pass_time(self, seconds: int = 1) -> None:
        """Call what is due after that time, of what was asked for."""
        due = [timer for delay_ns, timer in self.timers if delay_ns <= seconds * SECOND_NS]
        self.timers = [(delay_ns, timer) for delay_ns, timer in self.timers if timer not in due]
        for timer in due:
            if timer.callback is not None:
                timer.callback()

    def tell(self, text: str) -> None:
        self.events.append((0, text))
        for listener in tuple(self._listeners):
            listener(0, text)


@pytest.fixture
def guest() -> Any:
    return SimpleNamespace(controls={"sta1": Supplicant()}, guard=lambda callback: callback())


def fire(guest: Any, kind: str, **params: str) -> bytes | None:
    (step,) = event_steps(load("two-aps-handoff", "idle"), Event(0, kind, "sta1", params))
    return step.execute(guest)


def begin(guest: Any) -> Supplicant:
    fire(guest, "roam", to="ap2")
    supplicant: Supplicant = guest.controls["sta1"]
    return supplicant


def test_a_handoff_to_an_access_point_that_is_not_heard_fails(guest: Any) -> None:
    supplicant = begin(guest)
    for _ in range(4):
        supplicant.tell(SCANNED)
    with pytest.raises(
        GuestError, match=r"^sta1 cannot roam to ap2: no beacon or probe response of \S+ on 2437 MHz in 5"
    ):
        supplicant.tell(SCANNED)
    assert supplicant.asked.count("SCAN freq=2437") == 5


def test_a_probe_request_that_collided_is_repeated(guest: Any) -> None:
    supplicant = begin(guest)
    supplicant.age = 100  # of an earlier visit
    supplicant.tell(SCANNED)
    assert supplicant.asked[-1] == "SCAN freq=2437"
    supplicant.age = 0
    supplicant.tell(SCANNED)
    assert supplicant.asked.count("SCAN freq=2437") == 2
    assert supplicant.asked[-1].startswith("ROAM ")
    supplicant.tell(SCANNED)  # of another scan, while it reassociates
    assert supplicant.asked[-1].startswith("ROAM ")


def test_a_station_that_is_disconnected_meanwhile_ends_its_handoff(guest: Any) -> None:
    supplicant = begin(guest)
    assert fire(guest, "disconnect") == b"OK"
    supplicant.tell(SCANNED)  # of the scan that was under way
    assert supplicant.asked == ["SCAN freq=2437", "DISCONNECT"]


def bssid(of: str) -> str:
    radio = load("two-aps-handoff", "idle").node(of).radio
    assert radio is not None
    return radio.mac


def roaming(guest: Any) -> Supplicant:
    """A station that has heard the access point, and was told to go there."""
    supplicant = begin(guest)
    supplicant.age = 29
    supplicant.tell(SCANNED)
    assert supplicant.asked[-1] == f"ROAM {bssid('ap2')}"
    return supplicant


def test_a_handoff_is_done_once_the_station_is_connected_there(guest: Any) -> None:
    supplicant = roaming(guest)
    handoff = supplicant.handoff
    supplicant.tell(f"<3>Associated with {bssid('ap2')}")
    supplicant.tell(f"<3>CTRL-EVENT-CONNECTED - Connection to {bssid('ap1')} completed")
    assert handoff is not None and not handoff.done  # type: ignore[attr-defined]
    supplicant.tell(f"<3>CTRL-EVENT-CONNECTED - Connection to {bssid('ap2')} completed")
    assert handoff.done and supplicant._listeners == []  # type: ignore[attr-defined]


def test_a_station_that_associates_elsewhere_has_failed(guest: Any) -> None:
    supplicant = roaming(guest)
    with pytest.raises(GuestError, match=r"^sta1 could not join ap2, and associated with another access point"):
        supplicant.tell(f"<3>Associated with {bssid('ap1')}")
    assert supplicant._listeners == []


def test_what_was_heard_too_long_ago_counts_as_unheard(guest: Any) -> None:
    """The kernel has forgotten it after 30 s, and would do nothing."""
    supplicant = begin(guest)
    supplicant.age = 30
    for _ in range(4):
        supplicant.tell(SCANNED)
    with pytest.raises(GuestError, match=r"in 5 scans; the last one came 30 s ago$"):
        supplicant.tell(SCANNED)


def test_a_station_that_cannot_scan_fails(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Supplicant, "request", lambda _self, _command: "FAIL\n")
    with pytest.raises(GuestError, match=r"^sta1 cannot scan: FAIL"):
        fire(guest, "roam", to="ap2")


def busy(guest: Any) -> Supplicant:
    """A station that answers a request to roam with FAIL-BUSY."""
    guest.controls["sta1"].busy = True
    assert fire(guest, "roam", to="ap2") == b"FAIL-BUSY"
    supplicant: Supplicant = guest.controls["sta1"]
    return supplicant


def test_the_end_of_a_scan_in_progress_is_as_good(guest: Any) -> None:
    supplicant = busy(guest)
    supplicant.busy, supplicant.age = False, 0
    supplicant.tell(SCANNED)
    supplicant.pass_time()
    assert supplicant.asked[-1] == f"ROAM {bssid('ap2')}" and supplicant.asked.count("SCAN freq=2437") == 1


@pytest.mark.parametrize(
    "end",
    [
        "<3>WPA: Key negotiation completed with 02:00:00:00:01:00 [PTK=CCMP GTK=CCMP]",
        "<3>WPA: Group rekeying completed with 02:00:00:00:01:00 [GTK=CCMP]",
        "<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:01:00 completed [id=0 id_str=]",
        "<3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:01:00 reason=15",
        "<3>CTRL-EVENT-SCAN-FAILED ret=-16",
    ],
)
def test_a_station_that_shakes_hands_scans_afterwards(guest: Any, end: str) -> None:
    """Until its end it refuses to scan, and no results of a scan come."""
    supplicant = busy(guest)
    supplicant.tell("<3>Associated with 02:00:00:00:01:00")
    assert supplicant.asked == ["SCAN freq=2437"]
    supplicant.busy = False
    supplicant.tell(end)
    supplicant.tell(end)
    supplicant.pass_time()
    assert supplicant.asked == ["SCAN freq=2437"] * 2
    supplicant.age = 0
    supplicant.tell(SCANNED)
    assert supplicant.asked[-1] == f"ROAM {bssid('ap2')}"


def test_a_station_is_asked_again_after_a_second_whatever_it_does(guest: Any) -> None:
    """The message may have come together with the answer."""
    supplicant = busy(guest)
    supplicant.busy = False
    supplicant.pass_time()
    assert supplicant.asked == ["SCAN freq=2437"] * 2 and supplicant.timers == []


def test_a_station_that_stays_busy_fails(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(20))
    monkeypatch.setattr(handoff, "now_ns", lambda: next(seconds) * SECOND_NS)
    supplicant = busy(guest)
    supplicant.tell("<3>EAPOL-RX 02:00:00:00:01:00 121")
    for _ in range(10):
        supplicant.pass_time()
    with pytest.raises(
        GuestError,
        match=r"^sta1 cannot roam to ap2: its wpa_supplicant was busy for 10 s; its last message: <3>EAPOL-RX",
    ):
        supplicant.pass_time()
    assert supplicant._listeners == []


def test_a_busy_station_that_is_disconnected_does_not_roam_later(guest: Any) -> None:
    supplicant = busy(guest)
    fire(guest, "disconnect")
    supplicant.busy = False
    supplicant.pass_time()
    assert supplicant.asked == ["SCAN freq=2437", "DISCONNECT"]


def test_a_station_that_never_says_how_its_roam_ended_fails(guest: Any) -> None:
    """wpa_supplicant has said OK, and may then try for ever."""
    supplicant = roaming(guest)
    supplicant.tell("<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0")
    with pytest.raises(
        GuestError,
        match=r"^sta1 has not joined ap2 within 30 s, after its wpa_supplicant had said OK to that; its last message: "
        "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0$",
    ):
        supplicant.pass_time(30)
    assert supplicant._listeners == []


@pytest.mark.parametrize("end", ["connected", "disconnect"])
def test_a_roam_that_has_ended_is_not_waited_for(guest: Any, end: str) -> None:
    supplicant = roaming(guest)
    if end == "connected":
        supplicant.tell(f"<3>CTRL-EVENT-CONNECTED - Connection to {bssid('ap2')} completed")
    else:
        fire(guest, end)
    supplicant.pass_time(30)
    assert handoff.unfinished([supplicant], 0) == []


def test_a_roam_in_progress_is_reported_with_its_time(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handoff, "now_ns", lambda: 7 * SECOND_NS)
    supplicant = roaming(guest)
    idle = Supplicant()
    found = [Unfinished(**values) for values in handoff.unfinished([idle, supplicant], 2 * SECOND_NS)]
    assert found == [Unfinished(5 * SECOND_NS, "sta1", "ap2", SCANNED)]
