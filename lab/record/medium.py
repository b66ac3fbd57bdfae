# SPDX-License-Identifier: MIT
"""What happened on the medium: differences between the counter readings in raw/medium.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from lab.errors import RecordError
from lab.shared.frozen import built, fields_of
from lab.shared.medium_types import Reading

FILE_NAME = "medium.json"
Counters = Mapping[str, Any]


def read(raw: Path) -> dict[str, Any] | None:
    """Return what happened on the medium of a run; None without that file.

    Returns:
        ``t_ns``: times of the readings. ``channels``: for each ``frequency_mhz``, ``air_ns`` has the time of each use
        in each interval between readings. ``links``: frames ``from`` one node ``to`` another between the first
        and the last reading. ``radios``: the same for attempts of each ``node`` by access category. By the key of a
        setting that a stack brings, if a radio has it: the same for what its part of the kernel counts for each
        ``node`` and ``peer``; an event that switches it may reset these counters, so what they counted between the
        reading before it and the event is missing.

    Raises:
        RecordError: If the file is damaged.
    """
    path = raw / FILE_NAME
    try:
        readings = [_reading(look) for look in json.loads(path.read_text(encoding="utf-8"))["looks"]]
        return _between(readings) if readings else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path} cannot be read: {error!r}") from None


def _reading(look: dict[str, Any]) -> Reading:
    """Return a line of the file; what is not a field of a reading is of a stack's part of the kernel."""
    fields = fields_of(Reading) or {}
    parts = {key: value for key, value in look.items() if key not in fields}
    reading: Reading = built(Reading, {key: value for key, value in look.items() if key in fields} | {"parts": parts})
    return reading


def _between(readings: Sequence[Reading]) -> dict[str, Any]:
    first, last = readings[0], readings[-1]
    frequencies = sorted({mhz for reading in readings for mhz in _airs(reading)})
    found = {
        "t_ns": [reading.t_ns for reading in readings],
        "channels": [_channel(mhz, readings) for mhz in frequencies],
        "links": _grown([first.links, last.links], ("from", "to")),
        "radios": _grown([first.radios, last.radios], ("node",)),
    }
    own = {key: _grown([one.parts.get(key, []) for one in readings], ("node", "peer")) for key in last.parts}
    return found | own


def _airs(reading: Reading) -> dict[int, Mapping[str, int]]:
    """Return the air time of each channel by use, by frequency; a channel is listed from its first use on."""
    return {channel.frequency_mhz: channel.air_ns for channel in reading.channels}


def _channel(mhz: int, readings: Sequence[Reading]) -> dict[str, Any]:
    totals = [_airs(reading).get(mhz, {}) for reading in readings]
    spans = [{use: value - before.get(use, 0) for use, value in after.items()} for before, after in pairwise(totals)]
    uses = {use: None for total in totals for use in total}
    return {"frequency_mhz": mhz, "air_ns": {use: [span.get(use, 0) for span in spans] for use in uses}}


def _grown(readings: Sequence[Sequence[Counters]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return how much the counters of each link or radio grew. If one restarts, it is absent or smaller than before."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for before, after in pairwise(readings):
        earlier = _by_name(before, names)
        for key, entry in _by_name(after, names).items():
            grown = _sum(entry, -1, earlier.get(key, {}), names)
            found[key] = _sum(entry if _shrinks(grown) else grown, 1, found.get(key, {}), names)
    return list(found.values())


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
