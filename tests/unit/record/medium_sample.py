# SPDX-License-Identifier: MIT
"""A small medium of a plan, and what a guest tells of it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from lab.shared.frozen import fields_of
from lab.shared.medium_types import AccessCounts, Medium, MediumRadio

SECOND = 1_000_000_000
KINDS = ("idle", "data", "mgmt", "control", "ifs", "backoff", "overlap")
COUNTS = ("sent", "retries", "delivered", "damaged", "collided", "lost", "acked", "dropped", "bytes")

PLAN: dict[str, Any] = dataclasses.asdict(
    Medium(
        seed=1,
        errors="nist",
        bursts=False,
        propagation={"model": "friis", "sL": 1.0},
        fading=None,
        walls=[],
        step_ns=SECOND,
        statistics_ns=SECOND,
        capture_mb=None,
        curves=[],
        fadings=[],
        radios=[MediumRadio("ap1", 0, 1, -9400, -6200, 5484, 0)],
        links=[],
        updates=[],
    )
)


def channel(mhz: int, *air_ms: int) -> dict[str, Any]:
    return {
        "frequency_mhz": mhz,
        "t_ns": 0,
        "air_ns": {kind: ms * 1_000_000 for kind, ms in zip(KINDS, air_ms, strict=True)},
    }


def link(one: str, other: str, *counts: int) -> dict[str, Any]:
    """All of it best effort; no header was wrong, nobody away, nothing taken damaged."""
    found = {**dict(zip(COUNTS, counts, strict=True)), "header": 0, "away": 0, "approximate": 0, "repeated": 0}
    return {"from": one, "to": other, **found, "be": found}


def radio(node: str, *best_effort: int) -> dict[str, Any]:
    none = dict.fromkeys(fields_of(AccessCounts) or (), 0)
    return {"node": node, "vo": none, "vi": none, "be": none | dict(zip(none, best_effort, strict=False)), "bk": none}


def look(second: int, channels: list[Any], links: list[Any], radios: list[Any]) -> dict[str, Any]:
    return {"t_ns": second * SECOND, "channels": channels, "links": links, "radios": radios}


LOOKS = [
    look(0, [channel(2412, 900, 50, 50, 0, 0, 0, 0)], [link("ap1", "sta1", 3, 0, 3, 0, 0, 0, 3, 0, 300)], []),
    look(
        1,
        [channel(2412, 1300, 450, 50, 100, 50, 30, 20), channel(2437, 100, 0, 0, 0, 0, 0, 0)],
        [link("ap1", "sta1", 13, 1, 12, 0, 1, 0, 12, 0, 10_300)],
        [radio("ap1", 10, 9, 0, SECOND)],
    ),
    look(
        2,
        [channel(2412, 1300, 1250, 50, 200, 100, 60, 40), channel(2437, 1090, 0, 10, 0, 0, 0, 0)],
        [
            link("ap1", "sta1", 23, 2, 20, 1, 1, 1, 20, 1, 20_300),
            link("ap1", "sta2", 10, 0, 10, 0, 0, 0, 10, 0, 10_000),
            link("sta1", "ap1", 0, 0, 0, 0, 0, 0, 0, 0, 0),
        ],
        [radio("ap1", 20, 18, 1, 2 * SECOND), radio("sta1", 0, 0, 0, 0)],
    ),
]
TEXT = json.dumps({"looks": LOOKS})
