# SPDX-License-Identifier: MIT
"""The kernel's counters of the medium, from its answers to dumps, for medium.json.

Counters start when the medium is created; the difference of two readings is what happened between them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from lab.guest.medium.uapi import ACCESS_CATEGORIES, Airtime, AnyAttr, Attr, PartAttr
from lab.guest.netlink.wire import NetlinkError, attributes
from lab.shared.frozen import fields_of
from lab.shared.medium_types import (
    AccessCounts,
    ChannelUse,
    FrameCounts,
    LinkCounters,
    MediumPart,
    PeerCounters,
    RadioCounters,
    total,
)

Answer = dict[int, bytes]
_UINT = {4: struct.Struct("=I"), 8: struct.Struct("=Q")}  # NLA_UINT, by length


def radios(answers: list[Answer], names: dict[int, str]) -> list[RadioCounters]:
    """Return attempts of radios."""
    found: dict[str, dict[str, AccessCounts]] = {}
    for answer in answers:
        counts = AccessCounts(**_numbers(answer, Attr.ACCESS, fields_of(AccessCounts) or ()))
        found.setdefault(_name(answer, Attr.RADIO, names), {})[_category(answer)] = counts
    return [RadioCounters(node, categories) for node, categories in found.items()]


def links(answers: list[Answer], names: dict[int, str]) -> list[LinkCounters]:
    """Return the frames from one radio to another."""
    found: dict[tuple[str, str], dict[str, FrameCounts]] = {}
    for answer in answers:
        ends = _name(answer, Attr.FROM, names), _name(answer, Attr.TO, names)
        counts = FrameCounts(**_numbers(answer, Attr.COUNTS, fields_of(FrameCounts) or ()))
        found.setdefault(ends, {})[_category(answer)] = counts
    return [LinkCounters(*ends, total(categories.values()), categories) for ends, categories in found.items()]


def peers(answers: list[Answer], names: dict[int, str], part: MediumPart) -> list[PeerCounters]:
    """Return counters of a stack's part of the kernel, by pairs of radios.

    ``part`` names the nests of counters, and the counters in each.
    """
    nests = {name: PartAttr(f"{part.key}_{name}", number, "nest") for name, number in part.counters.items()}
    return [
        PeerCounters(
            _name(answer, Attr.RADIO, names),
            _payload(answer, Attr.ADDR, 6).hex(":"),
            {name: _numbers(answer, nest, part.counts) for name, nest in nests.items()},
        )
        for answer in answers
        if any(nest in answer for nest in nests.values())
    ]


def channel(answer: Answer, start_ns: int) -> ChannelUse:
    """Return how the time of a channel was used.

    ``start_ns``: the uptime from which ``t_ns`` counts.
    """
    time_ns: int = struct.unpack("=Q", _payload(answer, Attr.TIME_NS, 8))[0]
    air_ns = _numbers(answer, Attr.AIRTIMES, Airtime.__members__)
    return ChannelUse(_u32(answer, Attr.FREQ_MHZ), time_ns - start_ns, air_ns)


def _payload(answer: Answer, attr: Attr, size: int) -> bytes:
    """Return an attribute's payload; raise NetlinkError if it is missing or has another size."""
    payload = answer.get(attr)
    if payload is None:
        raise NetlinkError(f"medium: the kernel's answer lacks {attr.name}")
    if len(payload) != size:
        raise NetlinkError(f"medium: {attr.name} has {len(payload)} bytes instead of {size}")
    return payload


def _u32(answer: Answer, attr: Attr) -> int:
    number: int = struct.unpack("=I", _payload(answer, attr, 4))[0]
    return number


def _category(answer: Answer) -> str:
    number = _payload(answer, Attr.AC, 1)[0]
    if number >= len(ACCESS_CATEGORIES):
        raise NetlinkError(f"medium: the kernel reports access category {number}")
    return ACCESS_CATEGORIES[number]


def _numbers(answer: Answer, attr: AnyAttr, names: Iterable[str]) -> dict[str, int]:
    """Return the numbers in a nested attribute, by name in lower case; ``names`` are those from 1 on."""
    nest = answer.get(attr)
    if nest is None:
        raise NetlinkError(f"medium: the kernel's answer lacks {attr.name}")
    found = attributes(nest)
    numbers: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        payload = found.get(number)
        if payload is None or len(payload) not in _UINT:
            raise NetlinkError(f"medium: the kernel's answer lacks {name.upper()} of {attr.name}")
        numbers[name.lower()] = _UINT[len(payload)].unpack(payload)[0]
    return numbers


def _name(answer: Answer, attr: Attr, names: dict[int, str]) -> str:
    index = _u32(answer, attr)
    if index not in names:
        raise NetlinkError(f"medium: the kernel reports radio {index}, which is not part of the plan")
    return names[index]
