# SPDX-License-Identifier: MIT
"""The program of tcp-source and tcp-sink, which runs in a node by itself: ``python3 tcp.py source …``.

Linux acknowledges a second segment at once only if the program has less to read than its SO_RCVLOWAT, or if the window
does not shrink (__tcp_ack_snd_check in net/ipv4/tcp_input.c). The segments of an A-MPDU come at one instant, before the
program can read. So the window shrinks, and when the program reads, one ACK goes for all of them. A sink that is to
acknowledge every second segment therefore asks for more than ever waits for it, and reads at a steady pace. Linux also
acknowledges each of a connection's first segments, and of those after a loss; TCP_QUICKACK 0 ends that until the next
loss, so the sink sets it whenever it reads.

Not modelled: Linux acknowledges a single segment after 40 to 200 ms, not always after 200 ms.
"""

import json
import select
import socket
import sys
import time
from collections.abc import Iterator

SECOND = 1_000_000_000
PACE_NS = 5_000_000  # 94 KB at 150 Mbit/s, far less than most windows; to read more often only takes wall time
ROOM = 8  # windows in the buffer, so that none shrinks before the program reads
BUFFER = 1 << 20
CHUNK = bytes(1 << 17)
INADDR_ANY = ""
SO_RCVBUFFORCE = 33  # asm-generic/socket.h
TOTAL_RETRANS, TOTAL_RTO = 100, 240  # where struct tcp_info (linux/tcp.h) has them


def stamp(t_ns: int) -> str:
    """Return a time in seconds as text; a float would round it."""
    return f"{t_ns // SECOND}.{t_ns % SECOND:09d}"


def tell(**values: object) -> None:
    """Print a line for the parser."""
    print(json.dumps(values), flush=True)


class Count:
    """What is read of a connection, counted once ``omit_ns`` have passed since it began."""

    def __init__(self, every_ns: int, omit_ns: int) -> None:
        self.every_ns = every_ns
        self.begin_ns: int | None = None
        self.since_ns = self.last_ns = 0
        self.size = self.total = self.omitted = 0
        now_ns = time.time_ns()
        self.due_ns = now_ns + omit_ns  # when to look, whether or not anything arrives
        if not omit_ns:
            self.begin(now_ns)

    def begin(self, t_ns: int) -> None:
        """Count from now on."""
        self.begin_ns = self.since_ns = self.last_ns = t_ns
        self.due_ns = t_ns - t_ns % self.every_ns + self.every_ns

    def add(self, t_ns: int, size: int) -> None:
        """Count what had arrived by then."""
        if self.begin_ns is None:
            self.omitted += size
        elif size:
            self.size += size
            self.total += size
            self.last_ns = t_ns
        if t_ns >= self.due_ns and self.begin_ns is None:
            self.begin(t_ns)
        elif t_ns >= self.due_ns:
            self.interval(t_ns)
            self.due_ns = t_ns - t_ns % self.every_ns + self.every_ns

    def interval(self, until_ns: int) -> None:
        """Print what arrived since the last interval, and begin a new one."""
        if until_ns > self.since_ns:
            tell(since_s=stamp(self.since_ns), until_s=stamp(until_ns), bytes=self.size)
        self.since_ns, self.size = until_ns, 0

    def end(self, complete: bool) -> None:
        """Print the last interval, and the totals."""
        if self.begin_ns is None:
            tell(total=0, omitted=self.omitted, complete=complete)
            return
        self.interval(self.last_ns)
        span = {"begin_s": stamp(self.begin_ns), "last_s": stamp(self.last_ns)}
        tell(**span, total=self.total, omitted=self.omitted, complete=complete)


