# SPDX-License-Identifier: MIT
"""What iw can set on a medium: each setting takes effect, is refused, or docs/limits.md names it as without effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import air
from tests.air import ACK, DATA, RTS, Frame
from tests.system.conftest import Ran, quoted

pytestmark = [pytest.mark.guest]

Boot = Callable[..., Ran]
WORKS, REFUSED = "works", "refused"
# commands for the table's rows
SETTINGS = {
    "txpower": ["phy set txpower fixed 500", "dev set txpower limit 500", "dev set txpower auto"],
    "txpower, parts of a dBm": ["dev set txpower fixed 550"],
    "txpwr": ["dev station set 02:00:00:00:00:01 txpwr limit 500"],
    "rts": ["phy set rts 500", "phy set rts off"],
    "frag": ["phy set frag 500", "phy set frag off"],
    "bitrates": ["dev set bitrates legacy-5 6 12", "dev set bitrates"],
    "retry": ["phy set retry short 3", "phy set retry long 3"],
    "power_save": ["dev set power_save on", "dev set power_save off"],
    "noack_map": ["dev set noack_map 0x00ff", "dev set noack_map 0"],
    "survey": ["dev survey dump"],
    "antenna": ["phy set antenna 1 1", "phy set antenna all"],
    "distance": ["phy set distance 3000", "phy set distance auto"],
    "coverage": ["phy set coverage 3"],
    "tidconf": ["dev set tidconf tids 0x3 noack on"],
    "sar_specs": ["phy set sar_specs 0 0:100"],
    "mcast_rate": ["dev set mcast_rate 6"],
}
PLACE = """\
name: settings
country: US
medium: {}
nodes:
  ap1: {kind: ap, ssid: x, mode: a, wmm: true, channel: 36, position: [0 m, 0 m, 1 m]}
  sta1: {kind: sta, position: [5 m, 0 m, 1 m], roles: [client]}
  h1: {kind: host, roles: [server]}
links: [{between: [h1, ap1]}]
"""
WORK = """\
name: settings
roles: {client: 1, server: 1}
duration: 10 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", size: 1200 B, every: 10 ms}, as: flow}
timeline:
"""


def iw(at_ms: int, words: str) -> str:
    """An event that runs iw for the station's radio or interface, and prints with what status it ends."""
    kind, rest = words.split(" ", 1)
    target = "phy $(basename $(readlink -f /sys/class/net/sta1-wlan0/phy80211))" if kind == "phy" else "dev sta1-wlan0"
    return (
        f"  - {{at: {at_ms} ms, exec: sta1, run: [bash, -c, {quoted(f'iw {target} {rest} 2>&1; echo status $?')}]}}\n"
    )


def table() -> dict[str, str]:
    """What docs/limits.md says of each setting."""
    lines = (Path(__file__).parents[2] / "docs/limits.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `iw ")]
    return {row[0].replace("`", "").removeprefix("iw "): row[1] for row in rows}


def test_the_table_says_what_iw_says(boot: Boot) -> None:
    commands = [(name, words) for name, given in SETTINGS.items() for words in given]
    events = "".join(iw(1000 + 200 * number, words) for number, (_, words) in enumerate(commands))
    found: dict[str, set[str]] = {}
    for (name, _), output in zip(commands, boot(PLACE, WORK + events).outputs(), strict=True):
        refused = "Operation not supported (-95)" in output
        assert refused or output.endswith("status 0\n"), f"{name}: {output}"
        found.setdefault(name, set()).add(REFUSED if refused else WORKS)
    documented = table()
    assert {*documented} == {*found}
    for name, answers in found.items():
        assert answers == ({REFUSED} if documented[name] == REFUSED else {WORKS}), name


def test_what_works_is_seen_on_the_air(boot: Boot) -> None:
    changes = [
        "phy set rts 500", "phy set rts off", "dev set bitrates legacy-5 6", "dev set bitrates",
        "phy set frag 800", "phy set frag off", "dev set noack_map 0xffff",
    ]  # fmt: skip
    ran = boot(PLACE, WORK + "".join(iw(1000 * second, words) for second, words in enumerate(changes, 2)), pcap="air")
    (usual, rts, usual_again, slow, _, fragments, _, without_ack) = seconds(ran)
    assert counted(usual, RTS) == counted(usual_again, RTS) == 0 and counted(rts, RTS) >= 88
    assert rates(slow) == {12} and rates(usual_again) != {12}
    assert counted(usual, DATA) <= 100 and counted(fragments, DATA) >= 176
    assert counted(usual, ACK) >= 88 and counted(without_ack, ACK) < 10


def seconds(ran: Ran) -> list[list[Frame]]:
    """Frames of each second with traffic, without its first tenth."""
    (path,) = (ran.directory / "raw").glob("air-*")
    found: list[list[Frame]] = [[] for _ in range(9)]
    for frame in air.frames(path):
        second, rest_ns = divmod(frame.stamp_ns - ran.guest()["epoch_ns"], 10**9)
        if second < len(found) and rest_ns > 10**8:
            found[second].append(frame)
    return found[1:]


def counted(frames: list[Frame], kind: str) -> int:
    """Number of frames of a kind."""
    return sum(frame.kind == kind for frame in frames)


def rates(frames: list[Frame]) -> set[int]:
    """Rates of data frames, in units of 500 kbit/s."""
    return {frame.header["rate_500kbps"][0] for frame in frames if frame.kind == DATA}


@pytest.mark.parametrize("radios", [2, 3, 4, 12])
def test_radios_have_the_country_from_the_start(boot: Callable[..., Ran], radios: int) -> None:
    """The kernel sets it some time after it was asked to."""
    topology = (
        "name: many\ncountry: US\nmedium: {}\nnodes:\n"
        f'  m: {{kind: monitor, channel: 36, count: {radios}, position: ["{{index}} m", 0 m, 1 m]}}\n'
    )
    workload = "name: country\nduration: 1 s\nprocesses:\n  - {on: m1, run: [iw, reg, get], as: country}\n"
    assert "country US: DFS-FCC" in boot(topology, workload).raw("country.out")
