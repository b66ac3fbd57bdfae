# SPDX-License-Identifier: MIT
"""The analytic curves of TCP/HACK's figures 1(a), 1(b) and 12: goodput of TCP and of TCP/HACK without any losses.

Time passes in cycles. In each the access point sends one frame (802.11a) or one A-MPDU (802.11n). The client sends a
TCP ACK for every second segment. With TCP, those of a cycle go in a frame or an A-MPDU of their own; with TCP/HACK,
they make the ACK or BlockAck longer instead. Goodput is the payload of a cycle, divided by its time:

    access + data + SIFS + answer                                       HACK; the answer has the compressed ACKs
    access + data + SIFS + answer + access + ACKs + SIFS + answer       TCP

The access point always has more data, and TCP's windows do not limit it. Not modelled: collisions and retries, beacons,
that the backoffs of both stations pass at the same time, TCP's slow start, and answers that are lost.

workloads/hack/theory.md says where each assumption comes from. Clauses are those of IEEE 802.11-2020, sections those of
L. Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", USENIX ATC 2014.

    python workloads/hack/theory.py [--timestamps] [--csv]
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Protocol

IP_BYTES = 1500  # of a data segment: section 4.1
COMPRESSED_BYTES = 4  # of a TCP ACK in an answer: section 3.3.2

SLOT_US, SIFS_US = 9, 16  # Table 17-21
MEAN_BACKOFF_US = 15 / 2 * SLOT_US  # uniform in 0 … CWmin: 10.3.3; CWmin: Table 17-21
DIFS_US = SIFS_US + 2 * SLOT_US  # 10.3.2.3.5
AIFS_US = SIFS_US + 3 * SLOT_US  # best effort: 10.23.2.4, 9.4.2.28
LLC_BYTES = 8  # LLC and SNAP headers
FCS_BYTES = 4
DATA_HEADER_BYTES = 24  # 9.3.2.1, three addresses
QOS_HEADER_BYTES = 26
ACK_BYTES = 14  # 9.3.1.4, with FCS
BLOCK_ACK_BYTES = 32  # 9.3.1.8, compressed bitmap, with FCS
DELIMITER_BYTES = 4  # 9.7.1
AMPDU_MOST_BYTES = 65_535  # 9.4.2.55.3
AMPDU_MOST_FRAMES = 64  # what the bitmap of a BlockAck covers: 9.3.1.8
TXOP_US = 4_000  # footnote 4


@dataclass(frozen=True)
class Segments:
    """Sizes of a connection's segments.

    ``payload_bytes`` of a data segment; ``ack_bytes`` of a TCP ACK, from the IP header on.
    """

    payload_bytes: int
    ack_bytes: int


PLAIN = Segments(IP_BYTES - 40, 40)  # section 4.3: 1460 byte packets
STAMPED = Segments(IP_BYTES - 52, 52)  # with timestamps, 12 bytes (RFC 7323): table 2 has ACKs of 52 bytes


class Link(Protocol):
    """What the cycle needs to know of a link. Times are in µs."""

    @property
    def rate_mbps(self) -> int:
        """Rate of data frames, TCP ACKs among them."""

    @property
    def access_us(self) -> float:
        """Mean idle time before a transmission."""

    @property
    def burst(self) -> int:
        """How many data segments are sent at once."""

    def frames_us(self, packets: int, ip_bytes: int) -> float:
        """Return the duration of IP packets of this size, sent at once."""

    def answer_us(self, more_bytes: int) -> float:
        """Return the duration of an ACK or BlockAck with so many more bytes."""


def ofdm_us(psdu_bytes: int, rate_mbps: int) -> float:
    """Return the duration of a frame of 802.11a: preamble and SIGNAL, SERVICE, PSDU and tail (17.4.3)."""
    return 20 + 4 * ceil((16 + 8 * psdu_bytes + 6) / (4 * rate_mbps))


@dataclass(frozen=True)
class Legacy:
    """A link of 802.11a with DCF, and frames without QoS."""

    rate_mbps: int

    access_us = DIFS_US + MEAN_BACKOFF_US
    burst = 1

    def frames_us(self, packets: int, ip_bytes: int) -> float:
        """Return the duration of one frame: 802.11a has no A-MPDUs."""
        if packets != 1:
            raise ValueError(f"{packets} packets at once; 802.11a sends 1")
        return ofdm_us(DATA_HEADER_BYTES + LLC_BYTES + ip_bytes + FCS_BYTES, self.rate_mbps)

    def answer_us(self, more_bytes: int) -> float:
        """Return the duration of an ACK."""
        return ofdm_us(ACK_BYTES + more_bytes, self.answer_mbps)

    @property
    def answer_mbps(self) -> int:
        """The highest of 6, 12 and 24 Mbit/s that is not above the frame's rate (10.6.6.5.2)."""
        return max(basic for basic in (6, 12, 24) if basic <= self.rate_mbps)


