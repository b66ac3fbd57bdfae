# SPDX-License-Identifier: MIT
"""flow on this machine, over TCP and UDP: what both ends print, how they end, and what they refuse."""

from __future__ import annotations

import json
import random
import signal
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

PROTOCOLS = ("tcp", "udp")
LONGEST_S = 120  # a busy machine takes its time
HEADER = struct.Struct(">4sHHQQQ")
DATA, END = 1, 2
Lines = list[dict[str, Any]]


class Ended:
    """What a flow left."""

    def __init__(self, process: subprocess.Popen[str], said: str = "") -> None:
        out, self.err = process.communicate(timeout=LONGEST_S)
        self.status = process.returncode
        self.lines: Lines = [json.loads(line) for line in (said + out).splitlines()]

    @property
    def end(self) -> dict[str, Any]:
        """The last line."""
        assert self.lines[-1]["kind"] == "end", self.err
        return self.lines[-1]

    def sum(self, kind: str, key: str) -> int:
        return sum(line[key] for line in self.lines if line["kind"] == kind)


class Sink:
    """A sink that listens at a port of this machine."""

    def __init__(self, flow: Path, protocol: str, *options: str) -> None:
        self.kind = socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM
        with socket.socket(socket.AF_INET, self.kind) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(flow), "sink", "--protocol", protocol, "--port", str(self.port), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()  # it listens
        assert '"listening"' in self.said

    def connected(self) -> socket.socket:
        """A program of ours that sends to it."""
        channel = socket.socket(socket.AF_INET, self.kind)
        channel.connect(("127.0.0.1", self.port))
        return channel

    def reads_all(self) -> None:
        """Wait until no datagram is left in its queue."""
        empty = False
        while not empty:
            rows = [row.split() for row in Path("/proc/net/udp").read_text().splitlines()]
            (queue,) = [row[4] for row in rows if row[1].endswith(f":{self.port:04X}")]
            empty = queue.endswith(":00000000")

    def ended(self) -> Ended:
        return Ended(self.process, self.said)


@pytest.fixture
def sinks(flow: Path) -> Iterator[Callable[..., Sink]]:
    with ExitStack() as stack:

        def start(protocol: str, *options: str) -> Sink:
            sink = Sink(flow, protocol, *options)
            stack.callback(sink.process.wait)
            stack.callback(sink.process.kill)
            return sink

        yield start


