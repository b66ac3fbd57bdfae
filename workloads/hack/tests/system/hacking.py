# SPDX-License-Identifier: MIT
"""TCP/HACK under test: a download, what the radios counted, and what the answers on the air carried.

Payloads are read by the description at the head of hwsim_hack.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests import air
from tests.air import ACK, BA, DATA, Frame
from tests.system.conftest import Ran
from tests.system.conftest import quoted as quoted
from tests.system.test_air import SIFS_5GHZ_NS, ppdus
from tests.system.test_medium_faults import BAR, kind_of

AP, STA = "02:00:00:00:aa:00", "02:00:00:00:bb:00"
RADIOS = {"a": ("mode: a, rate: 54 Mbit/s", "rate: 54 Mbit/s"), "n": ("mode: n, rate: MCS 7", "rate: MCS 7")}
PORT = 5201
MORE_DATA, RETRY = 0x20, 0x08  # frame control, second byte

PLACE = """\
name: hack
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, channel: 36, bssid: "{ap}", {radio}, {ap_keys}}}
  sta1: {{kind: sta, mac: "{sta}", roles: [client], {rate}, {sta_keys}}}
links: [{{between: [h1, ap1], delay: 1 ms{wire}}}]
medium: {medium}
"""
# sends bursts of bytes, a burst each so many seconds; ends when all of it has been read
SOURCE = """\
import socket, sys, time
host, port, count, size, gap = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
with socket.create_connection((host, port)) as connection:
    begin = time.monotonic()
    for number in range(count):
        time.sleep(max(0, begin + number * gap - time.monotonic()))
        connection.sendall(bytes(size))
    connection.shutdown(socket.SHUT_WR)
    print(connection.recv(100).decode())
"""
# reads so many bytes each so many seconds, of one connection after another, and tells at the end how many they were
SINK = """\
import socket, sys, time
port, size, gap = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as server:
    while True:
        connection, _ = server.accept()
        total = 0
        while data := connection.recv(size):
            total += len(data)
            if gap:
                time.sleep(gap)
        connection.sendall(str(total).encode())
        connection.close()
"""
WORK = """\
name: hack
roles: {{server: 1, client: 1}}
duration: {duration}
files:
  sending: {{on: server, path: /opt/source.py, text: {source}}}
  reading: {{on: client, path: /opt/sink.py, text: {sink}}}
{files}
processes:
  - on: client
    run: [python3, /opt/sink.py, "5201", "{read}", "{pause_s}"]
    as: sink
    ready: {{listening: tcp/5201}}
{processes}
  - on: server
    at: 1 s
    run: [python3, /opt/source.py, "{to}", "5201", "{bursts}", "{size}", "{every_s}"]
    as: flow
checks:
  - {{that: flow.exit == 0}}
probes:
{probes}
timeline:
{timeline}
"""


def place(
    mode: str, *, ap: str = "hack: more-data", sta: str = "hack: more-data", medium: str = "{}", wire: str = ""
) -> str:
    """Return a topology: a server on a wire, an access point and a station."""
    radio, rate = RADIOS[mode]
    return PLACE.format(ap=AP, sta=STA, radio=radio, rate=rate, ap_keys=ap, sta_keys=sta, medium=medium, wire=wire)


def work(
    *,
    bursts: int = 1,
    size_bytes: int = 4_000_000,
    every_s: float = 0,
    read_bytes: int = 1 << 20,
    pause_s: float = 0,
    to: str = "{client.ip}",
    duration: str = "3 s",
    files: tuple[str, ...] = (),
    processes: tuple[str, ...] = (),
    probes: tuple[str, ...] = (),
    timeline: tuple[str, ...] = (),
) -> str:
    """Return a workload: the server sends bursts to the client from 1 s on."""
    return WORK.format(
        source=quoted(SOURCE),
        sink=quoted(SINK),
        bursts=bursts,
        size=size_bytes,
        every_s=every_s,
        read=read_bytes,
        pause_s=pause_s,
        to=to,
        duration=duration,
        files="\n".join(f"  {line}" for line in files),
        processes="\n".join(f"  - {line}" for line in processes),
        probes=_listed(probes),
        timeline=_listed(timeline),
    )


def _listed(lines: tuple[str, ...]) -> str:
    return "\n".join(f"  - {line}" for line in lines) or "  []"


def counts(ran: Ran, node: str, way: str = "sent") -> dict[str, Any]:
    """What became of a node's TCP ACKs, at the end."""
    (pair,) = (pair for pair in ran.looks()[-1]["hack"] if pair["node"] == node)
    numbers: dict[str, Any] = pair[way]
    return numbers


