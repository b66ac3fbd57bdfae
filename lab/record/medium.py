# SPDX-License-Identifier: MIT
"""What happened on the medium: differences between the counter readings in raw/medium.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from lab import left
from lab.errors import RecordError
from lab.shared.frozen import built, data
from lab.shared.medium_types import ChannelSpans, LinkCounters, OnAir, PeerCounters, RadioCounters, Reading

FILE_NAME = "medium.json"
Counters = Mapping[str, Any]  # as JSON
Thing = TypeVar("Thing", LinkCounters, RadioCounters, PeerCounters)


def read(raw: Path) -> OnAir | None:
    """Return what happened on the medium of a run; None without that file.

    Raises:
        RecordError: If the file is damaged.
    """
    path = raw / FILE_NAME
    try:
        readings = built(list[Reading], json.loads(left.document(path))["looks"])
        return _between(readings) if readings else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{path} cannot be read: {error!r}") from None


def _between(readings: Sequence[Reading]) -> OnAir:
    first, last = readings[0], readings[-1]
    frequencies = sorted({mhz for reading in readings for mhz in _airs(reading)})
    return OnAir(
        t_ns=[reading.t_ns for reading in readings],
        channels=[_channel(mhz, readings) for mhz in frequencies],
        links=_grown(LinkCounters, [first.links, last.links], ("from", "to")),
        radios=_grown(RadioCounters, [first.radios, last.radios], ("node",)),
        parts={
            key: _grown(PeerCounters, [one.parts.get(key, []) for one in readings], ("node", "peer"))
            for key in last.parts
        },
    )


def _airs(reading: Reading) -> dict[int, Mapping[str, int]]:
    """Return the air time of each channel by use, by frequency; a channel is listed from its first use on."""
    return {channel.frequency_mhz: channel.air_ns for channel in reading.channels}


def _channel(mhz: int, readings: Sequence[Reading]) -> ChannelSpans:
    totals = [_airs(reading).get(mhz, {}) for reading in readings]
    spans = [{use: value - before.get(use, 0) for use, value in after.items()} for before, after in pairwise(totals)]
    uses = {use: None for total in totals for use in total}
    return ChannelSpans(mhz, {use: [span.get(use, 0) for span in spans] for use in uses})


def _grown(kind: type[Thing], readings: Sequence[Sequence[Thing]], names: tuple[str, ...]) -> list[Thing]:
    """Return how much the counters of each link or radio grew. If one restarts, it is absent or smaller than before."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for before, after in pairwise(map(data, map(list, readings))):
        earlier = _by_name(before, names)
        for key, entry in _by_name(after, names).items():
            grown = _sum(entry, -1, earlier.get(key, {}), names)
            found[key] = _sum(entry if _shrinks(grown) else grown, 1, found.get(key, {}), names)
    return [built(kind, entry) for entry in found.values()]


def _by_name(entries: Sequence[Counters], names: tuple[str, ...]) -> dict[tuple[str, ...], Counters]:
    return {tuple(entry[name] for name in names): entry for entry in entries}


def _shrinks(grown: Counters) -> bool:
    numbers = (value for value in grown.values() if not isinstance(value, str))
    return any(_shrinks(value) if isinstance(value, Mapping) else value < 0 for value in numbers)


def _sum(entry: Counters, factor: int, other: Counters, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the counters of ``entry``, plus ``factor`` times those of ``other``; one that it lacks is 0."""
    found: dict[str, Any] = {}
    for key, value in entry.items():
        if key in names:
            found[key] = value
        elif isinstance(value, Mapping):
            found[key] = _sum(value, factor, other.get(key, {}))
        else:
            found[key] = value + factor * other.get(key, 0)
    return found