@pytest.fixture
def senders(flow: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    with ExitStack() as stack:

        def start(protocol: str, port: int, *options: str) -> subprocess.Popen[str]:
            command = [str(flow), "send", "--protocol", protocol, "--to", "127.0.0.1", "--port", str(port), *options]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        yield start


Sinks = Callable[..., Sink]
Senders = Callable[..., subprocess.Popen[str]]
# so slow that no queue overflows although other work keeps the sink waiting
SHORT = ("--duration-ms", "300", "--every-ms", "100", "--rate-bit-s", "400000", "--packet-bytes", "500")
LONG = ("--duration-ms", "60000", "--every-ms", "20", "--rate-bit-s", "400000")


def packet(number: int, length: int = 32, kind: int = DATA) -> bytes:
    start_ns = 1_000_000_000_000_000_000
    return HEADER.pack(b"flow", kind, length, number, start_ns, start_ns) + bytes(length - 32)


def next_interval(process: subprocess.Popen[str]) -> str:
    """Return the line of the next interval of a sender."""
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_both_ends_say_the_same(sinks: Sinks, senders: Senders, protocol: str) -> None:
    sink = sinks(protocol, "--every-ms", "100", "--compare")
    sent, arrived = Ended(senders(protocol, sink.port, *SHORT)), sink.ended()
    assert (sent.status, arrived.status) == (0, 0), sent.err + arrived.err
    assert 0 < sent.end["packets"] <= 30 and sent.end["bytes"] == 500 * sent.end["packets"]
    for key in ("packets", "bytes"):
        assert sent.end[key] == arrived.end[key] == sent.sum("sent", key) == arrived.sum("arrived", key)
    assert arrived.end["sent"] == sent.end["packets"]
    for key in ("lost", "out_of_order", "duplicates", "damaged", "wrong_bits", "foreign"):
        assert arrived.end[key] == 0, key
    assert arrived.end["start_s"] == sent.end["start_s"] < arrived.end["first_s"] < arrived.end["last_s"]
    assert 0 < arrived.end["delay_min_ns"] <= arrived.end["delay_mean_ns"] <= arrived.end["delay_max_ns"]


def test_as_fast_as_tcp_takes_it(sinks: Sinks, senders: Senders) -> None:
    sink = sinks("tcp")
    sender = senders("tcp", sink.port, "--duration-ms", "200", "--packet-bytes", "65000", "--state-ms", "50")
    sent, arrived = Ended(sender), sink.ended()
    # a busy machine may not finish the packet that is being sent at the end; then the last message is missing
    assert arrived.end["packets"] == arrived.end.get("sent", sent.end["packets"]) == sent.end["packets"] > 1
    states = [line for line in sent.lines if line["kind"] == "state"]
    assert states[-1]["cwnd"] > 0 and states[-1]["rtt_us"] > 0


def test_a_slow_processor(sinks: Sinks, senders: Senders) -> None:
    """1 ms and 500 times 2 us for each packet: at most 500 packets per second."""
    sink = sinks("udp")
    slow = ("--per-packet-ns", "1000000", "--per-byte-ns", "2000")
    sent = Ended(senders("udp", sink.port, "--duration-ms", "400", "--packet-bytes", "500", *slow))
    assert 0 < sink.ended().end["packets"] == sent.end["packets"] <= 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_sender_that_is_stopped_says_how_much_it_sent(
    sinks: Sinks, senders: Senders, protocol: str, number: signal.Signals
) -> None:
    sink = sinks(protocol)
    sender = senders(protocol, sink.port, *LONG)
    line = next_interval(sender)
    sender.send_signal(number)
    sent, arrived = Ended(sender, line), sink.ended()
    assert (sent.status, arrived.status) == (0, 0)
    assert 0 < sent.end["packets"] == arrived.end["sent"] == arrived.end["packets"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_sink_that_is_stopped_says_what_arrived(
    sinks: Sinks, senders: Senders, protocol: str, number: signal.Signals
) -> None:
    sink = sinks(protocol)
    sender = senders(protocol, sink.port, *LONG)
    line = next_interval(sender)
    sink.process.send_signal(number)
    arrived = sink.ended()
    assert arrived.status == 0 and arrived.end["packets"] > 0 and "sent" not in arrived.end
    if protocol == "tcp":
        sent = Ended(sender, line)
        assert sent.status == 1 and sent.end["error"] in ("ECONNRESET", "EPIPE")
        assert sent.err.startswith("flow: the flow broke: ") and sent.err.count("\n") == 1
    else:
        while not json.loads(line)["errors"]:  # nobody is there any more
            line = next_interval(sender)
        sender.send_signal(signal.SIGINT)
        sent = Ended(sender, line)
        assert sent.status == 0 and sent.end["errors"] > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_sink_without_a_flow(sinks: Sinks, protocol: str) -> None:
    sink = sinks(protocol)
    sink.process.send_signal(signal.SIGINT)
    arrived = sink.ended()
    assert arrived.status == 0 and [line["kind"] for line in arrived.lines] == ["listening", "end"]
    assert arrived.end["packets"] == 0 and arrived.end["delay_min_ns"] is None


def test_a_sender_that_is_killed(sinks: Sinks, senders: Senders) -> None:
    """The sink of TCP ends by itself; what the sender printed is there, in whole lines."""
    sink = sinks("tcp")
    sender = senders("tcp", sink.port, *LONG)
    line = next_interval(sender)
    sender.kill()
    sent, arrived = Ended(sender, line), sink.ended()
    assert arrived.status == 0 and arrived.end["packets"] > 0 and "sent" not in arrived.end
    assert sent.lines and {one["kind"] for one in sent.lines} == {"sent"}


def test_a_stream_that_ends_within_a_packet(sinks: Sinks) -> None:
    sink = sinks("tcp")
    with sink.connected() as channel:
        channel.sendall(packet(0, 100) + packet(1, 100)[:60])
    arrived = sink.ended()
    assert arrived.status == 0 and (arrived.end["packets"], arrived.end["lost"]) == (1, 0)


def test_a_stream_in_any_pieces(sinks: Sinks) -> None:
    """No matter how TCP splits it: the same packets."""
    chance = random.Random(1)
    stream = b"".join(packet(number, chance.randint(32, 300)) for number in range(200)) + packet(200, kind=END)
    sink = sinks("tcp")
    with sink.connected() as channel:
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while stream:
            length = chance.choice((1, 2, 31, 32, 33, 500))
            channel.sendall(stream[:length])
            stream = stream[length:]
    end = sink.ended().end
    assert (end["packets"], end["sent"], end["lost"], end["duplicates"]) == (200, 200, 0, 0)


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n", b"f", packet(0)[:4] + bytes(28), packet(0) + b"x"])
def test_another_program_at_the_port_of_a_stream(sinks: Sinks, garbage: bytes) -> None:
    """It is refused as soon as that is certain, even while it waits for an answer."""
    sink = sinks("tcp")
    with sink.connected() as channel:
        channel.sendall(garbage)
        if garbage == b"f":
            channel.sendall(b"oo")
        arrived = sink.ended()
    assert arrived.status == 2
    assert arrived.err == "flow: what arrives is not a flow: another program sends to this port\n"


def test_a_second_sender_is_refused(sinks: Sinks, senders: Senders) -> None:
    sink = sinks("tcp")
    first = senders("tcp", sink.port, *LONG)
    line = next_interval(first)
    second = Ended(senders("tcp", sink.port, *SHORT))
    assert second.status == 1 and second.lines == [] and "Connection refused" in second.err
    first.send_signal(signal.SIGINT)
    assert sink.ended().end["packets"] == Ended(first, line).end["packets"]


def test_a_sink_of_udp_keeps_to_its_first_sender(sinks: Sinks) -> None:
    sink = sinks("udp")
    with sink.connected() as stranger, sink.connected() as one, sink.connected() as other:
        stranger.send(b"hello")
        one.send(packet(0))
        one.send(packet(1))
        one.send(packet(2))
        sink.reads_all()
        other.send(packet(9))
        one.send(packet(3, kind=END))
    end = sink.ended().end
    assert (end["packets"], end["sent"], end["lost"], end["foreign"]) == (3, 3, 0, 1)


def test_what_the_last_packet_overtook_is_not_lost(sinks: Sinks) -> None:
    sink = sinks("udp")
    with sink.connected() as channel:
        for number, kind in ((0, DATA), (3, DATA), (4, END), (2, DATA), (4, END), (1, DATA)):
            channel.send(packet(number, kind=kind))
    end = sink.ended().end
    assert (end["packets"], end["lost"], end["out_of_order"]) == (4, 0, 2)


def test_a_flow_of_which_only_the_end_arrives_is_lost(sinks: Sinks) -> None:
    sink = sinks("udp")
    with sink.connected() as channel:
        channel.send(packet(12, kind=END))
    end = sink.ended().end
    assert (end["packets"], end["lost"], end["sent"]) == (0, 12, 12)


def test_any_datagrams(sinks: Sinks) -> None:
    """The sink continues, and accepts only valid packets."""
    chance = random.Random(7)
    sink = sinks("udp")
    good, other = {0}, 0
    with sink.connected() as channel:
        channel.send(packet(0))
        for count in range(1500):
            data = bytearray(packet(chance.randrange(1, 60), chance.choice((32, 33, 200))))
            for _ in range(chance.randrange(3)):
                data[chance.randrange(8)] = chance.randrange(256)  # numbers stay within the window
            if chance.random() < 0.2:
                data = data[: chance.randrange(len(data) + 1)]
            magic, kind, length, number, *_ = HEADER.unpack(bytes(data[:32])) if len(data) >= 32 else (b"", 0, 0, 0)
            if magic == b"flow" and kind == DATA and length == len(data):
                good.add(number)
            elif magic == b"flow" and kind == END and length == len(data):
                continue  # this would end it
            else:
                other += 1
            channel.send(data)
            if not count % 50:
                sink.reads_all()
        sink.reads_all()
    sink.process.send_signal(signal.SIGINT)
    arrived = sink.ended()
    assert arrived.status == 0, arrived.err
    assert (arrived.end["packets"], arrived.end["foreign"]) == (len(good), other)
    assert arrived.end["lost"] == max(good) + 1 - len(good)


def test_nobody_listens(senders: Senders) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        sent = Ended(senders("tcp", port, *SHORT))
    assert (sent.status, sent.lines) == (1, [])
    assert sent.err == f"flow: no flow sink answers at 127.0.0.1, port {port}: Connection refused\n"


def test_a_congestion_control_that_there_is_not(senders: Senders) -> None:
    sent = Ended(senders("tcp", 9, "--congestion", "nosuch"))
    reported = (
        "flow: --congestion nosuch: No such file or directory; /proc/sys/net/ipv4/tcp_available_congestion_control"
    )
    assert sent.status == 2 and sent.err == f"{reported} lists what there is\n"


def test_nobody_receives_udp(senders: Senders) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.bind(("127.0.0.1", 0))
        sent = Ended(senders("udp", taken.getsockname()[1], *SHORT))
    assert sent.status == 0 and sent.end["errors"] > 0 and "error" not in sent.end


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_port_that_is_taken(sinks: Sinks, flow: Path, protocol: str) -> None:
    port = str(sinks(protocol).port)
    command = [str(flow), "sink", "--protocol", protocol, "--port", port]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"flow: cannot listen at any address, port {port}: Address already in use\n"


def test_a_full_disk(flow: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [str(flow), "send", "--protocol", "udp", "--to", "127.0.0.1", "--port", "9", *SHORT]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "flow: standard output: No space left on device\n")


SINK, SEND = ("sink", "--protocol", "udp", "--port", "9"), ("send", "--protocol", "udp", "--to", "h", "--port", "9")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("sink", "--port", "9"), "--protocol is missing: tcp, udp or dccp"),
        (("sink", "--protocol", "sctp"), "--protocol sctp: write tcp, udp or dccp"),
        (("sink", "--protocol", "udp"), "--port is missing"),
        (("send", "--protocol", "udp", "--port", "9"), "--to is missing: the address of the sink"),
        ((*SINK, "--port", "0"), "--port 0: write a whole number from 1 to 65535"),
        ((*SINK, "--port", "65536"), "--port 65536: write a whole number from 1 to 65535"),
        ((*SINK, "--every-ms", "1.5"), "--every-ms 1.5: write a whole number from 1 to 1000000000"),
        ((*SINK, "--every-ms", "-1"), "--every-ms -1: write a whole number from 1 to 1000000000"),
        ((*SINK, "--every-ms", ""), "--every-ms : write a whole number from 1 to 1000000000"),
        ((*SINK, "--every-ms", "9" * 30), f"--every-ms {'9' * 30}: write a whole number from 1 to 1000000000"),
        ((*SEND, "--packet-bytes", "31"), "--packet-bytes 31: write a whole number from 32 to 65000"),
        ((*SEND, "--ccid", "4"), "--ccid 4: write a whole number from 2 to 3"),
        ((*SEND, "--ccid", "3"), "--ccid: is for --protocol dccp; remove it"),
        ((*SINK, "--coverage", "1"), "--coverage: is for --protocol dccp; remove it"),
        ((*SEND, "--congestion", "reno"), "--congestion: is for --protocol tcp; remove it"),
        ((*SINK, "--coverage", "16"), "--coverage 16: write a whole number from 0 to 15"),
        ((*SINK, "more"), "more: unexpected; flow --help shows the options"),
        ((*SINK, "--to", "h"), "unrecognized option '--to'"),
        ((*SEND, "--compare"), "unrecognized option '--compare'"),
        ((*SINK, "--every-ms"), "option '--every-ms' requires an argument"),
        ((*SEND, "--to", "x" * 70), f"{'x' * 70}: "),
    ],
)
def test_wrong_options(flow: Path, words: tuple[str, ...], complaint: str) -> None:
    done = subprocess.run([flow, *words], capture_output=True, text=True, timeout=LONGEST_S)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f": {complaint}" in done.stderr


@pytest.mark.parametrize("words", [(), ("receive",), ("--port", "9")])
def test_no_subcommand(flow: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run([flow, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("usage: flow sink ")
    assert subprocess.run([flow, "sink", "--help"], capture_output=True, text=True).stdout == done.stderr
