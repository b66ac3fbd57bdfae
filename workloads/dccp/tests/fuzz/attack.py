# SPDX-License-Identifier: MIT
"""Runs in a node: sends malformed DCCP packets to a node that runs target.py, all of them drawn from a seed.

Each round has one way to begin: nothing, a Request, an open connection of CCID 2 or 3, or the other end's Request. Then
come packets of the corpus, changed or not, and random ones; most have valid sequence numbers and a right checksum, so
that they get far.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, "/dccp")  # where scenario.py puts what a node needs
from workloads.dccp.tests.system import raw

LISTENS, CONNECTS_TO = 5001, 5003
PER_ROUND = 24
OWN_PORTS = 20_000  # from this one on, so that rounds do not meet
_KNOWN_OPTIONS = [0, 1, 2, *range(32, 46), 128, 192, 193, 194]
_SIZES = [0, 1, 2, 3, 4, 5, 6, 8, 16, 253]


def feature(draw: random.Random) -> bytes:
    """The value of a Change or Confirm."""
    number = draw.choice([*range(11), 127, 192, 255])
    values = bytes(draw.choice([0, 1, 2, 3, 4, 15, 16, 255]) for _ in range(draw.choice([0, 1, 1, 2, 3, 6, 9, 40])))
    return bytes([number]) + values


def option(draw: random.Random) -> bytes:
    """An option; sometimes its length is wrong."""
    number = draw.choice(_KNOWN_OPTIONS) if draw.random() < 0.9 else draw.randrange(256)
    if number < 32:
        return bytes([number])
    value = feature(draw) if number < 36 and draw.random() < 0.9 else draw.randbytes(draw.choice(_SIZES))
    if number >= 128 and draw.random() < 0.5:
        value = draw.choice([b"\0\0\0\0", b"\0\0\0\1", b"\xff\xff\xff\xff", draw.randbytes(4)])
    length = 2 + len(value) if draw.random() < 0.9 else draw.choice([0, 1, 2, 3, 255])
    return bytes([number, min(length, 255)]) + value[:253]


class Attack:
    """Sends the packets, and counts what comes back."""

    def __init__(self, interface: str, own: str, other: str, seed: int, corpus: list[bytes]) -> None:
        self.draw = random.Random(seed)
        self.corpus = corpus
        self.peer = raw.Peer(interface, own, other, OWN_PORTS, LISTENS)
        self.sent = 0
        self.begun: Counter[str] = Counter()
        self.answers: Counter[int] = Counter()

    def begin(self, number: int) -> None:
        """Begin a round."""
        peer, draw = self.peer, self.draw
        peer.ports = OWN_PORTS + number % OWN_PORTS, LISTENS
        peer.seq, peer.heard = draw.randrange(raw.MODULUS), 0
        way = draw.choice(["nothing", "request", "ccid 2", "ccid 2", "ccid 3", "ccid 3", "response"])
        try:
            if way == "request":
                peer.send(raw.REQUEST)
                peer.wait(raw.RESPONSE, 0.1)
            elif way.startswith("ccid"):
                peer.connect(int(way[-1]), 0.1)
                peer.send(raw.DATAACK, payload=b"hello")
                self.listen(0.01)
            elif way == "response":
                peer.ports = CONNECTS_TO, 0
                request = peer.request(0.2)
                if draw.random() < 0.7:
                    peer.send(raw.RESPONSE, peer.confirm(request))
        except TimeoutError:
            way += " unanswered"
        self.begun[way] += 1

    def listen(self, for_s: float) -> None:
        """Count what comes."""
        self.answers.update(packet.type for packet in self.peer.all(for_s))

    def packet(self) -> bytes:
        """The next packet."""
        draw, peer = self.draw, self.peer
        stored = draw.random() < 0.3
        data = peer.filled(draw.choice(self.corpus)) if stored else self.random_packet()
        if draw.random() < 0.3:
            data = self.damaged(data)
        return peer.summed(data) if draw.random() < 0.97 and len(data) >= 12 else data

    def random_packet(self) -> bytes:
        """A packet with any options, most often with plausible numbers."""
        draw, peer = self.draw, self.peer
        plausible = draw.random() < 0.9
        return peer.build(
            draw.randrange(10) if draw.random() < 0.98 else draw.randrange(16),
            b"".join(option(draw) for _ in range(draw.choice([0, 1, 1, 2, 3, 8])))[:900],
            draw.randbytes(draw.choice([0, 0, 1, 4, 100, 1000])),
            seq=None if plausible else (peer.seq + draw.choice([-200, -1, 0, 1, 60, 90, 5000, 1 << 40])) % raw.MODULUS,
            ack=(peer.heard - (0 if plausible else draw.randrange(-3, 200))) % raw.MODULUS,
            ccval=draw.randrange(16),
            coverage=draw.choice([0, 0, 0, 0, 1, 2, 15]),
            offset=None if draw.random() < 0.95 else draw.randrange(256),
            short=draw.random() < 0.05,
        )

    def damaged(self, data: bytes) -> bytes:
        """The packet, cut, longer, or with other bytes behind its ports."""
        draw, changed = self.draw, bytearray(data)
        for _ in range(draw.randrange(4)):
            if len(changed) > 4:
                changed[draw.randrange(4, len(changed))] = draw.choice([0, 1, 2, 127, 128, 255, draw.randrange(256)])
        if draw.random() < 0.3:
            del changed[draw.randrange(1, len(changed) + 1) :]
        if draw.random() < 0.1:
            changed += draw.randbytes(draw.randrange(1, 300))
        return bytes(changed)

    def run(self, packets: int) -> None:
        """Send so many packets."""
        for number in range((packets + PER_ROUND - 1) // PER_ROUND):
            self.begin(number)
            for _ in range(PER_ROUND):
                self.peer.put(self.packet())
                self.sent += 1
                if self.draw.random() < 0.3:
                    self.listen(0.002)
            self.listen(0.02)


def main(own: str, other: str, seed: str, packets: str) -> None:
    """Attack, and print what happened."""
    corpus = [bytes.fromhex(file.read_text()) for file in sorted(Path("/dccp/corpus").glob("*.hex"))]
    attack = Attack("h2-eth0", own, other, int(seed), corpus)
    attack.run(int(packets))
    answers = {str(kind): count for kind, count in sorted(attack.answers.items())}
    print(json.dumps({"sent": attack.sent, "begun": dict(sorted(attack.begun.items())), "answers": answers}))


if __name__ == "__main__":
    main(*sys.argv[1:])
