# SPDX-License-Identifier: MIT
"""What mac80211 knows about a station on the medium, and which senders a radio answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import air
from tests.system.conftest import Ran
from tests.system.test_medium_faults import STA, place

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
COUNT = 4000

WORK = f"""\
name: lossy
roles: {{server: 1, client: 1}}
duration: 6 s
processes:
  - {{on: server, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: client, run: {{probe: udp-sender, to: "{{server.ip}}", buffer: 100000 B, count: {COUNT}}}, as: load}}
timeline:
  - {{at: 100 ms, fault: damage, frames: data, from: sta1, to: ap1, share: 20 %, count: 1000000}}
  - {{at: 5900 ms, exec: sta1, run: [iw, dev, sta1-wlan0, station, dump]}}
"""


@pytest.mark.parametrize("mode", ["a", "n"])
def test_mac80211_knows_how_often_frames_were_sent_again(boot: Boot, mode: str) -> None:
    """In A-MPDUs, too, of whose frames mac80211 itself counts no attempts."""
    rate = {"a": "24 Mbit/s", "n": "MCS 7"}[mode]
    ran = boot(place(mode, f"rate: {rate}", "{retries: 20}"), WORK)
    (output,) = ran.outputs()
    (line,) = [line for line in output.splitlines() if "tx retries" in line]
    counted = ran.link("sta1", "ap1")["retries"]
    assert counted > COUNT / 5
    assert int(line.split()[-1]) == pytest.approx(counted, abs=3)


SCAN = """\
name: scan
duration: 6 s
processes: []
timeline:
  - {at: 2 s, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, disconnect]}
  - {at: 3 s, exec: sta1, run: [iw, dev, sta1-wlan0, scan, freq, 5180, randomise]}
"""


def test_who_scans_under_a_random_address_is_answered(boot: Boot) -> None:
    ran = boot(place("a", "rate: 24 Mbit/s"), SCAN, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    begin_ns = ran.guest()["epoch_ns"] + 3 * 10**9
    frames = [frame for frame in air.frames(path) if frame.stamp_ns >= begin_ns]
    (scanner,) = {frame.transmitter for frame in frames if frame.body[0] == 0x40}
    assert scanner != bytes.fromhex(STA.replace(":", ""))
    assert [frame for frame in frames if frame.body[0] == 0x50 and frame.receiver == scanner]
    # no beacon came in the 30 ms of the scan
    assert "from Probe Response frame" in ran.outputs()[-1]
