# SPDX-License-Identifier: MIT
"""What the columns of the paper's tables 3 and 4 say about each other, and about the place that they were measured in.

published.csv has both tables, a line for each flow of a row. Amounts are in units of 1024 bytes, throughput in 1000
bit/s: with these, TCP's columns agree. A flow's amount divided by its time is its throughput, unless one is wrong.

Prints the table of workloads/dccp/published.md, then the two of workloads/dccp/place.md that are computed.

    python workloads/dccp/published.py
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PRINTED = Path(__file__).with_name("published.csv")
RUN_S = 300
LATER_S = 280  # flows that start 20 s after the first
NORMALISED = 1 + (RUN_S - LATER_S) / RUN_S  # equation 5, for these flows
PACKET_BYTES = {3: 512, 4: 1424}
ETHERNET_BYTES = 14
HEADER_BYTES = {"UDP": 28, "DCCP": 36, "TCP": 52}  # with IPv4, TCP's timestamps, DCCP's extended sequence numbers
SEGMENT_BYTES = 1448  # of TCP, whatever the table
# throughput in kbit/s where the amount next to it shows which digit is wrong (published.md, "Which numbers count")
CORRECTED_KBPS = {
    (3, 5, "TCP Cubic"): 2862.58,
    (3, 6, "DCCP-2"): 1899.25,
    (4, 1, "TCP Reno"): 3062.41,
    (4, 2, "TCP Cubic"): 2201.33,
    (4, 3, "UDP"): 6301.01,
}


@dataclass(frozen=True)
class Interval:
    """A mean and its confidence interval, as printed."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the interval, as a share of the mean."""
        return (self.high - self.low) / 2 / self.mean


@dataclass(frozen=True)
class Flow:
    """One line of a row: the mean flow of a protocol. Throughput in kbit/s, amounts in KiB, jitter in ms."""

    table: int
    row: int
    protocol: str
    flows: int
    runs: int
    throughput: Interval
    transmitted_kib: float
    lost_kib: float
    load: Interval
    jitter: Interval

    @property
    def lost(self) -> float:
        """Lost share of what was transmitted."""
        return self.lost_kib / self.transmitted_kib

    @property
    def counted_kib(self) -> float:
        """The amount that the throughput belongs to: what arrived, but of DCCP what was transmitted."""
        return self.transmitted_kib if self.protocol.startswith("DCCP") else self.load.mean

    @property
    def seconds(self) -> int:
        """How long it sent: a row's first protocol from the start, the two flows of the other one 20 s less."""
        return RUN_S if self.flows == 1 else LATER_S

    @property
    def implied_kbps(self) -> float:
        """Throughput by its amount and its time."""
        return self.counted_kib * 1024 * 8 / self.seconds / 1000

    @property
    def ratio(self) -> float:
        """Printed throughput, divided by that of its amount."""
        return self.throughput.mean / self.implied_kbps

    @property
    def corrected_kbps(self) -> float:
        """The throughput that claims are compared with."""
        return CORRECTED_KBPS.get((self.table, self.row, self.protocol), self.throughput.mean)

    @property
    def wire_kbps(self) -> float:
        """The rate of all flows of this protocol together on Ethernet."""
        kind = self.protocol.replace("-", " ").split()[0]
        payload_bytes = SEGMENT_BYTES if kind == "TCP" else PACKET_BYTES[self.table]
        return self.flows * self.corrected_kbps * (1 + (ETHERNET_BYTES + HEADER_BYTES[kind]) / payload_bytes)

    @property
    def factor(self) -> float:
        """The factor by which equation 5 has multiplied its throughput."""
        return NORMALISED if self.flows == 2 else 1

    def packets_per_s(self, packet_bytes: int) -> float:
        """Return how many packets of this size its amount is, in its time, without equation 5's factor."""
        return self.transmitted_kib * 1024 / packet_bytes / self.seconds / self.factor


def flows() -> Iterator[Flow]:
    """Yield the 44 flows of both tables."""
    with PRINTED.open(newline="") as file:
        for line in csv.DictReader(file):
            number = {key: float(text or 0) for key, text in line.items() if key != "protocol"}
            yield Flow(
                table=int(number["table"]),
                row=int(number["row"]),
                protocol=line["protocol"],
                flows=int(number["flows"]),
                runs=int(number["n"]),
                throughput=_interval(number, "throughput", "kbps", number["throughput_kbps"]),
                transmitted_kib=number["transmitted_kib"],
                lost_kib=number["lost_kib"],
                load=_interval(number, "load", "kib", number["transmitted_kib"] - number["lost_kib"]),
                jitter=_interval(number, "jitter", "ms", number["jitter_ms"]),
            )


def _interval(number: dict[str, float], name: str, unit: str, mean: float) -> Interval:
    return Interval(mean, number[f"{name}_low_{unit}"], number[f"{name}_high_{unit}"])


def columns() -> Iterator[str]:
    """Yield the lines of the table in published.md: throughput against amount."""
    heads = ("throughput, kbit/s", "by its amount", "ratio", "lost", "± throughput", "± amount", "± jitter")
    yield f"| table.row | flow | n | {' | '.join(heads)} |"
    yield f"|---|---|---:|{'---:|' * len(heads)}"
    for flow in flows():
        cells = [
            f"{flow.table}.{flow.row}",
            flow.protocol + (", each of 2" if flow.flows == 2 else ""),
            f"{flow.runs}",
            f"{flow.throughput.mean:.2f}",
            f"{flow.implied_kbps:.2f}",
            f"{flow.ratio:.4f}" if abs(flow.ratio - 1) < 0.02 else f"**{flow.ratio:.4f}**",
            "" if flow.protocol.startswith("TCP") else f"{100 * flow.lost:.2f} %",
            *(_percent(interval.half_width) for interval in (flow.throughput, flow.load, flow.jitter)),
        ]
        yield f"| {' | '.join(cells)} |"


def _percent(share: float) -> str:
    text = f"{100 * share:.1f} %"
    return text if share <= 0.05 else f"**{text}**"


def sums() -> Iterator[str]:
    """Yield the lines of the table in place.md on the router's rate: all flows of a row, on the wire, in Mbit/s."""
    rows = range(1, 12)
    yield f"| | {' | '.join(map(str, rows))} |"
    yield f"|---|{'---:|' * len(rows)}"
    everything = list(flows())
    for table in PACKET_BYTES:
        for name, undone in (("", False), (", undone", True)):
            cells = [
                sum(f.wire_kbps / (f.factor if undone else 1) for f in everything if (f.table, f.row) == (table, row))
                for row in rows
            ]
            yield f"| table {table}{name} | {' | '.join(f'{kbps / 1000:.1f}' for kbps in cells)} |"


def processor() -> Iterator[str]:
    """Yield the lines of the table in place.md on the processor: how many packets a tablet's UDP transmitted."""
    yield "| | packets/s, sorted | median | time |"
    yield "|---|---|---:|---:|"
    for name, table, counted_bytes in (
        ("table 3, 512 bytes", 3, 512),
        ("table 4, 1424 bytes, as printed", 4, 1424),
        ("table 4, if packets were counted as 512 bytes", 4, 512),
    ):
        rates = sorted(f.packets_per_s(counted_bytes) for f in flows() if f.table == table and f.protocol == "UDP")
        texts = ", ".join(f"{rate:.0f}" for rate in rates)
        yield f"| {name} | {texts} | {median(rates):.0f} | {1e6 / median(rates):.1f} µs |"


if __name__ == "__main__":
    for lines in (columns(), sums(), processor()):
        print("\n".join(lines), end="\n\n")
