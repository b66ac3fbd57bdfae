# SPDX-License-Identifier: MIT
"""Compress the TCP ACKs that a run's server got as ROHC-TCP would; compare with the lab's codec and the paper.

    lab run downloads hack/download-captured --set nodes.ap1.hack=more-data --set nodes.sta1.hack=more-data
    python -m workloads.hack.rohc runs/latest

All packets are restored, too; one that is not ends the program with an error.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import record
from lab.captures import pcap
from lab.errors import InputError, LabError, RecordError
from lab.numbers import count
from lab.record import Record
from workloads.hack.rohc.compress import Compressor
from workloads.hack.rohc.decompress import DamagedError, Decompressor
from workloads.hack.rohc.header import Header, NotPureAckError, parsed

CAPTURE = "acks.pcap"  # of workload hack/download-captured
LOSSES = (0, 3)  # in a row, against which a compressor protects; 0: as in TCP/HACK, which repeats what may be lost
CHECKSUM_BYTES = 2
_HEADINGS = ("", "native, IR", "bytes", "compressed", "bytes", "each", "ratio")
_NOTHING = "\N{EN DASH}"
_IPV4 = b"\x08\x00"
_WIDTHS = (46, 11, 8, 11, 8, 6, 6)


@dataclass(frozen=True)
class Row:
    """A row of the paper's table 2: what was sent as it is, or with all fields, and what was compressed."""

    name: str
    whole: int
    whole_bytes: int | None  # None: not counted
    compressed: int
    compressed_bytes: int
    packet_bytes: int  # of the compressed packets, before

    def __str__(self) -> str:
        each = self.compressed_bytes / self.compressed if self.compressed else 0.0
        ratio = self.packet_bytes / self.compressed_bytes if self.compressed_bytes else 0.0
        whole_bytes = _NOTHING if self.whole_bytes is None else self.whole_bytes
        cells = (self.whole, whole_bytes, self.compressed, self.compressed_bytes, f"{each:.2f}", f"{ratio:.1f}")
        return line((self.name, *map(str, cells)))


PAPER = Row("the paper: TCP/HACK", 10, 520, 9050, 39478, 471120 - 520)


def line(cells: Sequence[str]) -> str:
    """Return a line of the table."""
    return cells[0].ljust(_WIDTHS[0]) + "".join(
        cell.rjust(width) for cell, width in zip(cells[1:], _WIDTHS[1:], strict=True)
    )


@dataclass(frozen=True)
class Acks:
    """TCP ACKs without data of the stations that use TCP/HACK, in the order in which the server got them."""

    headers: Sequence[Header]
    refused: Counter[str]  # other segments, by why this package does not compress them
    native: int  # what TCP/HACK sent as it is
    compressed: int
    compressed_bytes: int
    packet_bytes: int

    @property
    def flows(self) -> int:
        """How many flows they are of."""
        return len({header.flow for header in self.headers})


def acks(directory: Path) -> Acks:
    """Return the ACKs of a run.

    Raises:
        InputError: If the run has no capture of the server, or no station uses TCP/HACK.
        LabError: If the record or the capture cannot be read.
    """
    ran = record.load(directory)
    stations = {node.name: _address(node.ip) for node in ran.plan.nodes if node.kind == "sta" and node.ip}
    pairs = [pair for pair in (ran.medium.parts.get("hack", ()) if ran.medium else ()) if pair.node in stations]
    sent = sum((Counter(pair.counts["sent"]) for pair in pairs), Counter[str]())
    if not sent["acks"]:
        raise InputError(
            f"{directory}: no TCP ACK went with a link-layer ACK", hint="set hack: more-data for both nodes"
        )
    headers, refused = [], Counter[str]()
    for packet in _packets(ran):
        if packet[12:16] in stations.values():
            try:
                headers.append(parsed(packet))
            except NotPureAckError as error:
                refused[str(error)] += 1
    whole = sent["bytes"] + sent["payloads"]
    return Acks(headers, refused, sent["natives"], sent["acks"], whole, sent["packet_bytes"])


def _address(ip: str) -> bytes:
    return bytes(map(int, ip.partition("/")[0].split(".")))


def _packets(ran: Record) -> Iterator[bytes]:
    path = ran.directory / "raw" / CAPTURE
    try:
        capture = pcap.load(path)
    except FileNotFoundError:
        raise InputError(f"{path} is missing", hint="run the workload hack/download-captured") from None
    except pcap.PcapError as error:
        raise RecordError(f"{path}: {error}", hint="run it again") from None
    for _, frame in capture.frames():
        if frame[12:14] == _IPV4:
            yield frame[14:]


def compressed(headers: Sequence[Header], losses: int) -> tuple[Row, Counter[str]]:
    """Return what ROHC-TCP makes of ACKs, with a context for each flow, and how often each format is used.

    Raises:
        LabError: If a packet is not restored.
    """
    flows: dict[tuple[bytes, bytes, int, int], tuple[Compressor, Decompressor]] = {}
    forms, sizes, before = Counter[str](), Counter[str](), Counter[str]()
    for header in headers:
        compressor, decompressor = flows.setdefault(header.flow, (Compressor(losses=losses), Decompressor()))
        sent, whole = compressor.compress(header), header.packed()
        try:
            restored = decompressor.decompress(sent.octets)
        except DamagedError as error:
            raise LabError(f"a packet of format {sent.form} is not restored: {error}") from None
        if restored != whole:
            raise LabError(f"a packet of format {sent.form} is restored wrongly")
        kind = "IR" if sent.form == "IR" else "CO"
        forms[sent.form] += 1
        sizes[kind] += len(sent.octets)
        before[kind] += len(whole)
    whole_count = forms["IR"]
    name = f"ROHC-TCP, RFC 6846, robust to {losses} lost in a row"
    row = Row(name, whole_count, sizes["IR"], forms.total() - whole_count, sizes["CO"], before["CO"])
    return row, forms


def other(row: Row, name: str, more: int) -> Row:
    """Return the same with so many bytes more in each compressed packet."""
    return Row(
        name, row.whole, row.whole_bytes, row.compressed, row.compressed_bytes + more * row.compressed, row.packet_bytes
    )


def table(found: Acks) -> Iterator[str]:
    """Yield the lines of the table, and the formats."""
    yield line(_HEADINGS)
    yield str(PAPER)
    name = "this run: TCP/HACK, the lab's codec"
    yield str(Row(name, found.native, None, found.compressed, found.compressed_bytes, found.packet_bytes))
    used = []
    for losses in LOSSES:
        row, forms = compressed(found.headers, losses)
        yield str(row)
        if not losses:
            yield str(other(row, "  with a byte of CID, as in TCP/HACK", 1))
            yield str(other(row, "  without the TCP checksum (not RFC 6846)", -CHECKSUM_BYTES))
        used.append(f"formats, {losses} lost in a row: " + ", ".join(f"{n} {form}" for form, n in forms.most_common()))
    yield from used


def main() -> int:
    """Return the exit status."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m workloads.hack.rohc", description=summary)
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of a run of hack/download-captured")
    options = parser.parse_args()
    try:
        found = acks(options.run)
        lines = list(table(found))
    except LabError as error:
        print(f"rohc: {error}", file=sys.stderr)
        return error.exit_status
    total = sum(len(header.packed()) for header in found.headers)
    print(f"{count(len(found.headers), 'TCP ACK')} in {count(found.flows, 'flow')}, {total} bytes")
    for why, number in sorted(found.refused.items()):
        print(f"not compressed: {count(number, 'segment')}: {why}")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
