# SPDX-License-Identifier: MIT
"""wp2pd in the guest: pure ACKs of a connection with data both ways, and a daemon that is killed, stopped or ended."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.record import Record
from tests import stored

from ..wp2pd.packets import SYN

pytestmark = pytest.mark.guest
TESTS = Path(__file__).parents[1]
PAIR = """\
name: pair
nodes:
  mobile: {kind: host, roles: [client]}
  fixed:  {kind: host, roles: [server]}
links:
  - {between: [mobile, fixed], delay: 10 ms, rate: 20 Mbit/s}
"""
EXCHANGE = f"""\
name: exchange
stack: bittorrent
roles: {{client: 1, server: 1}}
duration: 16 s
files:
  theirs: {{on: server, path: /srv/exchange.py, from: {TESTS}/fixtures/exchange.py}}
  ours: {{on: client, path: /srv/exchange.py, from: {TESTS}/fixtures/exchange.py}}
probes:
  - {{on: client, probe: tcpdump, as: seen}}
processes:
  - {{on: server, run: [python3, /srv/exchange.py, listen, SIZE, PIECE, PAUSE], as: fixed,
     ready: {{listening: tcp/51413}}}}
  - {{on: client, run: {{probe: wp2pd, gamma: 9000 B}}, as: am}}
  - {{on: client, at: 2 s, run: [python3, /srv/exchange.py, "{{server.ip}}", SIZE, PIECE, PAUSE], as: mobile}}