def nothing_is_wrong(received: dict[str, Any]) -> bool:
    """Whether all that came could be restored."""
    return not any(received[key] for key in ("crc_failures", "unknown", "malformed"))


# ---- the air ----


@dataclass(frozen=True)
class Item:
    """A compressed TCP ACK."""

    msn: int
    data: bytes


def payload(answer: Frame) -> list[Item]:
    """Return the TCP ACKs that an ACK or BlockAck carries."""
    data = answer.body[28 if answer.kind == BA else 10 :]
    return list(_items(data[0], data[1:])) if data else []


def _items(msn: int, data: bytes) -> Iterator[Item]:
    while data:
        size = _item_bytes(data)
        assert size <= len(data), data.hex()
        yield Item(msn, data[:size])
        msn, data = (msn + 1) % 256, data[size:]


def _item_bytes(data: bytes) -> int:
    """Return the length of the first item."""
    form = data[1]
    if form < 0x80:
        return 3
    if form == 0x80:
        return 5
    size = 2
    more = 0
    if form & 0x10:
        more, size = data[size], size + 1
    size += 3 * (more >> 7) + 2 * (more >> 6 & 1) + 2 * (form >> 6 & 1) + 2 * (form >> 5 & 1)
    size += (0, 1, 2, 4)[form >> 2 & 3] + (0, 1, 4, 8)[form & 3]
    for _ in range(2 * (more >> 3 & 7)):
        while data[size] & 0x80:
            size += 1
        size += 1
    return size + 1


@dataclass(frozen=True)
class Exchange:
    """What the access point sent to the station, and the answer that came SIFS later, if one was sent."""

    sent: list[Frame]
    answer: Frame | None

    @property
    def kind(self) -> str:
        """As faults call it."""
        return kind_of(self.sent[0])

    @property
    def end_ns(self) -> int:
        """When the last frame ended."""
        return air.end_ns(self.sent)

    @property
    def more_data(self) -> bool:
        """Whether the last frame says that more will come."""
        return bool(self.sent[-1].body[1] & MORE_DATA)

    @property
    def retry(self) -> bool:
        """Whether the first frame was sent before."""
        return bool(self.sent[0].body[1] & RETRY)

    @property
    def sequences(self) -> list[int]:
        """Sequence numbers of its data frames."""
        return [frame.sequence for frame in self.sent if frame.kind == DATA]

    @property
    def items(self) -> list[Item]:
        """What the answer carried."""
        return payload(self.answer) if self.answer else []


def transmissions(ran: Ran) -> list[list[Frame]]:
    """Return all transmissions on the air; of an A-MPDU, all its frames."""
    (path,) = (ran.directory / "raw").glob("air-*")
    return list(ppdus(air.frames(path)))


def exchanges(ran: Ran, since_ns: int = 0) -> list[Exchange]:
    """Return the access point's data and BlockAckReqs to the station, and the answers, that ended after a time."""
    sequence = transmissions(ran)
    begin_ns = ran.guest()["epoch_ns"] + since_ns
    found = []
    for number, sent in enumerate(sequence):
        first = sent[0]
        if kind_of(first) not in (DATA, BAR) or first.receiver.hex(":") != STA:
            continue
        due_ns = air.end_ns(sent) + SIFS_5GHZ_NS
        answers = [after[0] for after in sequence[number + 1 : number + 3] if after[0].stamp_ns == due_ns]
        answer = next((frame for frame in answers if frame.kind in (ACK, BA) and frame.receiver.hex(":") == AP), None)
        if air.end_ns([answer] if answer else sent) > begin_ns:
            found.append(Exchange(sent, answer))
    return found


def segments(ran: Ran, source: str = STA) -> list[tuple[int, bytes]]:
    """Return (time, IP packet) of each data frame of one sender to another on the air, retries too."""
    found = []
    for sent in transmissions(ran):
        for frame in sent:
            if frame.kind != DATA or frame.transmitter.hex(":") != source or frame.receiver[0] & 1:
                continue
            data = frame.body[26 if frame.body[0] & 0x80 else 24 :]
            if data[6:8] in (b"\x08\x00", b"\x86\xdd"):
                found.append((frame.stamp_ns, data[8:]))
    return found
