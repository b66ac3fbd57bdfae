# SPDX-License-Identifier: MIT
"""Options in the words of hostapd and wpa_supplicant have their effects, also after a power cut and a handoff."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from lab.errors import RunError
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PLACE = """\
name: place
nodes:
  ap1:
    kind: ap
    ssid: campus
    HOSTAPD
  ap2: {kind: ap, ssid: campus, channel: 6, hostapd: {dtim_period: 5}}
  sta1: {kind: sta, network: NETWORK}
  sta2: {kind: sta, network: {bssid: "02:00:01:00:01:00"}}
"""
DTIM = re.compile(r"dtim period:\s+(\d+)")


def place(hostapd: str = "dtim_period: 3", network: str = '{bssid: "02:00:01:00:01:00"}') -> str:
    return PLACE.replace("HOSTAPD", hostapd if hostapd.startswith("isolate") else f"hostapd: {{{hostapd}}}").replace(
        "NETWORK", network
    )


def test_they_outlast_a_power_cut_and_a_handoff(boot: Callable[..., Ran]) -> None:
    look = "exec: sta2, run: [iw, dev, sta2-wlan0, link]"
    events = [
        f"{{at: 1 s, {look}}}",
        "{at: 1500 ms, power: ap1, to: off}",
        "{at: 3 s, power: ap1, to: on}",
        f"{{at: 18 s, {look}}}",
        "{at: 19 s, roam: sta1, to: ap2}",
        "{at: 20 s, exec: sta1, run: [iw, dev, sta1-wlan0, link]}",
        "{at: 20 s, exec: sta1, run: [wpa_cli, get_network, '0', priority]}",
    ]
    work = "name: look\nduration: 21 s\ntimeline:\n" + "".join(f"  - {event}\n" for event in events)
    *links, priority = boot(place(network="{priority: 7}"), work).outputs()
    assert [DTIM.findall(link) for link in links] == [["3"], ["3"], ["5"]]
    assert priority.split()[-1] == "7"


def test_isolated_stations_do_not_reach_each_other(boot: Callable[..., Ran]) -> None:
    """The run fails if a ping ends otherwise than expected."""
    for keys, expected in (("isolate: false", ""), ("isolate: true", "! ")):
        ping = f"exec: sta1, run: [sh, -c, '{expected}ping -c 1 -W 1 sta2']"
        work = f"name: look\nduration: 5 s\ntimeline:\n  - {{at: 1 s, {ping}}}\n  - {{at: 3 s, {ping}}}\n"
        received = [f"{number} received" for number in ([0, 0] if expected else [1, 1])]
        assert all(map(str.__contains__, boot(place(keys), work).outputs(), received))


@pytest.mark.parametrize(
    ("hostapd", "network", "said"),
    [
        ("dtim_periode: 3", "{}", ":6: hostapd refuses dtim_periode: unknown configuration item 'dtim_periode'"),
        ("dtim_period: 300", "{}", ":6: hostapd refuses dtim_period: invalid dtim_period 300"),
        ("op_class: 300", "{}", ":3: hostapd on ap1 ended with status"),
        ("", "{identity: me}", ":8: wpa_supplicant refuses identity: failed to parse identity 'me'; wpa_supplicant"),
    ],
)
def test_what_the_program_refuses(boot: Callable[..., Ran], hostapd: str, network: str, said: str) -> None:
    with pytest.raises(RunError) as failure:
        boot(place(hostapd, network), "name: look\nduration: 1 s\n")
    assert f"topology.yaml{said}" in str(failure.value)
