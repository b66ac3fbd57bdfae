# SPDX-License-Identifier: MIT
"""Runs in a node: what wmediumd does, in little, for radios of the node's own.

mac80211_hwsim's generic netlink family (drivers/net/wireless/virtual/mac80211_hwsim.h) knows one relay for each network
namespace, and a radio belongs to the namespace in which it was made, wherever it is moved later. So the program makes
two radios, registers for them, moves each into a namespace of its own, and has an access point and a station there.
It says as JSON what became of pings while it relayed frames and while it did not.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import struct
import subprocess
import sys
import threading
from enum import IntEnum, auto
from pathlib import Path

from lab.guest.netlink.generic import Family, KernelSocket, RefusedError
from lab.guest.netlink.wire import attribute, attributes, generic, message, messages, text, without_generic

FAMILY, VERSION = "MAC80211_HWSIM", 1
NLM_F_REQUEST = 1
FRAMES_MOST = 1 << 16
SIGNAL_DBM = -40
ATTEMPTS = 3  # that each frame is said to have taken
NO_ACK, ACKED = 1 << 1, 1 << 2  # HWSIM_TX_CTL_NO_ACK, HWSIM_TX_STAT_ACK
JOIN_S = 10  # virtual
MEDIUM = 1
ADDED = "/tmp/added"  # a FIFO: written once the radios are on the medium
PINGS = 5
NAMES = ("ap", "sta")  # namespaces of the radios


class Command(IntEnum):
    """HWSIM_CMD_*."""

    REGISTER = auto()
    FRAME = auto()
    TX_INFO_FRAME = auto()
    NEW_RADIO = auto()


class Attr(IntEnum):
    """HWSIM_ATTR_*, those that are used."""

    ADDR_RECEIVER = 1
    ADDR_TRANSMITTER = 2
    FRAME = 3
    FLAGS = 4
    RX_RATE = 5
    SIGNAL = 6
    TX_INFO = 7
    COOKIE = 8
    FREQ = 19
    RADIO_NAME = 17
    PERM_ADDR = 22


def address(number: int) -> bytes:
    """Of a radio, for this family, and of its interface: where user space chooses it, both are the same."""
    return bytes([2, 0, 0, 0x77, 0, number])


class Socket(KernelSocket):
    """A netlink socket that shares its port with what the kernel sends unasked."""

    def handle(self) -> socket.socket:
        """Itself."""
        return self._socket


class Relay:
    """Registers, and then relays frames in a thread of its own.

    Attributes:
        data: whether data frames are relayed; others: whether others are.
        counts: frames that came, and copies of them that were sent.
    """

    def __init__(self, data: bool, others: bool) -> None:
        self.data, self.others = data, others
        self.counts = {"frames": 0, "copies": 0}
        transport = Socket()
        family = Family(FAMILY, VERSION, transport)
        family.send([(Command.REGISTER, b"")])
        self._family_id = family._id
        self._socket = transport.handle()
        self._socket.settimeout(None)
        self._read, self._write = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._socket, self._read], [], [])
            if self._read in ready:
                return
            for reported in messages(self._socket.recv(FRAMES_MOST)):
                if reported.message_type == self._family_id and reported.payload[0] == Command.FRAME:
                    self._frame(attributes(without_generic(reported.payload)))

    def _frame(self, reported: dict[int, bytes]) -> None:
        copies = 0
        frame, sender = reported[Attr.FRAME], reported[Attr.ADDR_TRANSMITTER]
        passes = self.data if frame[0] >> 2 & 3 == 2 else self.others
        acked = False
        for number in range(len(NAMES)) if passes else ():
            if address(number) == sender:
                continue
            self._send(
                Command.FRAME,
                (Attr.ADDR_RECEIVER, address(number)),
                (Attr.FRAME, frame),
                (Attr.RX_RATE, struct.pack("=I", 0)),
                (Attr.SIGNAL, struct.pack("=i", SIGNAL_DBM)),
                (Attr.FREQ, reported[Attr.FREQ]),
            )
            copies += 1
            acked |= frame[4:10] == address(number)
        (flags,) = struct.unpack("=I", reported[Attr.FLAGS])
        rates = bytearray(reported[Attr.TX_INFO])  # pairs: index, count
        rates[1] = ATTEMPTS
        self._send(
            Command.TX_INFO_FRAME,
            (Attr.ADDR_TRANSMITTER, sender),
            (Attr.FLAGS, struct.pack("=I", flags | (ACKED if acked and not flags & NO_ACK else 0))),
            (Attr.SIGNAL, struct.pack("=i", SIGNAL_DBM)),
            (Attr.TX_INFO, bytes(rates)),
            (Attr.COOKIE, reported[Attr.COOKIE]),
        )
        # both at once: a look may come between two system calls
        self.counts["frames"] += 1
        self.counts["copies"] += copies

    def _send(self, command: Command, *parts: tuple[Attr, bytes]) -> None:
        payload = b"".join(attribute(kind, value) for kind, value in parts)
        self._socket.send(message(self._family_id, NLM_F_REQUEST, 0, generic(command, VERSION, payload)))

    def end(self) -> None:
        """Leave the radios to themselves."""
        os.write(self._write, b"x")
        self._thread.join()
        self._socket.close()


def make_radio(number: int) -> int:
    """Make a radio; the kernel's number of it, which takes the place of the error in the acknowledgement."""
    payload = attribute(Attr.RADIO_NAME, text(f"own{number}")) + attribute(Attr.PERM_ADDR, address(number))
    try:
        Family(FAMILY, VERSION, KernelSocket()).send([(Command.NEW_RADIO, payload)])
    except RefusedError as reported:
        if reported.outcome.code > 0:
            raise
        return -reported.outcome.code
    return 0