def receive(channel: socket.socket, every_second: bool, window: int, count: Count) -> None:
    """Read until the source has sent all."""
    channel.setblocking(False)
    buffer = bytearray(BUFFER)
    complete = False
    try:
        while not complete:
            due_ns = count.due_ns
            if window:  # Linux has a larger one once it has seen how long segments are
                channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, window)
            if every_second:
                channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
                due_ns = min(due_ns, time.time_ns() + PACE_NS)
            select.select([channel], [], [], max(0, due_ns - time.time_ns()) / SECOND)
            size = 0
            try:
                size = channel.recv_into(buffer, 0, socket.MSG_TRUNC)  # which copies nothing
                complete = size == 0
            except BlockingIOError:
                pass
            count.add(time.time_ns(), size)
    finally:
        count.end(complete)


def sink(port: int, second: int, every_ns: int, omit_ns: int, window: int, version: int = 4) -> None:
    """Serve one connection by that version of IP after the other; refuse others while one is served.

    window: its receive window; 0: Linux's, which grows.
    """
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    while True:
        with socket.create_server((INADDR_ANY, port), family=family, backlog=1) as listener:
            if window:
                listener.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM * window)
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, window)
            if second:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 2 * window)
            channel, _ = listener.accept()
        with channel:
            count = Count(every_ns, omit_ns)
            receive(channel, bool(second), window, count)
            channel.sendall(f"{count.omitted + count.total}\n".encode())


def chunks(channel: socket.socket, end_ns: int, size: int) -> Iterator[int]:
    """Send until that time, or that many bytes if ``size`` is not 0; yield what TCP has taken."""
    left = size
    while left or not size:
        wait_ns = end_ns - time.time_ns()
        if not size and wait_ns <= 0:
            return
        channel.settimeout(None if size else wait_ns / SECOND)
        try:
            taken = channel.send(CHUNK[:left] if size else CHUNK)
        except TimeoutError:
            return
        left -= taken
        yield taken


def source(to: str, port: int, duration_ns: int, size: int, congestion: str = "") -> None:
    """Send for a time, or ``size`` bytes if that is not 0; print how many the sink has read, and when it said so."""
    sent = arrived = 0
    with socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET) as channel:
        if congestion:
            choose(channel, congestion)
        begin_ns = time.time_ns()
        channel.connect((to, port))
        try:
            for taken in chunks(channel, begin_ns + duration_ns, size):
                sent += taken
            channel.settimeout(None)
            channel.shutdown(socket.SHUT_WR)
            arrived = int(channel.makefile().readline() or 0)
        finally:
            span = {"begin_s": stamp(begin_ns), "end_s": stamp(time.time_ns())}
            tell(**span, sent=sent, arrived=arrived, **losses(channel))


def choose(channel: socket.socket, congestion: str) -> None:
    """Set the congestion control of a connection."""
    try:
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    except FileNotFoundError:
        sys.exit(f'the kernel has no congestion control "{congestion}"')


def losses(channel: socket.socket) -> dict[str, int]:
    """Return how many segments the kernel has sent again, and how often its timer (RTO) expired."""
    info = channel.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TOTAL_RTO + 2)
    again = int.from_bytes(info[TOTAL_RETRANS : TOTAL_RETRANS + 4], sys.byteorder)
    return {"retransmits": again, "timeouts": int.from_bytes(info[TOTAL_RTO:], sys.byteorder)}


def main(words: list[str]) -> None:
    """Run ``source TO PORT DURATION_NS BYTES [CONGESTION]`` or ``sink PORT SECOND EVERY_NS OMIT_NS WINDOW [6]``.

    Until SIGINT. 6: over IPv6.
    """
    try:
        if words[0] == "source":
            port, duration_ns, size = map(int, words[2:5])
            source(words[1], port, duration_ns, size, *words[5:])
        else:
            sink(*map(int, words[1:]))
    except KeyboardInterrupt:
        pass
    except ConnectionRefusedError:
        sys.exit(f"no tcp-sink waits at TCP port {words[2]} of {words[1]}; it serves one source at a time")
    except OSError as error:
        sys.exit(f"{' '.join(words)}: {error.strerror or error}")


if __name__ == "__main__":
    main(sys.argv[1:])
