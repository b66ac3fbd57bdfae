# SPDX-License-Identifier: MIT
"""The ``range`` of Mininet-WiFi: the power with which a radio reaches that far, by the propagation of the medium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab import units
from lab.errors import LabError
from lab.model import channels
from lab.phy.propagation.base import load, paths_between

_CHANNEL_1_MHZ = 2412
_HEIGHT_M = 1.0
_RANDOM = {"logNormalShadowing": "logDistance"}  # the model without what is random


def with_powers(entries: Sequence[Sequence[Any]], noise_dbm: float) -> list[list[Any]]:
    """Return entries of a topology in which ``txpower`` stands for each ``range``.

    ``entries``: key, value and FILE:LINE of each; ``noise_dbm``: the level at the end of a range, between antennas with
    the same gain.
    """
    medium = next((value for key, value, _ in entries if key == "medium"), None) or {}
    propagation = medium.get("propagation", {"model": "logDistance"})
    return [
        [key, _node(value, propagation, noise_dbm) if key.startswith("nodes.") else value, where]
        for key, value, where in entries
    ]


def _node(keys: dict[str, Any], propagation: dict[str, Any], noise_dbm: float) -> dict[str, Any]:
    found = _radio(keys, propagation, noise_dbm)
    if "wlans" in found:
        found["wlans"] = [_radio(one, propagation, noise_dbm) for one in found["wlans"]]
    return found


def _radio(keys: dict[str, Any], propagation: dict[str, Any], noise_dbm: float) -> dict[str, Any]:
    if "range" not in keys:
        return dict(keys)
    found = {key: value for key, value in keys.items() if key != "range"}
    channel = (keys.get("adhoc") or keys).get("channel", 1)
    try:
        loss_db = _loss_db(float(keys["range"]), propagation, channel)
    except (LabError, TypeError, ValueError):  # reported where the propagation is written
        return found
    power_dbm = noise_dbm + loss_db - 2 * units.GAIN.parse(keys.get("antenna_gain", "0 dBi"))
    return {**found, "txpower": f"{power_dbm:.4g} dBm"}


def _loss_db(range_m: float, propagation: dict[str, Any], channel: Any) -> float:
    model = str(propagation["model"])
    given = {key: _number(value) for key, value in propagation.items() if key not in ("model", "variance")}
    mhz = channels.frequency_mhz(int(channel)) or _CHANNEL_1_MHZ
    ends = [[0.0, 0.0, _HEIGHT_M], [range_m, 0.0, _HEIGHT_M]]
    made = load(_RANDOM.get(model, model), **given)
    return float(made.loss_db(paths_between(ends, mhz, ["sender", "receiver"], 1))[0, 1])


def _number(value: Any) -> Any:
    return units.RATIO.parse(value) if isinstance(value, str) else value
