# SPDX-License-Identifier: MIT
"""Stations that are disconnected and connect again, and access points that lose their power."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from lab.record.build import build
from lab.report.tables import tables
from lab.report.terminal import as_csv
from lab.views.outage import arrow
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

WORKLOAD = """\
name: lose
roles: {server: 1, client: 1, ap: 1}
duration: %s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: %d}, as: echo}
probes:
  - {on: client, probe: wpa-events}
  - {on: ap, probe: hostapd-events, as: hostapd}
metrics:
  outage: {of: wpa-events, unit: ms, per: handoff}
timeline:
%s
"""
PLACE = """\
name: place
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: campus, channel: 6, encrypt: wpa2, passwd: espresso}
  sta1: {kind: sta, roles: [client]}
links:
  - {between: [h1, ap1]}
"""


def answered(ran: Ran) -> list[int]:
    return [int(number) for number in re.findall(r"bytes from .*icmp_seq=(\d+)", ran.raw("echo.out"))]


def test_disconnect_and_connect(boot: Callable[..., Ran]) -> None:
    """wpa_supplicant stays away until it is ordered to connect; the report does not call that a handoff."""
    timeline = "  - {at: 1 s, disconnect: client}\n  - {at: 3 s, connect: client}\n"
    ran = boot(PLACE, WORKLOAD % ("5 s", 45, timeline))
    assert [(event["kind"], event["output"]) for event in ran.guest()["events"]] == [
        ("disconnect", "OK"),
        ("connect", "OK"),
    ]
    assert "reason=3 locally_generated=1" in ran.raw("wpa-events.out")
    found = answered(ran)
    assert set(range(1, 10)) <= set(found) and not set(range(12, 30)) & set(found) and found[-1] == 45
    record = build(ran.directory, hashes={})
    (row,) = record.metrics["outage"].rows
    assert (row["cause"], row["from"], row["to"], row["at_ns"]) == ("disconnect", "ap1", "ap1", 10**9)
    assert 2000 < row["outage"] < 3000
    (table,) = [table for table in tables(record) if table.name == "outage"]
    assert table.title.startswith("Disconnections: ") and "ap1 left, back" in as_csv(table)


@pytest.mark.parametrize("medium", ["", "medium: {}\n"])
def test_an_access_point_without_power(boot: Callable[..., Ran], medium: str) -> None:
    """Its station misses beacons, without a notice; later it joins the new hostapd, with new keys."""
    timeline = "  - {at: 1 s, power: ap1, to: off}\n  - {at: 6 s, power: ap1, to: on}\n"
    ran = boot(PLACE + medium, WORKLOAD % ("20 s", 190, timeline))
    events = ran.raw("wpa-events.out")
    assert "CTRL-EVENT-BEACON-LOSS" in events
    (reason,) = re.findall(r"CTRL-EVENT-DISCONNECTED .*(reason=\d+(?: locally_generated=1)?)", events)
    assert reason == "reason=4 locally_generated=1", "the station gave up by itself"
    found = answered(ran)
    assert set(range(1, 10)) <= set(found) and not set(range(12, 60)) & set(found) and found[-1] == 190
    (row,) = build(ran.directory, hashes={}).metrics["outage"].rows
    assert row["cause"] == "loss" and row["completed"] and arrow(row) == "ap1 lost, back"
    assert "AP-STA-CONNECTED" in ran.raw("hostapd.out"), "the probe hears the new hostapd, too"
    log = ran.raw("daemon/ap1-hostapd.log")
    assert log.count("AP-ENABLED") == 2 and "AP-DISABLED" not in log
