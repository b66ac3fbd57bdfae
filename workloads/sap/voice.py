# SPDX-License-Identifier: MIT
"""Send speech, a packet of 160 bytes every 20 ms: ``voice.py listen|send TRANSPORT ADDRESS``, on port 9100.

Transports: ``udp``; ``udplite``, whose checksum covers the head of a packet only; ``repeated``, the same over a radio
that repeats such packets: of several copies, the last one that comes in time counts; ``parity``, UDP-Lite with a packet
of parity after every four; ``sap``, approximate except for the head. The listener prints what the speech is worth:
packets that come after 150 ms are as good as lost (ITU-T G.114), and what is lost is silence.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import sys
import time
from collections.abc import Iterator

TRANSPORTS = ("udp", "udplite", "repeated", "parity", "sap")
PORT = 9100
PACKETS = 500
EVERY_NS = 20_000_000
SAMPLES = 160  # of a packet, at 8 kHz
LATEST_NS = 150_000_000
GROUP = 4  # packets of one parity
PARITY = 1 << 31
HEAD = struct.Struct("!IQ")  # number, time of sending
UDPLITE, SEND_COVERAGE, RECEIVE_COVERAGE = 136, 10, 11
COVERED = 8 + HEAD.size


def speech(number: int) -> list[float]:
    """Return the samples of a packet: a vowel whose pitch and loudness vary."""
    found = []
    for at in range(number * SAMPLES, (number + 1) * SAMPLES):
        t = at / 8000
        pitch = 2 * math.pi * (120 * t + 3 * math.sin(2 * math.pi * t))
        loud = 0.35 * (1 + math.sin(2 * math.pi * 2.5 * t))
        found.append(loud * (math.sin(pitch) + 0.5 * math.sin(5 * pitch) + 0.3 * math.sin(9 * pitch)) / 1.8)
    return found


def encode(samples: list[float]) -> bytes:
    """Return a byte for each sample: a sign, and the magnitude by the law of G.711 with mu = 255."""
    return bytes(
        (128 if sample < 0 else 0) | round(127 * math.log1p(255 * abs(sample)) / math.log(256)) for sample in samples
    )


def decode(code: bytes) -> list[float]:
    """Return the samples that bytes stand for."""
    return [(-1 if byte & 128 else 1) * math.expm1((byte & 127) / 127 * math.log(256)) / 255 for byte in code]


def both(one: bytes, other: bytes) -> bytes:
    """Return the parity of two packets."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def opened(transport: str, address: str) -> socket.socket:
    """Return a socket of UDP, or of UDP-Lite that covers the head."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if transport == "udp":
        return socket.socket(family, socket.SOCK_DGRAM)
    made = socket.socket(family, socket.SOCK_DGRAM, UDPLITE)
    for coverage in (SEND_COVERAGE, RECEIVE_COVERAGE):
        made.setsockopt(UDPLITE, coverage, COVERED)
    return made


def packets(parity: bool) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each packet, when it is due."""
    start_ns, group = time.time_ns(), bytes(SAMPLES)
    for number in range(PACKETS):
        time.sleep(max(0, start_ns + number * EVERY_NS - time.time_ns()) / 1e9)
        code = encode(speech(number))
        yield number, code
        group = both(group, code)
        if number % GROUP == GROUP - 1:
            if parity:
                yield number | PARITY, group
            group = bytes(SAMPLES)


def send(transport: str, address: str) -> None:
    """Send the speech."""
    if transport == "sap":
        import sap  # type: ignore[import-not-found]  # in the guest only

        with sap.connect(address, PORT) as connection:
            for number, code in packets(parity=False):
                connection.send_head(HEAD.pack(number, time.time_ns()) + code, HEAD.size, once=True)
            connection.fin()
        return
    with opened(transport, address) as plain:
        plain.connect((address, PORT))
        for number, code in packets(transport == "parity"):
            plain.send(HEAD.pack(number, time.time_ns()) + code)


def arriving(transport: str, address: str) -> Iterator[bytes]:
    """Yield what arrives, until two seconds pass without a packet."""
    if transport == "sap":
        import sap

        with sap.listen(address, PORT) as connection:
            yield from (message.data for message in connection)
        return
    with opened(transport, address) as plain:
        plain.bind((address, PORT))
        while True:
            try:
                yield plain.recv(2048)
            except TimeoutError:
                return
            plain.settimeout(2)


def listen(transport: str, address: str) -> None:
    """Print quality, loss and delay of what arrives."""
    heard: dict[int, bytes] = {}
    delay_of_ns: dict[int, int] = {}

    def take(number: int, code: bytes, delay_ns: int) -> None:
        if number >= PACKETS or delay_ns > LATEST_NS:  # a checksum of 16 bits misses errors
            return
        if number not in heard or transport == "repeated":
            heard[number], delay_of_ns[number] = code, delay_ns

    for data in arriving(transport, address):
        (number, sent_ns), code = HEAD.unpack_from(data), data[HEAD.size :]
        delay_ns = time.time_ns() - sent_ns
        if not number & PARITY:
            take(number, code, delay_ns)
            continue
        last = number & ~PARITY
        missing = [one for one in range(last - GROUP + 1, last + 1) if one not in heard]
        if len(missing) == 1:
            for one in range(last - GROUP + 1, last + 1):
                code = both(code, heard.get(one, bytes(SAMPLES)))
            take(missing[0], code, delay_ns + (last - missing[0]) * EVERY_NS)
    power = noise = 0.0
    for number in range(PACKETS):
        wanted = speech(number)
        got = decode(heard[number]) if number in heard else [0.0] * SAMPLES
        power += sum(sample * sample for sample in wanted)
        noise += sum((a - b) ** 2 for a, b in zip(wanted, got, strict=True))
    delays_ns = sorted(delay_of_ns.values())
    report = {"quality": 10 * math.log10(power / noise), "lost": 100 * (1 - len(heard) / PACKETS)}
    if delays_ns:
        report |= {"delay": delays_ns[len(delays_ns) * 95 // 100] / 1e6, "longest": delays_ns[-1] / 1e6}
    print(json.dumps(report))


if __name__ == "__main__":
    verbs = {"listen": listen, "send": send}
    if len(sys.argv) != 4 or sys.argv[1] not in verbs or sys.argv[2] not in TRANSPORTS:
        sys.exit(f"usage: voice.py listen|send {'|'.join(TRANSPORTS)} ADDRESS")
    verbs[sys.argv[1]](*sys.argv[2:])
