# SPDX-License-Identifier: MIT
"""What a client's TCP sends is, to the bit, what comes out behind the access point, whatever is in its ACKs.

The client's side is recorded where TCP hands packets over, the other side on the server's wire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lab.captures import pcap
from tests.system.conftest import Ran
from workloads.hack.tests.system import hack_record
from workloads.hack.tests.system.hacking import counts, nothing_is_wrong, place, quoted, work

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

ETHERNET_BYTES = 14
TIMER = "{mode: timer, timer: 20 ms}"  # else few would, where the queue of the access point is often empty
ECE, CWR, URGENT = 0x40, 0x80, 0x20
TIMESTAMPS, SACK, NOP, END = 8, 5, 1, 0
RECORD = Path(hack_record.__file__).read_text()
ADDRESSES = tuple(
    f"{{at: 500 ms, exec: {role}, run: [ip, address, add, {address}/64, dev, {interface}, nodad]}}"
    for role, address, interface in (("server", "fd00::1", "h1-eth0"), ("client", "fd00::2", "sta1-wlan0"))
)
# a link's own loss would take ACKs on the wire as well
LOSS = "{at: 500 ms, exec: server, run: [tc, qdisc, change, dev, h1-eth0, root, netem, delay, 1ms, loss, 1%]}"


def sysctl(role: str, name: str, value: int) -> str:
    return f"{{at: 500 ms, exec: {role}, run: [sysctl, -w, net.ipv4.{name}={value}]}}"


@dataclass(frozen=True)
class Case:
    """A download, and what is to be found in its ACKs."""

    has: Callable[[list[Segment]], bool]
    mode: str = "a"
    hack: str = "more-data"
    events: tuple[str, ...] = ()
    download: dict[str, object] = field(default_factory=dict)
    least_share: float = 0.4  # of the ACKs, that is compressed


@dataclass(frozen=True)
class Segment:
    """A TCP segment as an IP packet."""

    packet: bytes

    @property
    def tcp(self) -> bytes:
        """The TCP header and all that follows it."""
        return self.packet[40:] if self.packet[0] >> 4 == 6 else self.packet[20:]

    @property
    def flags(self) -> int:
        return self.tcp[13]

    @property
    def is_ack(self) -> bool:
        """Whether it is an ACK without data, not at an end of the connection."""
        return self.flags & 0x17 == 0x10 and len(self.tcp) == 4 * (self.tcp[12] >> 4)

    @property
    def ack(self) -> int:
        return int.from_bytes(self.tcp[8:12], "big")

    @property
    def window(self) -> int:
        return int.from_bytes(self.tcp[14:16], "big")

    @property
    def options(self) -> set[int]:
        """Kinds of its options."""
        found, data = set[int](), self.tcp[20 : 4 * (self.tcp[12] >> 4)]
        while data and data[0] != END:
            if data[0] != NOP:
                found.add(data[0])
            data = data[1 if data[0] == NOP else data[1] :]
        return found


def sent(ran: Ran) -> list[Segment]:
    """What the client's TCP sent, in order."""
    lines = ran.raw("record.out").splitlines()[1:]
    return [Segment(bytes.fromhex(line.split()[1])) for line in lines]


def arrived(ran: Ran) -> list[Segment]:
    """What of it reached the server, in order."""
    capture = pcap.load(ran.directory / "raw" / "wire.pcap")
    found = []
    for _, frame in capture.frames():
        is_ipv6 = frame[12:14] == b"\x86\xdd"
        at, extra = (4, 40) if is_ipv6 else (2, 0)
        length = int.from_bytes(frame[ETHERNET_BYTES + at : ETHERNET_BYTES + at + 2], "big") + extra
        found.append(Segment(frame[ETHERNET_BYTES : ETHERNET_BYTES + length]))  # what is longer is padding
    return found


def run(boot: Boot, case: Case) -> Ran:
    download: dict[str, Any] = {"size_bytes": 2_000_000, "duration": "3 s", **case.download}
    text = work(
        files=(f"recorder: {{on: client, path: /opt/record.py, text: {quoted(RECORD)}}}",),
        processes=("{on: client, run: [python3, /opt/record.py], as: record, ready: {log: ready}}",),
        probes=('{on: server, probe: tcpdump, as: wire, filter: "tcp src port 5201", snaplen: 200 B}',),
        timeline=(f"{{at: 400 ms, exec: client, run: [nft, {quoted(hack_record.RULES)}]}}", *case.events),
        **download,
    )
    return boot(place(case.mode, sta=f"hack: {case.hack}"), text)


