# SPDX-License-Identifier: MIT
"""Fifty stations at one access point: all associate, all have traffic."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

STATIONS = 50
REQUESTS = 5
NAMES = [f"sta{number}" for number in range(1, STATIONS + 1)]


def test_fifty_stations_associate_and_are_heard(boot: Callable[..., Ran]) -> None:
    stations = "".join(f"  {name}: {{kind: sta}}\n" for name in NAMES)
    place = (
        "name: many\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        "  ap1: {kind: ap, ssid: x, encrypt: wpa2, passwd: open sesame}\n"
        f"{stations}links: [{{between: [h1, ap1]}}]\nmedium: {{}}\n"
    )
    work = (
        "name: call\nroles: {server: 1, sta: 1.., ap: 1}\nduration: 8 s\nprocesses:\n"
        f'  - {{on: sta, run: {{probe: ping, to: "{{server.ip}}", every: 1 s, count: {REQUESTS}}}, as: call}}\n'
        "timeline:\n  - {at: 7 s, exec: ap1, run: [iw, dev, ap1-wlan1, station, dump]}\n"
    )
    ran = boot(place, work)
    (dump,) = ran.outputs()
    assert dump.count("authorized:\tyes") == STATIONS
    for name in NAMES:
        assert f"{REQUESTS} received" in ran.raw(f"call@{name}.out"), name
    last = json.loads(ran.raw("medium.json"))["looks"][-1]
    heard = {link["from"] for link in last["links"] if link["to"] == "ap1" and link["delivered"] > REQUESTS}
    assert heard == set(NAMES)
