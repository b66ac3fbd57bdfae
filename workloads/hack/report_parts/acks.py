# SPDX-License-Identifier: MIT
"""TCP ACKs in link-layer ACKs (key ``hack``), in a report: what became of those of each radio to each peer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.record.record import Record
from lab.report.parts import ReportPart
from lab.tables import Column, Table

_MS = 1_000_000
# counters of the radio that receives ACKs, and of the one that sends them, with their names
_RECEIVER = {
    "duplicates": "duplicates",
    "crc_failures": "CRC failures",
    "unknown": "of unknown flows",
    "malformed": "malformed payloads",
}
_SENDER = {"refused": "refused", "flushed": "flushed", "resets": "resets"}
_RARE = _RECEIVER | _SENDER | {"syncs": "SYNCs"}


class Acks(ReportPart):
    """A table, which has no rows if no radio of the run has the key."""

    def tables(self, record: Record) -> Iterator[Table]:
        yield _table(record)


def _table(record: Record) -> Table:
    rows = list(_rows(record))
    columns = [
        Column("node", "from", number=False),
        Column("peer", "to", number=False),
        Column("acks", "compressed", digits=12),
        Column("natives", "native", digits=12),
        Column("bytes_each", "bytes each", digits=3),
        Column("ratio", "ratio", digits=3),
        Column("held_ms", "mean time held", "ms", 3),
    ]
    # an older kernel does not count all of them
    counted = [key for key in _RARE if any(row[key] is not None for row in rows)]
    columns += [Column(key, _RARE[key], digits=12, rare=True) for key in counted]
    remark = "Bytes each: of a compressed ACK. Ratio: of the bytes of its IP packet to these."
    return Table("acks", "TCP ACKs in link-layer ACKs", columns, rows, remark=remark)


def _rows(record: Record) -> Iterator[dict[str, Any]]:
    """Yield what became of the ACKs from each radio to each peer, as both ends counted it."""
    addresses = {node.name: node.radio.mac for node in record.plan.nodes if node.radio}
    names = {address: name for name, address in addresses.items()}
    found = record.medium.parts.get("hack", ()) if record.medium else ()
    pairs = {(pair.node, pair.peer): pair.counts for pair in found}
    for (node, address), pair in pairs.items():
        peer = names.get(address, address)
        at_peer = pairs.get((peer, addresses.get(node, "")), {}).get("received", {})
        if any(pair["sent"].values()) or any(at_peer.values()):
            yield {"node": node, "peer": peer} | _row(pair["sent"], at_peer) | {"syncs": _syncs(pair)}


def _row(sent: Mapping[str, int], at_peer: Mapping[str, int]) -> dict[str, Any]:
    acks, byte_count = sent["acks"], sent["bytes"] + sent["payloads"]  # each payload begins with a byte of its own
    return {
        "acks": acks,
        "natives": sent["natives"],
        "bytes_each": byte_count / acks if acks else None,
        "ratio": sent["packet_bytes"] / byte_count if acks else None,
        "held_ms": sent["held_ns"] / acks / _MS if acks else None,
        **{key: at_peer.get(key) for key in _RECEIVER},
        **{key: sent.get(key) for key in _SENDER},
    }


def _syncs(pair: Mapping[str, Mapping[str, int]]) -> int | None:
    """Return how many frames of the peer came with SYNC, which is about the ACKs to it; None if that is not counted."""
    counted = [pair[way]["syncs"] for way in ("sent", "received") if "syncs" in pair[way]]
    return sum(counted) if counted else None