def falls(acks: list[Segment]) -> int:
    """How often the window is less than in the ACK before."""
    return sum(after.window < one.window for one, after in pairwise(acks))


CASES = {
    "ipv4": Case(lambda acks: all(TIMESTAMPS in one.options for one in acks)),
    "ipv4, n": Case(
        lambda acks: all(TIMESTAMPS in one.options for one in acks),
        mode="n",
        download={"size_bytes": 6_000_000},
        least_share=0.3,  # 0.36 to 0.57 with eight seeds: TCP's bursts decide how many ACKs wait in vain
    ),
    "ipv6": Case(
        lambda acks: all(one.packet[0] >> 4 == 6 for one in acks), events=ADDRESSES, download={"to": "fd00::2"}
    ),
    "no timestamps": Case(
        lambda acks: not any(TIMESTAMPS in one.options for one in acks), events=(sysctl("client", "tcp_timestamps", 0),)
    ),
    "sack": Case(lambda acks: sum(SACK in one.options for one in acks) > 20, events=(LOSS,)),
    "sack, no timestamps": Case(
        lambda acks: sum(one.options == {SACK} for one in acks) > 20,
        events=(LOSS, sysctl("client", "tcp_timestamps", 0)),
    ),
    "sack, ipv6, n": Case(
        lambda acks: sum(SACK in one.options for one in acks) > 10,
        mode="n",
        hack=TIMER,
        events=(LOSS, *ADDRESSES),
        download={"to": "fd00::2", "duration": "8 s"},
    ),
    "ecn": Case(
        lambda acks: sum(bool(one.flags & ECE) for one in acks) > 20,
        events=(sysctl("client", "tcp_ecn", 1), sysctl("server", "tcp_ecn", 1)),
    ),
    "a slow reader": Case(
        lambda acks: len({one.window for one in acks}) > 20 and falls(acks) > 20 and falls(acks[::-1]) > 20,
        hack=TIMER,
        events=("{at: 500 ms, exec: client, run: [sysctl, -w, 'net.ipv4.tcp_rmem=4096 30000 30000']}",),
        download={"read_bytes": 5000, "pause_s": 0.004, "size_bytes": 1_500_000},
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_acks_survive_to_the_bit(boot: Boot, what: str) -> None:
    case = CASES[what]
    ran = run(boot, case)
    compressed, received = counts(ran, "sta1"), counts(ran, "ap1", "received")
    assert nothing_is_wrong(received) and compressed["resets"] == 0
    before, after = sent(ran), arrived(ran)
    acks = [one for one in before if one.is_ack]
    assert case.has(acks[2:])
    assert compressed["acks"] > case.least_share * len(acks) > 50
    reported = compressed["flushed"], compressed["natives"]
    assert_same(before, after, *reported)
    # and it would be noticed
    middle = len(after) // 2
    one_bit = Segment(after[middle].packet[:-1] + bytes([after[middle].packet[-1] ^ 1]))
    with pytest.raises(AssertionError):
        assert_same(before, [*after[:middle], one_bit, *after[middle + 1 :]], *reported)
    with pytest.raises(AssertionError):
        assert_same(before, after[: -reported[0] - 10], *reported)


def assert_same(before: list[Segment], after: list[Segment], given_up: int, natives: int) -> None:
    """All that arrived had been sent, bit by bit; all that was sent arrived, but for what was given up.

    Uncompressed ACKs may be overtaken by some that are sent with answers.
    """
    assert {one.packet for one in after} <= {one.packet for one in before}
    missing = Counter(one.packet for one in before) - Counter(one.packet for one in after)
    assert missing.total() <= given_up
    twice = Counter(one.packet for one in after) - Counter(one.packet for one in before)
    assert twice.total() <= given_up
    order = {one.packet: number for number, one in enumerate(before)}
    first = list(dict.fromkeys(one.packet for one in after))
    overtaken = sum(order[one] > order[after] for one, after in pairwise(first))
    assert overtaken <= natives