@dataclass(frozen=True)
class HighThroughput:
    """A link of 802.11n with EDCA's best effort: 40 MHz, short guard interval, mixed format, section 4.3."""

    mcs: int

    access_us = AIFS_US + MEAN_BACKOFF_US

    @property
    def streams(self) -> int:
        """Spatial streams."""
        return self.mcs // 8 + 1

    @property
    def symbol_bits(self) -> int:
        """Data bits of a symbol: 108 subcarriers (19.5)."""
        bits_of_two_subcarriers = (1, 2, 3, 4, 6, 8, 9, 10)[self.mcs % 8]
        return 54 * bits_of_two_subcarriers * self.streams

    @property
    def rate_mbps(self) -> int:
        """A symbol takes 3.6 µs. All rates are whole numbers."""
        return self.symbol_bits * 10 // 36

    def ppdu_us(self, psdu_bytes: int) -> float:
        """Return the duration of a PPDU (19.4.3); its symbols end on a 4 µs boundary."""
        long_trainings = (1, 2, 4, 4)[self.streams - 1]  # 19.3.9.4.6
        preamble_us = 8 + 8 + 4 + 8 + 4 + 4 * long_trainings  # L-STF, L-LTF, L-SIG, HT-SIG, HT-STF, HT-LTFs
        encoders = 2 if self.rate_mbps > 300 else 1  # 19.5, with tail bits for each
        symbols = ceil((16 + 8 * psdu_bytes + 6 * encoders) / self.symbol_bits)
        return preamble_us + 4 * ceil(symbols * 9 / 10)

    def frames_us(self, packets: int, ip_bytes: int) -> float:
        """Return the duration of an A-MPDU."""
        return self.ppdu_us(_ampdu_bytes(packets, ip_bytes))

    @cached_property
    def burst(self) -> int:
        """The longest A-MPDU is limited by 64 KiB, a BlockAck's 64 frames, and 4 ms with its answer (10.23.2.9)."""
        return max(packets for packets in range(1, AMPDU_MOST_FRAMES + 1) if packets == 1 or self._fits(packets))

    def _fits(self, packets: int) -> bool:
        exchange_us = self.frames_us(packets, IP_BYTES) + SIFS_US + self.answer_us(0)
        return _ampdu_bytes(packets, IP_BYTES) <= AMPDU_MOST_BYTES and exchange_us <= TXOP_US

    @property
    def answer_mbps(self) -> int:
        """The highest of 6, 12 and 24 Mbit/s not above the reference rate: same modulation and coding (10.6.11)."""
        return {0: 6, 1: 12, 2: 12}.get(self.mcs % 8, 24)

    def answer_us(self, more_bytes: int) -> float:
        """Return the duration of a BlockAck."""
        return ofdm_us(BLOCK_ACK_BYTES + more_bytes, self.answer_mbps)

    def single_us(self, ip_bytes: int) -> float:
        """Return the time of a frame that is sent alone, with access to the medium and its ACK."""
        data_us = self.ppdu_us(QOS_HEADER_BYTES + LLC_BYTES + ip_bytes + FCS_BYTES)
        return self.access_us + data_us + SIFS_US + ofdm_us(ACK_BYTES, self.answer_mbps)


def _ampdu_bytes(packets: int, ip_bytes: int) -> int:
    """Return the length of an A-MPDU: a delimiter before each MPDU, all but the last padded to 4 bytes (9.7.1)."""
    mpdu_bytes = QOS_HEADER_BYTES + LLC_BYTES + ip_bytes + FCS_BYTES
    return packets * (DELIMITER_BYTES + mpdu_bytes) + (packets - 1) * (-mpdu_bytes % 4)


