# SPDX-License-Identifier: MIT
"""The kernel's counters of the medium, from its answers to dumps, for medium.json.

Counters start when the medium is created; the difference of two readings is what happened between them.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any

from lab.guest.medium.uapi import AC_COUNTS, ACCESS_CATEGORIES, Airtime, Attr, Count
from lab.guest.netlink.wire import NetlinkError

Answer = dict[int, bytes]


def radio(answer: Answer, names: dict[int, str]) -> dict[str, Any]:
    """Attempts of a radio by access category: ``{node, vo: {attempts, successes, inside, air_ns}, vi, be, bk}``."""
    width = len(AC_COUNTS)
    values = _u64s(answer, Attr.AC_COUNTS, width * len(ACCESS_CATEGORIES))
    counts = {
        name: dict(zip(AC_COUNTS, values[width * number : width * (number + 1)], strict=True))
        for number, name in enumerate(ACCESS_CATEGORIES)
    }
    return {"node": _name(answer, Attr.RADIO, names), **counts}


def link(answer: Answer, names: dict[int, str]) -> dict[str, Any]:
    """Frames from one radio to another: ``{from, to, sent, retries, …}``, by the names of ``Count``.

    These are totals. The same counts follow for each access category with frames: ``be: {sent, retries, …}``.
    """
    width = len(Count)
    values = _u64s(answer, Attr.COUNTS, width * len(ACCESS_CATEGORIES))
    keys = [name.name.lower() for name in Count]
    counts = {
        category: dict(zip(keys, values[width * number : width * (number + 1)], strict=True))
        for number, category in enumerate(ACCESS_CATEGORIES)
    }
    ends = {"from": _name(answer, Attr.FROM, names), "to": _name(answer, Attr.TO, names)}
    totals = {key: sum(count[key] for count in counts.values()) for key in keys}
    return {**ends, **totals, **{name: count for name, count in counts.items() if any(count.values())}}


def channel(answer: Answer, start_ns: int) -> dict[str, Any]:
    """How the time of a channel was used: ``{frequency_mhz, t_ns, air_ns: {idle, data, …}}``.

    Args:
        answer: of the kernel.
        start_ns: the uptime from which ``t_ns`` counts.
    """
    (time_ns,) = _u64s(answer, Attr.TIME_NS, 1)
    return {
        "frequency_mhz": _u32(answer, Attr.FREQ_MHZ),
        "t_ns": time_ns - start_ns,
        "air_ns": _named(answer, Attr.AIRTIMES_NS, Airtime),
    }


def _payload(answer: Answer, kind: Attr, size: int) -> bytes:
    """An attribute's payload; NetlinkError if it is missing or has another size."""
    payload = answer.get(kind)
    if payload is None:
        raise NetlinkError(f"medium: the kernel's answer lacks {kind.name}")
    if len(payload) != size:
        raise NetlinkError(f"medium: {kind.name} has {len(payload)} bytes instead of {size}")
    return payload


def _u32(answer: Answer, kind: Attr) -> int:
    number: int = struct.unpack("=I", _payload(answer, kind, 4))[0]
    return number


def _u64s(answer: Answer, kind: Attr, count: int) -> tuple[int, ...]:
    return struct.unpack(f"={count}Q", _payload(answer, kind, 8 * count))


def _named(answer: Answer, kind: Attr, names: type[IntEnum]) -> dict[str, int]:
    values = _u64s(answer, kind, len(names))
    return {name.name.lower(): value for name, value in zip(names, values, strict=True)}


def _name(answer: Answer, kind: Attr, names: dict[int, str]) -> str:
    index = _u32(answer, kind)
    if index not in names:
        raise NetlinkError(f"medium: the kernel reports radio {index}, which is not part of the plan")
    return names[index]
