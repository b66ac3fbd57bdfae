# SPDX-License-Identifier: MIT
"""The ``range`` of Mininet-WiFi: the power with which a radio reaches that far, by the propagation of the medium."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

from lab import units
from lab.errors import LabError
from lab.model import channels
from lab.phy.propagation.base import load, paths_between

_CHANNEL_1_MHZ = 2412
_HEIGHT_M = 1.0
_NEAREST_M, _FARTHEST_M, _EXACT = 0.1, 100_000.0, 1.001  # between which a range is looked for, and how exactly
_RANDOM = {"logNormalShadowing": "logDistance"}  # the model without what is random


class Powers:
    """Powers and ranges of the radios of a topology.

    ``entries``: key, value and FILE:LINE of each; ``noise_dbm``: the level at the end of a range, between antennas with
    the same gain.
    """

    def __init__(self, entries: Sequence[Sequence[Any]], noise_dbm: float) -> None:
        medium = next((value for key, value, _ in entries if key == "medium"), None) or {}
        self._entries = entries
        self._propagation = medium.get("propagation", {"model": "logDistance"})
        self._noise_dbm = noise_dbm
        self._radios: dict[str, dict[str, Any]] = {}

    def entries(self) -> list[list[Any]]:
        """Return the entries in which ``txpower`` stands for each ``range``."""
        return [
            [key, self._node(key, value) if key.startswith("nodes.") else value, where]
            for key, value, where in self._entries
        ]

    def power_dbm(self, radio: str, range_m: float) -> float:
        """Return the power with which a radio reaches so far."""
        keys = self._radios[radio]
        loss_db = _loss_db(range_m, self._propagation, (keys.get("adhoc") or keys).get("channel", 1))
        return self._noise_dbm + loss_db - 2 * units.GAIN.parse(keys.get("antenna_gain", "0 dBi"))

    def ranges(self) -> dict[str, float]:
        """Return how far each radio with a power reaches, in m."""
        return {name: self._range_m(name, keys) for name, keys in self._radios.items() if "txpower" in keys}

    def _range_m(self, radio: str, keys: dict[str, Any]) -> float:
        power_dbm = float(str(keys["txpower"]).removesuffix("dBm"))
        near, far = _NEAREST_M, _FARTHEST_M
        while far / near > _EXACT:
            middle = math.sqrt(near * far)
            near, far = (middle, far) if self.power_dbm(radio, middle) <= power_dbm else (near, middle)
        return near

    def _node(self, key: str, keys: dict[str, Any]) -> dict[str, Any]:
        name = key.partition(".")[2]
        found = self._radio(name, keys)
        if "wlans" in found:
            first = 2 if keys.get("kind") == "ap" else 1
            further = enumerate(found["wlans"], first)
            found["wlans"] = [self._radio(f"{name}-wlan{number}", one) for number, one in further]
        return found

    def _radio(self, name: str, keys: dict[str, Any]) -> dict[str, Any]:
        self._radios[name] = found = {key: value for key, value in keys.items() if key != "range"}
        if "range" in keys:
            with contextlib.suppress(LabError, TypeError, ValueError):  # reported where the propagation is written
                found["txpower"] = f"{self.power_dbm(name, float(keys['range'])):.4g} dBm"
        return dict(found)


def _loss_db(range_m: float, propagation: dict[str, Any], channel: Any) -> float:
    model = str(propagation["model"])
    given = {key: _number(value) for key, value in propagation.items() if key not in ("model", "variance")}
    mhz = channels.frequency_mhz(int(channel)) or _CHANNEL_1_MHZ
    ends = [[0.0, 0.0, _HEIGHT_M], [range_m, 0.0, _HEIGHT_M]]
    made = load(_RANDOM.get(model, model), **given)
    return float(made.loss_db(paths_between(ends, mhz, ["sender", "receiver"], 1))[0, 1])


def _number(value: Any) -> Any:
    return units.RATIO.parse(value) if isinstance(value, str) else value