def udp_mbps(link: Link, payload_bytes: int = IP_BYTES - 28) -> float:
    """Return the goodput of datagrams that nothing answers but the link layer."""
    payload_bits = link.burst * payload_bytes * 8
    return payload_bits / _exchange_us(link, link.burst, payload_bytes + 28)


def tcp_mbps(link: Link, segments: Segments = PLAIN) -> float:
    """Return the goodput of TCP."""
    return _goodput_mbps(link, segments, hack=False)


def hack_mbps(link: Link, segments: Segments = PLAIN) -> float:
    """Return the goodput of TCP/HACK."""
    return _goodput_mbps(link, segments, hack=True)


def _goodput_mbps(link: Link, segments: Segments, *, hack: bool) -> float:
    """Return payload by time of two cycles: with an odd number of segments, one has an ACK more than the other."""
    both_us = sum(_cycle_us(link, segments, acks, hack) for acks in (link.burst // 2, link.burst - link.burst // 2))
    return 2 * link.burst * segments.payload_bytes * 8 / both_us


def _cycle_us(link: Link, segments: Segments, acks: int, hack: bool) -> float:
    if hack:
        return _exchange_us(link, link.burst, IP_BYTES, acks * COMPRESSED_BYTES)
    data_us = _exchange_us(link, link.burst, IP_BYTES)
    return data_us + _exchange_us(link, acks, segments.ack_bytes) if acks else data_us


def _exchange_us(link: Link, packets: int, ip_bytes: int, more_bytes: int = 0) -> float:
    return link.access_us + link.frames_us(packets, ip_bytes) + SIFS_US + link.answer_us(more_bytes)


A_LINKS = tuple(Legacy(rate_mbps) for rate_mbps in (6, 9, 12, 18, 24, 36, 48, 54))
_BY_RATE = {link.rate_mbps: link for link in map(HighThroughput, reversed(range(32)))}  # the fewest streams win
N_LINKS = tuple(_BY_RATE[rate_mbps] for rate_mbps in sorted(_BY_RATE))


@dataclass(frozen=True)
class Row:
    """A point of both curves."""

    phy: str
    rate_mbps: int
    frames: int
    tcp_mbps: float
    hack_mbps: float

    @property
    def gain(self) -> float:
        """By which share TCP/HACK is faster."""
        return self.hack_mbps / self.tcp_mbps - 1


def rows(segments: Segments = PLAIN) -> Iterator[Row]:
    """Yield all points: figure 1(a), then figure 1(b), which has those of figure 12."""
    both: tuple[tuple[str, tuple[Link, ...]], ...] = (("802.11a", A_LINKS), ("802.11n", N_LINKS))
    for phy, links in both:
        for link in links:
            yield Row(phy, link.rate_mbps, link.burst, tcp_mbps(link, segments), hack_mbps(link, segments))


def table(segments: Segments = PLAIN) -> str:
    """Return the points as text."""
    lines = ["phy      rate, Mbit/s  frames  TCP, Mbit/s  HACK, Mbit/s    gain"]
    for row in rows(segments):
        lines.append(
            f"{row.phy}{row.rate_mbps:14}{row.frames:8}{row.tcp_mbps:13.2f}{row.hack_mbps:14.2f}{row.gain:8.1%}"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the curves."""
    parser = argparse.ArgumentParser(description="Print goodput of TCP and TCP/HACK over the rate, without any losses.")
    parser.add_argument("--timestamps", action="store_true", help="segments with TCP timestamps, as Linux sends them")
    parser.add_argument("--csv", action="store_true", help="print CSV")
    options = parser.parse_args()
    segments = STAMPED if options.timestamps else PLAIN
    if not options.csv:
        print(table(segments))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["phy", "rate_mbps", "frames", "tcp_mbps", "hack_mbps", "gain"])
    for row in rows(segments):
        goodputs = (f"{number:.4f}" for number in (row.tcp_mbps, row.hack_mbps, row.gain))
        writer.writerow([row.phy, row.rate_mbps, row.frames, *goodputs])


if __name__ == "__main__":
    main()
