# SPDX-License-Identifier: MIT
"""Ad hoc networks whose stations search for each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab import Lab

pytestmark = pytest.mark.guest


def cell(net: Lab, station: str) -> str:
    """The BSSID of the network that a station is in."""
    text = net[station].run(["iw", "dev", f"{station}-wlan0", "link"], check=True).stdout
    (bssid,) = re.findall(r"^Joined IBSS (\S+)", text)
    return str(bssid)


def received(net: Lab, station: str, to: str) -> int:
    """How many of three pings were answered."""
    text = net[station].run(["ping", "-c", "3", "-i", "0.2", "-W", "1", to]).stdout
    return int(re.findall(r"(\d+) received", text)[0])


def test_stations_find_each_other_and_networks_merge(tmp_path: Path) -> None:
    with Lab("ad-hoc-merge", duration="30 s", directory=tmp_path / "lab") as net:
        assert cell(net, "sta1") == cell(net, "sta2") != cell(net, "sta3") == cell(net, "sta4")
        assert (received(net, "sta1", "sta2"), received(net, "sta1", "sta3")) == (3, 0)
        net.run_until("14 s")
        assert len({cell(net, station) for station in ("sta1", "sta2", "sta3", "sta4")}) == 1
        assert (received(net, "sta1", "sta3"), received(net, "sta2", "sta4")) == (3, 3)
