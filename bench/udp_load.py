# SPDX-License-Identifier: MIT
"""Runs in nodes: datagrams at a constant rate, and what arrives of them.

    udp_load.py send RATE_BPS SECONDS ADDRESS...    in all, to the addresses in turn
    udp_load.py receive START_S SECONDS             START_S: seconds from now

The sender wakes up every millisecond, as iperf3 does, and hands over what is due by one sendmmsg(2); the receiver takes
all that wait by one recvmmsg(2), many with A-MPDUs. iperf3 makes system calls for each datagram, and in the
guest those cost more than the datagrams.

The sender prints a line on stderr when it begins and one on stdout when it has finished, so that the times of those
files on the host are the wall times of the load. The receiver prints the bytes of each second.
"""

from __future__ import annotations

import ctypes
import json
import signal
import socket
import struct
import sys
import time

PORT = 5001
PAYLOAD_BYTES = 1472  # 1500 B of IP
TICK_S = 0.001
BATCH = 64
MSG_WAITFORONE = 0x10000


class Iovec(ctypes.Structure):
    """struct iovec."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class Header(ctypes.Structure):
    """struct msghdr."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("iovecs", ctypes.c_void_p),
        ("iovecs_length", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class Message(ctypes.Structure):
    """struct mmsghdr."""

    _fields_ = (("header", Header), ("done", ctypes.c_uint))


def fill(message: Message, iovec: Iovec) -> None:
    """Let a message have one buffer."""
    message.header.iovecs, message.header.iovecs_length = ctypes.addressof(iovec), 1


def sockaddr(address: str) -> ctypes.Array[ctypes.c_char]:
    """Return a struct sockaddr_in."""
    family = socket.AF_INET.to_bytes(2, sys.byteorder)
    return ctypes.create_string_buffer(family + PORT.to_bytes(2, "big") + socket.inet_aton(address) + bytes(8), 16)


def send(rate_bps: float, seconds: float, addresses: list[str]) -> None:
    """Send until the time is over."""
    names = [sockaddr(address) for address in addresses]
    payload = ctypes.create_string_buffer(PAYLOAD_BYTES)
    iovec = Iovec(ctypes.addressof(payload), PAYLOAD_BYTES)
    messages = (Message * (len(names) + BATCH))()  # BATCH of them follow wherever the turn is
    for number, message in enumerate(messages):
        name = names[number % len(names)]
        message.header.name, message.header.name_length = ctypes.addressof(name), len(name)
        fill(message, iovec)
    sendmmsg = ctypes.CDLL(None, use_errno=True).sendmmsg
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    per_second = rate_bps / 8 / PAYLOAD_BYTES
    print("begins", file=sys.stderr, flush=True)
    started_s, sent = time.monotonic(), 0
    while (passed_s := time.monotonic() - started_s) < seconds:
        while (due := int(passed_s * per_second) + 1 - sent) > 0:
            first = ctypes.byref(messages, sent % len(names) * ctypes.sizeof(Message))
            handed = sendmmsg(out.fileno(), first, min(due, BATCH), 0)
            if handed < 0:
                sys.exit(f"sendmmsg: errno {ctypes.get_errno()}")
            sent += handed
        next_s = max(passed_s + TICK_S, sent / per_second)
        time.sleep(max(0, started_s + next_s - time.monotonic()))
    print(f"sent {sent}", flush=True)


def receive(start_s: float, seconds: int) -> None:
    """Receive until the time is over; then wait to be ended."""
    zero_s = time.monotonic() + start_s
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("", PORT))
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 1, 0))
    room = [ctypes.create_string_buffer(PAYLOAD_BYTES) for _ in range(BATCH)]
    iovecs = [Iovec(ctypes.addressof(buffer), PAYLOAD_BYTES) for buffer in room]
    messages = (Message * BATCH)()
    for message, iovec in zip(messages, iovecs, strict=True):
        fill(message, iovec)
    recvmmsg = ctypes.CDLL(None).recvmmsg
    bytes_of = [0] * seconds
    while True:
        got = recvmmsg(own.fileno(), messages, BATCH, MSG_WAITFORONE, None)
        second = int(time.monotonic() - zero_s)
        if 0 <= second < seconds:
            bytes_of[second] += sum(message.done for message in messages[: max(got, 0)])
        elif second >= seconds:
            break
    print(json.dumps(bytes_of), flush=True)
    signal.pause()  # the port stays: what still comes shall not be answered by ICMP


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(float(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
    else:
        receive(float(sys.argv[2]), int(sys.argv[3]))
