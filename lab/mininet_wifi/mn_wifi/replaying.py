# SPDX-License-Identifier: MIT
"""Nodes that repeat where others have been: each has its positions in ``node.p``."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

_SPEED_M_S = 1.0


class ReplayingMobility:
    """Moves each node from one position to the next, at its ``speed``."""

    def __init__(self, net: Any, nodes: Any = None) -> None:
        moving = nodes or [node for node in (*net.stations, *net.cars, *net.aps) if getattr(node, "p", None)]
        self._threads = [threading.Thread(target=self._replay, args=(node,), daemon=True) for node in moving]
        for thread in self._threads:
            thread.start()

    @staticmethod
    def _replay(node: Any) -> None:
        speed_m_s = float(node.params.get("speed") or _SPEED_M_S)
        here = node.p[0]
        node.setPosition(here)
        for there in node.p[1:]:
            takes_s = math.dist(here, there) / speed_m_s
            if takes_s:
                node.net.move(node, there, speed_m_s)
                time.sleep(takes_s)
            here = there
