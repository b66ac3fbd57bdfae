# SPDX-License-Identifier: MIT
"""What may explain a result without being a failure, such as nodes that ran out of memory or may change the guest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.numbers import count
from lab.units import SIZE


def remarks(data: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each; a shell or a browser continues when one of its processes is killed.

    Args:
        data: content of record.json (lab.record.record.Record).
    """
    kills = data.get("memory_kills", {})
    nodes = data["plan"]["nodes"]
    return (
        [
            f"{node['source']}: {node['name']} ran out of memory ({SIZE.format(node['memory_bytes'])}), and the kernel "
            f"killed {count(kills[node['name']], 'program')} there; write a larger memory: for it"
            for node in nodes
            if node["name"] in kills
        ]
        + [
            f"{node['source']}: {node['name']} is privileged: its programs could change other nodes and this result"
            for node in nodes
            if node.get("privileged")
        ]
        + [
            f"roam at {one['t_ns'] / 1e9:g} s: {one['station']} had not joined {one['ap']} when the run ended; the "
            f"last message of its wpa_supplicant: {one['last']}"
            for one in data.get("unfinished", [])
        ]
        + [
            f"{node['source']}: hostapd on {node['name']} swapped the two channels of its 40 MHz, since another "
            "network has beacons in the secondary one; that is now its primary channel"
            for node in nodes
            if node["name"] in data.get("swapped_channels", [])
        ]
    )
