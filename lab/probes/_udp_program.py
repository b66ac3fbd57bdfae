# SPDX-License-Identifier: MIT
"""The program of udp-sender and udp-sink, which runs in a node by itself: ``python3 udp.py send …``.

Each datagram carries its number, its send time (all nodes share one clock, so one-way delays are exact) and the name of
its flow. A sender first sends empty datagrams until the sink answers one, and counts those that it does not answer:
while the address of the next hop is unknown, datagrams are dropped at once, and sending would never block. Then it
waits for the next full second, so that no flow takes the medium from another one that is still starting. If the address
is that of a group, broadcast or multicast, nobody can answer, and it only waits for that second. A paced flow
starts a little later, by default depending on its name, so that flows with the same interval do not send at the same
instant.

A flow may come and go: times on and off are random, with a Pareto distribution, so that many such flows together are
self-similar, as traffic of LANs is (W. Willinger et al., "Self-similarity through high-variability", IEEE/ACM
Transactions on Networking 5, 1997). They follow from the seed of the run and the flow's name only.

Not modelled: congestion control; the rate of a sender does not depend on what arrives.
"""

import errno
import fcntl
import json
import math
import random
import select
import socket
import struct
import sys
import termios
import time
import zlib

SECOND = 1_000_000_000
HEAD = struct.Struct("!QQB")  # number, time of sending in ns, bytes of the flow's name
KNOCK_S = 0.1
IDLE_S = 0.01  # after datagrams that the network drops at once: a sender that never waits stops a virtual clock
INADDR_ANY = ""
BUSY_NS = 5_000  # for each datagram, far more than it takes to read the clock: that moves a virtual one by 256 ns
LEAST_OVERHEAD = 512  # bytes that a datagram takes in the buffer besides its own: struct sk_buff and skb_shared_info
SHAPE = 1.5  # of the Pareto distribution of times on and off
AHEAD = 1000
FIRST_OCTET = {socket.AF_INET: 224, socket.AF_INET6: 255}  # of the lowest multicast address
UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN)


def datagram(number: int, sent_ns: int, name: bytes, size: int) -> bytes:
    """Return a datagram of ``size`` bytes, or of as many as its header needs."""
    return (HEAD.pack(number, sent_ns, len(name)) + name).ljust(size, b"\0")


class OnOff:
    """Times in which a flow sends; with ``on_ns`` 0 it always sends.

    They began long before the flow does, so it may begin within a break, and has its share of the time from the start.
    """

    def __init__(self, name: str, on_ns: int, off_ns: int, seed: str = "") -> None:
        self.on_ns, self.off_ns = on_ns, off_ns
        self.draws = random.Random(f"{seed}/on-off/{name}")
        self.end_ns = 0  # of the present time on

    def begin(self, at_ns: int) -> None:
        """Have them begin up to a thousand times on and off before ``at_ns``."""
        before_ns = round(self.draws.random() * AHEAD * (self.on_ns + self.off_ns))
        self.end_ns = at_ns - before_ns + self.pareto(self.on_ns)

    def due(self, at_ns: int) -> int:
        """Return when a datagram may go that is due at ``at_ns``: then, or when the next time on begins."""
        if not self.on_ns:
            return at_ns
        while at_ns >= self.end_ns:
            begin_ns = self.end_ns + self.pareto(self.off_ns)
            self.end_ns = begin_ns + self.pareto(self.on_ns)
            at_ns = max(at_ns, begin_ns)
        return at_ns

    def pareto(self, mean_ns: int) -> int:
        """Draw a time with that mean; its variance is infinite."""
        least_ns = mean_ns * (SHAPE - 1.0) / SHAPE
        return round(least_ns / math.pow(1.0 - self.draws.random(), 1.0 / SHAPE))


class Burst:
    """Counts what a flow sends without a wait.

    Only waits move a virtual clock noticeably. A queue that drops its oldest datagram for a new one, such as that of a
    neighbour whose address is being resolved, never fills the socket's buffer: no send blocks, though something is
    always unsent.
    """

    def __init__(self, room_bytes: int) -> None:
        self.room_bytes = room_bytes
        self.last_ns = self.sent_bytes = 0

    def overflows(self, at_ns: int, size: int) -> bool:
        """Count a datagram, and return whether those before it, without a wait, had filled the buffer already.

        Then the network has dropped some: had it kept them, sending would have blocked.
        """
        if at_ns - self.last_ns > BUSY_NS:
            self.sent_bytes = 0
        self.last_ns = at_ns
        full = self.sent_bytes >= self.room_bytes
        self.sent_bytes += size + LEAST_OVERHEAD
        return full


def unsent_bytes(channel: socket.socket) -> int:
    """Return the bytes in the kernel's send queue; also 0 if it drops everything at once, as without a network."""
    held = fcntl.ioctl(channel, termios.TIOCOUTQ, bytes(4))
    return int.from_bytes(held, sys.byteorder)


def sleep_until(due_ns: int) -> None:
    """Sleep until that time; return at once if it has passed."""
    early_ns = due_ns - time.time_ns()
    if early_ns > 0:
        time.sleep(early_ns / SECOND)


def connect(channel: socket.socket, to: str, port: int) -> bool | None:
    """Set where datagrams go. Return whether the other end can answer, or None if there is no route yet."""
    try:
        channel.connect((to, port))
    except PermissionError:  # a broadcast address
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        channel.connect((to, port))
        return False
    except OSError as error:
        if error.errno not in UNREACHABLE:
            raise
        return None
    return socket.inet_pton(channel.family, channel.getpeername()[0])[0] < FIRST_OCTET[channel.family]


