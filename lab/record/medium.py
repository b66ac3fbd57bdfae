# SPDX-License-Identifier: MIT
"""What happened on the medium, from raw/medium.json: differences between the looks that the guest took."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from lab.errors import RecordError

FILE_NAME = "medium.json"
Look = Mapping[str, Any]


def read(raw: Path) -> dict[str, Any] | None:
    """The medium of a run; None where the guest left nothing of it.

    Returns:
        ``t_ns``: when the guest looked. ``channels``: for each ``frequency_mhz``, ``air_ns`` has for each kind of
        use the time between one look and the next, one value less than looks. ``links``: frames ``from`` one node
        ``to`` another between the first look and the last. ``radios``: attempts of each ``node`` by access category,
        likewise.

    Raises:
        RecordError: the file is damaged.
    """
    path = raw / FILE_NAME
    try:
        looks = json.loads(path.read_text(encoding="utf-8"))["looks"]
        return _between(looks) if looks else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path} cannot be read: {error!r}") from None


def _between(looks: Sequence[Look]) -> dict[str, Any]:
    first, last = looks[0], looks[-1]
    return {
        "t_ns": [look["t_ns"] for look in looks],
        "channels": [_channel(mhz, looks) for mhz in sorted({mhz for look in looks for mhz in _airs(look)})],
        "links": _grown(first["links"], last["links"], ("from", "to")),
        "radios": _grown(first["radios"], last["radios"], ("node",)),
    }


def _airs(look: Look) -> dict[int, Mapping[str, int]]:
    """What the time of each channel went to, by frequency; a channel is told of from its first use on."""
    return {channel["frequency_mhz"]: channel["air_ns"] for channel in look["channels"]}


def _channel(mhz: int, looks: Sequence[Look]) -> dict[str, Any]:
    totals = [_airs(look).get(mhz, {}) for look in looks]
    spans = [{kind: value - before.get(kind, 0) for kind, value in after.items()} for before, after in pairwise(totals)]
    kinds = {kind: None for total in totals for kind in total}
    return {"frequency_mhz": mhz, "air_ns": {kind: [span.get(kind, 0) for span in spans] for kind in kinds}}


def _grown(before: Sequence[Look], after: Sequence[Look], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """How much the counters of each link or radio grew."""
    earlier = {tuple(entry[name] for name in names): entry for entry in before}
    return [_difference(earlier.get(tuple(entry[name] for name in names), {}), entry, names) for entry in after]


def _difference(before: Look, after: Look, names: tuple[str, ...] = ()) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in after.items():
        if key in names:
            found[key] = value
        elif isinstance(value, Mapping):
            found[key] = _difference(before.get(key, {}), value)
        else:
            found[key] = value - before.get(key, 0)
    return found