"""
Run = Callable[..., Record]


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine) -> Run:
    def of(workload: str, size: int, piece: int, pause_ms: int, *settings: str) -> Record:
        for word, value in (("SIZE", size), ("PIECE", piece), ("PAUSE", pause_ms)):
            workload = workload.replace(word, f'"{value}"')
        (tmp_path / "t.yaml").write_text(PAIR)
        (tmp_path / "w.yaml").write_text(workload)
        plan = load(str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"), 1, settings)
        place = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        place.mkdir()
        own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [TESTS.parent], SilentReport())
        record = stored.run_plan(plan, own, place)
        mobile, fixed = (json.loads((place / "raw" / f"{name}.out").read_text()) for name in ENDS)
        assert mobile["bytes"] == fixed["bytes"] == size
        assert (mobile["arrived"], fixed["arrived"]) == (fixed["sent"], mobile["sent"])
        return record

    return of


ENDS = ("mobile", "fixed")
SLOW = (100_000, 500, 20)  # two pieces of 500 B in a round trip
FAST = (4_000_000, 65_536, 0)


class Sent(NamedTuple):
    """A TCP segment that left the mobile host."""

    at_ns: int
    port: int
    flags: int
    payload: int
    seq: int
    ack: int
    window: int
    header: int


def sent(record: Record) -> list[Sent]:
    data = (record.directory / "raw" / "seen.pcap").read_bytes()
    found, at = [], 24
    while at < len(data):
        second, fraction, captured, _ = struct.unpack("<IIII", data[at : at + 16])
        frame = data[at + 16 : at + 16 + captured]
        found += _segment(second * 1_000_000_000 + fraction, frame)
        at += 16 + captured
    return found


def _segment(at_ns: int, frame: bytes) -> list[Sent]:
    """Return the segment of a frame; none if it has none, or it has arrived."""
    ip = frame[14:]
    if frame[12:14] == b"\x08\x00" and ip[9] == 6 and ip[15] == 1:
        tcp, length = ip[20:], int.from_bytes(ip[2:4], "big") - 20
    elif frame[12:14] == b"\x86\xdd" and ip[6] == 6 and ip[23] == 1:
        tcp, length = ip[40:], int.from_bytes(ip[4:6], "big")
    else:
        return []
    port, _, seq, ack, offset, flags, window = struct.unpack("!HHIIBBH", tcp[:16])
    header = (offset >> 4) * 4
    return [Sent(at_ns, port, flags, length - header, seq, ack, window, header)]


def counted(record: Record) -> tuple[int, int]:
    """Return how many segments with data had a new acknowledgement, and how many came just after a pure ACK with it."""
    news = pure = 0
    newest = None
    for one, after in pairwise(sent(record)):
        if one.flags & SYN:
            continue
        new = newest is not None and 0 < (one.ack - newest) % 2**32 < 2**31
        news += bool(one.payload and new)
        pure += bool(
            not one.payload and new and after.payload and after.ack == one.ack and after.at_ns - one.at_ns < 1_000_000
        )
        newest = one.ack if new or newest is None else newest
    return news, pure


def values(record: Record, name: str) -> Any:
    return record.data["sources"][name]["values"]


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_each_new_acknowledgement_goes_out_alone_while_young(run: Run, family: str) -> None:
    record = run(EXCHANGE, *SLOW, f"family={family}")
    news, pure = counted(record)
    am = values(record, "am")
    assert news == 0 and pure == am["added"] > 100, (news, pure, am)
    assert am["left_alone"] == am["refused"] == am["errors"] == 0


def test_nothing_is_added_with_gamma_0(run: Run) -> None:
    """With gamma 0 B, it only watches; its counts are those of the capture."""
    record = run(EXCHANGE, *SLOW, "processes.am.run.gamma=0 B")
    news, _ = counted(record)
    am = values(record, "am")
    assert am["added"] == 0 and news == am["left_alone"] > 100, (news, am)


def test_a_mature_connection_is_left_alone(run: Run) -> None:
    """4 MB in each direction, as fast as possible: more than 9 KB in each round trip but the first ones."""
    record = run(EXCHANGE, *FAST)
    am = values(record, "am")
    assert am["added"] == 0 and counted(record)[0] == am["left_alone"] > 100, am


@pytest.mark.parametrize("sack", [True, False])
def test_thinned_dupacks_lose_nothing(run: Run, sack: bool) -> None:
    """The mobile host sends a segment each millisecond, while what it receives arrives with gaps.

    With dupacks: thin, all bytes arrive as before. Without SACK, fewer DUPACKs leave it, but not many fewer: Linux
    sends most of them with nothing in between. With SACK, each reports what no segment before it has, so all leave.
    """
    paced = EXCHANGE.replace("16 s", "40 s").replace(
        '"{server.ip}", SIZE, PIECE, PAUSE', '"{server.ip}", SIZE, "1448", "1"'
    )
    assert "1448" in paced
    paced = paced.replace("gamma: 9000 B", "gamma: 9000 B, dupacks: WHICH")
    line = (
        "links.mobile-fixed.delay=40 ms",
        "links.mobile-fixed.loss=0.2%",
        f'nodes.fixed.sysctls={{net.ipv4.tcp_sack: "{sack:d}"}}',
    )
    everything, thinned = (run(paced.replace("WHICH", which), *FAST, *line) for which in ("all", "thin"))
    before, after = values(everything, "am"), values(thinned, "am")
    assert before["dropped"] == 0 and before["duplicates"] > 50, before
    share = after["dropped"] / after["duplicates"]
    assert share == 0 if sack else 0.01 < share < 0.1, after
    assert dupacks(everything, sack) == before["duplicates"]
    assert dupacks(thinned, sack) == after["duplicates"] - after["dropped"]


def dupacks(record: Record, sack: bool) -> int:
    """Return how many pure ACKs left the host that said nothing new but of gaps: with SACK, more than a time stamp."""
    segments = [one for one in sent(record) if not one.flags & SYN]
    return sum(
        not one.payload and (one.header > 32) == sack and (one.ack, one.window) == (before.ack, before.window)
        for before, one in pairwise(segments)
    )


def test_a_killed_daemon_lets_everything_pass(run: Run) -> None:
    """Its rules stay, and nobody serves the queue. (Its packets that waited for a verdict are sent again by TCP.)"""
    killed = EXCHANGE.replace("run: {probe: wp2pd, gamma: 9000 B}, as: am", "run: [wp2pd], as: am, required: false") + (
        "timeline:\n  - {at: 3 s, exec: mobile, run: [pkill, -KILL, wp2pd]}\n"
        "  - {at: 4 s, exec: mobile, run: [nft, list, ruleset]}\n"
    )
    record = run(killed, *SLOW)
    rules = "".join(path.read_text() for path in (record.directory / "raw" / "exec").iterdir())
    assert rules.count("bypass") == 2
    assert counted(record)[0] > 20


def test_an_ended_daemon_removes_its_rules(run: Run) -> None:
    ended = EXCHANGE.replace("as: am}", "as: am, stop: 3 s}") + (
        "timeline:\n  - {at: 4 s, exec: mobile, run: [nft, list, ruleset]}\n"
    )
    record = run(ended, *SLOW)
    assert not any("queue" in path.read_text() for path in (record.directory / "raw" / "exec").iterdir())
    assert values(record, "am")["added"] > 10


def wp2pd(options: str) -> str:
    """Return the workload with wp2pd as a plain program instead of a probe."""
    return EXCHANGE.replace("run: {probe: wp2pd, gamma: 9000 B}, as: am", options)


NUMBERED = f"""\
files:
  sender: {{on: client, path: /srv/numbered.py, from: {TESTS}/fixtures/numbered.py}}