def dropped(channel: socket.socket, data: bytes) -> bool:
    """Send a datagram and return whether the host itself dropped it: it has no route, or no neighbour answers."""
    try:
        channel.send(data)
    except OSError as error:
        if error.errno not in UNREACHABLE:
            raise
        return True
    return False


def answered(channel: socket.socket) -> bool:
    """Send an empty datagram and return whether the other end answered in time."""
    dropped(channel, b"")
    if not select.select([channel], [], [], KNOCK_S)[0]:
        return False
    try:
        channel.recv(1)
    except OSError as error:
        if error.errno not in UNREACHABLE:
            raise
        return False
    return True


def send(
    name: str,
    to: str,
    port: int,
    size: int,
    every_ns: int,
    phase_ns: int,
    count: int,
    tos: int,
    buffer_bytes: int,
    *,
    on_off: OnOff,
) -> None:
    """Send datagrams, one every ``every_ns`` (0: as fast as the socket takes them), ``count`` of them (0: no end).

    A paced flow begins ``phase_ns`` after a full second (-1: by its name).
    """
    channel = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
    if channel.family == socket.AF_INET6:
        channel.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, tos)
    else:
        channel.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    if buffer_bytes:
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer_bytes)
    flow = name.encode()
    number = unanswered = 0
    try:
        while (answers := connect(channel, to, port)) is None:
            unanswered += 1
            time.sleep(KNOCK_S)
        while answers and not answered(channel):
            unanswered += 1
        begin_ns = time.time_ns() // SECOND * SECOND + SECOND
        if every_ns:
            begin_ns += zlib.crc32(flow) % every_ns if phase_ns < 0 else phase_ns
        sleep_until(begin_ns)
        on_off.begin(begin_ns)
        due_ns = begin_ns
        burst = Burst(channel.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))
        while not count or number < count:
            due_ns = on_off.due(due_ns if every_ns else time.time_ns())
            sleep_until(due_ns)
            due_ns += every_ns
            sent_ns = time.time_ns()
            lost = dropped(channel, datagram(number, sent_ns, flow, size))
            number += 1
            if not every_ns and (burst.overflows(sent_ns, size) or lost or not unsent_bytes(channel)):
                time.sleep(IDLE_S)
    finally:
        print(json.dumps({"sent": number, "unanswered": unanswered}), flush=True)


def stamp(t_ns: int) -> str:
    """Return a time in seconds as text; a float would round it."""
    return f"{t_ns // SECOND}.{t_ns % SECOND:09d}"


class Interval:
    """What arrived of a flow since its last line."""

    def __init__(self) -> None:
        self.packets = 0
        self.size = 0
        self.next = 0  # one above the highest number
        self.first_ns = 0
        self.last_ns = 0
        self.delays_ns: list[int] = []

    def add(self, number: int, sent_ns: int, t_ns: int, size: int) -> None:
        """Count one datagram."""
        self.first_ns = self.first_ns or t_ns
        self.last_ns = t_ns
        self.packets += 1
        self.size += size
        self.next = max(self.next, number + 1)
        self.delays_ns.append(t_ns - sent_ns)

    def line(self, flow: str, end_ns: int) -> str:
        """Return the line for the parser."""
        values = {
            "flow": flow,
            "end_s": stamp(end_ns),
            "packets": self.packets,
            "bytes": self.size,
            "next": self.next,
            "first_s": stamp(self.first_ns),
            "last_s": stamp(self.last_ns),
            "delay_ns": [min(self.delays_ns), sum(self.delays_ns), max(self.delays_ns)],
        }
        return json.dumps(values)


def sink(port: int, every_ns: int, version: int = 4) -> None:
    """Print what arrives by that version of IP: a line for each flow and interval, at the end of the interval."""
    channel = socket.socket(socket.AF_INET6 if version == 6 else socket.AF_INET, socket.SOCK_DGRAM)
    channel.bind((INADDR_ANY, port))
    flows: dict[str, Interval] = {}
    end_ns = 0
    try:
        while True:
            data, sender = channel.recvfrom(65536)
            t_ns = time.time_ns()
            if not data:
                channel.sendto(b"", sender)
                continue
            if t_ns >= end_ns:
                report(flows, end_ns)
                end_ns = t_ns - t_ns % every_ns + every_ns
            number, sent_ns, length = HEAD.unpack_from(data)
            flow = data[HEAD.size : HEAD.size + length].decode()
            if flow not in flows:
                flows[flow] = Interval()
            flows[flow].add(number, sent_ns, t_ns, len(data))
    finally:
        report(flows, end_ns)


def report(flows: dict[str, Interval], end_ns: int) -> None:
    """Print what has arrived, and reset the counts."""
    for flow, interval in flows.items():
        print(interval.line(flow, end_ns), flush=True)
    flows.clear()


def main(words: list[str]) -> None:
    """Run ``send NAME TO PORT SIZE EVERY_NS PHASE_NS COUNT TOS BUFFER ON_NS OFF_NS [SEED]``, or ``sink PORT EVERY_NS``.

    The sink's last word may be 6, for IPv6. SIGINT ends both.
    """
    try:
        if words[0] == "send":
            *numbers, on_ns, off_ns = map(int, words[3:12])
            send(words[1], words[2], *numbers, on_off=OnOff(words[1], on_ns, off_ns, *words[12:]))
        else:
            sink(*map(int, words[1:]))
    except KeyboardInterrupt:
        pass
    except ConnectionRefusedError:
        sys.exit(f"no process listens on UDP port {words[3]} of {words[2]}")


if __name__ == "__main__":
    main(sys.argv[1:])
