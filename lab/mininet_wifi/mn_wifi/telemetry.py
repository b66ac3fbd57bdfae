# SPDX-License-Identifier: MIT
"""Values of nodes in a file: ``telemetry(nodes, data_type='rssi')``."""

from typing import Any


def telemetry(nodes: Any, **params: Any) -> None:
    """Write them."""
    nodes[0].net.telemetry(nodes=nodes, **params)