def run(*argv: str) -> str:
    """Run a command, which must succeed."""
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout


def within(name: str, *argv: str) -> list[str]:
    """A command to be run in a namespace."""
    return ["ip", "netns", "exec", name, *argv]


def move(number: int) -> None:
    """Give a radio a namespace of its own, and its interface an address."""
    name = NAMES[number]
    run("ip", "netns", "add", name)
    run("iw", "phy", f"own{number}", "set", "netns", "name", name)
    run(*within(name, "ip", "address", "add", f"10.7.0.{number + 1}/24", "dev", f"wlan{number}"))


class Daemon:
    """A daemon of a namespace."""

    def __init__(self, name: str, *argv: str) -> None:
        self._process = subprocess.Popen(within(name, "stdbuf", "-oL", *argv), stdout=subprocess.PIPE, text=True)

    def says(self, wanted: str) -> bool:
        """Whether it says so within JOIN_S; else it is ended."""
        timer = threading.Timer(JOIN_S, self._process.terminate)
        timer.start()
        assert self._process.stdout
        found = any(wanted in line for line in self._process.stdout)
        timer.cancel()
        return found

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


def pings() -> int:
    """Answers to pings of the station."""
    command = within("sta", "ping", "-c", str(PINGS), "-i", "0.2", "-W", "1", "10.7.0.1")
    reported = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True).stdout
    return int(re.findall(r"(\d+) received", reported)[0])


def failed() -> int:
    """Frames that the relay reported to the station's driver as not acknowledged."""
    return int(re.findall(r"tx failed:\s+(\d+)", run(*within("sta", "iw", "dev", "wlan1", "station", "dump")))[0])


def look(relay: Relay) -> dict[str, int]:
    """What becomes of pings now."""
    before = dict(relay.counts)
    answers = pings()
    return {
        "answers": answers,
        "failed": failed(),
        **{key: value - before[key] for key, value in relay.counts.items()},
    }


def looks(relay: Relay) -> list[dict[str, int]]:
    """With the relay, while it drops data frames, with it again, and without."""
    reported = [look(relay)]
    for data in (False, True):
        relay.data = data
        reported.append(look(relay))
    relay.end()
    return [*reported, look(relay)]


def main() -> None:
    """Arguments: whether frames are relayed at all; whether the radios are on the topology's medium."""
    forward, on_medium = json.loads(sys.argv[1])
    if on_medium:
        os.mkfifo(ADDED)
    for number in range(len(NAMES)):
        make_radio(number)
    if on_medium:
        Path(ADDED).read_text()  # the agent puts them there
    relay = Relay(data=forward, others=forward)
    for number in range(len(NAMES)):
        move(number)
    Path("/tmp/ap.conf").write_text("interface=wlan0\ndriver=nl80211\nssid=relayed\nhw_mode=g\nchannel=1\n")
    Path("/tmp/sta.conf").write_text('network={\nssid="relayed"\nkey_mgmt=NONE\nscan_freq=2412\n}\n')
    hostapd = Daemon("ap", "hostapd", "/tmp/ap.conf")
    assert hostapd.says("AP-ENABLED")
    supplicant = Daemon("sta", "wpa_supplicant", "-i", "wlan1", "-c", "/tmp/sta.conf")
    joined = supplicant.says("CTRL-EVENT-CONNECTED")
    reported = looks(relay) if joined else []
    supplicant.end()
    hostapd.end()
    for number in range(len(NAMES) if on_medium else 0):  # so that the agent can take them off again
        run(*within(NAMES[number], "ip", "link", "set", f"wlan{number}", "down"))
    print(json.dumps({"joined": joined, "looks": reported, "frames": relay.counts["frames"]}))


if __name__ == "__main__":
    main()
