# SPDX-License-Identifier: MIT
"""A station goes where its access point suggests, and learns its neighbours; one without a network stays outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

AP1, AP2 = "02:00:01:00:01:00", "02:00:01:00:02:00"
WHERE = 'exec: sta1, run: [sh, -c, "wpa_cli status | grep bssid"]'


def place(snr_db: int, *events: str) -> str:
    nodes = [
        "ap1: {kind: ap, ssid: campus, btm: true, rrm: true}",
        "ap2: {kind: ap, ssid: campus, btm: true, channel: 6}",
        "sta1: {kind: sta, ssid: campus}",
    ]
    medium = f"medium: {{snr: [{{between: [ap1, sta1], is: {snr_db} dB}}]}}\n"
    lines = "".join(f"  - {{{event}}}\n" for event in events)
    return "name: place\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + medium + f"timeline:\n{lines}"


def look(boot: Callable[..., Ran], *events: str, snr_db: int = 40) -> Ran:
    return boot(place(snr_db, *events), "name: look\nduration: 10 s\n")


def test_a_station_decides_by_itself_unless_it_has_to_leave(boot: Callable[..., Ran]) -> None:
    """Only a request with a disassociation moves it between two equals; towards a better one, a suggestion suffices."""
    found = {}
    for leaves, snr_db in ((False, 40), (True, 40), (False, 8)):
        steer = f"at: 3 s, steer: sta1, to: ap2, leaves: {str(leaves).lower()}"
        ran = look(boot, "at: 1 s, roam: sta1, to: ap1", f"at: 2 s, {WHERE}", steer, f"at: 9 s, {WHERE}", snr_db=snr_db)
        found[leaves, snr_db] = [said.strip().removeprefix("bssid=") for said in ran.outputs()]
    assert found == {(False, 40): [AP1, AP1], (True, 40): [AP1, AP2], (False, 8): [AP1, AP2]}


def test_an_access_point_without_power_suggests_nothing(boot: Callable[..., Ran]) -> None:
    events = ("roam: sta1, to: ap1", "power: ap1, to: off", "steer: sta1, to: ap2", WHERE)
    ran = look(boot, *(f"at: {at} s, {event}" for at, event in zip((1, 2, 2.1, 9), events, strict=True)))
    assert [said.strip() for said in ran.outputs()] == [f"bssid={AP2}"]


def test_a_station_asks_for_neighbours(boot: Callable[..., Ran]) -> None:
    ask = "at: 2 s, exec: sta1, run: [wpa_cli, neighbor_rep_request]"
    said = look(boot, "at: 1 s, roam: sta1, to: ap1", ask).raw("daemon/sta1-wpa_supplicant.log")
    assert f"RRM-NEIGHBOR-REP-RECEIVED bssid={AP2} info=0x3 op_class=81 chan=6 phy_type=6" in said


def test_stations_without_a_network_or_the_right_passphrase_do_not_delay_the_run(boot: Callable[..., Ran]) -> None:
    nodes = "  ap1: {kind: ap, ssid: campus, encrypt: wpa2, passwd: espresso}\n  sta1: {kind: sta, ssid: kampus}\n"
    nodes += "  sta2: {kind: sta, ssid: campus, encrypt: wpa2, passwd: ristretto, awaited: false}\n"
    nodes += "  sta3: {kind: sta, ssid: campus}\n"
    ran = boot(f"name: place\nnodes:\n{nodes}medium: {{}}\n", "name: look\nduration: 5 s\n")
    assert set(ran.guest()["associations"]) == {"sta3"}
    assert "WRONG_KEY" in ran.raw("daemon/sta2-wpa_supplicant.log")


def test_a_station_that_searches_finds_its_network(boot: Callable[..., Ran]) -> None:
    nodes = "  ap1: {kind: ap, ssid: campus, channel: 11}\n  sta1: {kind: sta, scan: all}\n"
    ran = boot(f"name: place\nnodes:\n{nodes}medium: {{}}\n", "name: look\nduration: 1 s\n", pcap="air")
    channels = {path.stem.removeprefix("air-") for path in (ran.directory / "raw").glob("air-*.pcapng")}
    assert {"2412", "2462", "5180"} <= channels