"""


def test_a_full_queue_drops_what_comes_and_nothing_overtakes(run: Run) -> None:
    """wp2pd is stopped for a second, in which 5000 segments are to leave; there is room for 4096."""
    full = EXCHANGE.replace("files:\n", NUMBERED) + (
        '  - {on: client, at: 3500 ms, run: [python3, /srv/numbered.py, "{server.ip}", "5000"], as: numbers}\n'
        "timeline:\n  - {at: 3 s, exec: mobile, run: [pkill, -STOP, wp2pd]}\n"
        "  - {at: 4 s, exec: mobile, run: [pkill, -CONT, wp2pd]}\n"
    )
    record = run(full, *SLOW, "links.mobile-fixed.limit=10000 packets")
    numbers = [one.seq for one in sent(record) if one.port == 7]
    assert numbers == sorted(numbers) and 4000 < len(numbers) <= 4096, numbers[:10]


@pytest.mark.parametrize("signal", ["TSTP", "TTOU"])
def test_a_terminal_cannot_stop_it(run: Run, signal: str) -> None:
    """It is a job of a shell, as at a terminal: otherwise, the kernel ignores these signals."""
    job = wp2pd('run: [bash, -c, "set -m; wp2pd & wait"], as: am, stop: 15 s')
    record = run(job + f"timeline:\n  - {{at: 3 s, exec: mobile, run: [pkill, -{signal}, wp2pd]}}\n", *SLOW)
    news, pure = counted(record)
    assert news == 0 and pure > 100


def test_packets_do_not_wait_for_the_reader_of_its_output(run: Run) -> None:
    """A pipe holds 64 KiB, so that it is full after half a second."""
    news, pure = counted(run(wp2pd('run: [sh, -c, "wp2pd --every-ms 1 | sleep 60"], as: am, stop: 15 s'), *SLOW))
    assert news == 0 and pure > 100


def repeated(record: Record) -> list[int]:
    """Return how many segments each command of the timeline found sent again by TCP."""
    found = []
    for path in (record.directory / "raw" / "exec").iterdir():
        names, numbers = (line.split() for line in path.read_text().splitlines() if line.startswith("Tcp: "))
        found.append(int(dict(zip(names, numbers, strict=True))["RetransSegs"]))
    return found


SLOW_NFT = f"""\
files:
  nft: {{on: client, path: /srv/slow/nft, from: {TESTS}/fixtures/nft-that-takes-100-ms}}
"""


def test_an_ended_daemon_loses_nothing_that_waits(run: Run) -> None:
    """While nft removes its rules, packets wait for 100 ms, less than the 200 ms in which TCP would repeat them."""
    ended = wp2pd('run: [sh, -c, "PATH=/srv/slow:$PATH exec wp2pd"], as: am, stop: 3 s') + (
        "timeline:\n  - {at: 14 s, exec: mobile, run: [cat, /proc/net/snmp]}\n"
        "  - {at: 14 s, exec: fixed, run: [cat, /proc/net/snmp]}\n"
    )
    record = run(ended.replace("files:\n", SLOW_NFT), *SLOW, "links.mobile-fixed.delay=100 ms")
    assert repeated(record) == [0, 0]


HELD = f"""\
files:
  holder: {{on: client, path: /srv/hold.py, from: {TESTS}/fixtures/hold.py}}
"""
RULE = (
    "add table inet other; add chain inet other out { type filter hook output priority 1; "
    "icmp type echo-request queue to 7; }"
)


def test_what_waits_in_other_queues_is_not_lost(run: Run) -> None:
    """A ping waits in another queue. Meanwhile, wp2pd begins, with rules that a killed one has left, and ends."""
    others = wp2pd("run: [wp2pd], as: am, required: false") + (
        f'  - {{on: client, at: 1 s, run: [nft, "{RULE}"], as: rule}}\n'
        "  - {on: client, at: 2 s, run: [python3, /srv/hold.py, 7, 3], as: hold}\n"
        '  - {on: client, at: 2500 ms, run: [ping, -c, 1, -W, 5, "{server.ip}"], as: ping}\n'
        "  - {on: client, at: 3 s, run: [wp2pd], as: second, stop: 4 s}\n"
        "timeline:\n  - {at: 2700 ms, exec: mobile, run: [pkill, -KILL, wp2pd]}\n"
    )
    record = run(others.replace("files:\n", HELD), *SLOW)
    held, ping = ((record.directory / "raw" / f"{name}.out").read_text() for name in ("hold", "ping"))
    assert int(held) == 1 and "1 received" in ping


UPLINKS = """\
set -e
device=$(ip route get {server.ip} | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')
own=$(ip route get {server.ip} | sed -n 's/.* src \\([^ ]*\\).*/\\1/p')
ip FAMILY route add {server.ip} dev $device table 7
ip FAMILY rule add from $own table 7
ip link add other type dummy
ip link set other up
ip FAMILY route replace {server.ip} dev other
"""


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_a_pure_ack_leaves_by_the_uplink_of_its_data(run: Run, family: str) -> None:
    """From 3 s on, only packets with the connection's source address go by its uplink, and others by another one."""
    script = json.dumps(UPLINKS.replace("FAMILY", f"-{family[-1]}"))
    record = run(
        EXCHANGE + f"  - {{on: client, at: 3 s, run: [sh, -c, {script}], as: uplinks}}\n", *SLOW, f"family={family}"
    )
    news, pure = counted(record)
    assert news == 0 and pure == values(record, "am")["added"] > 100
