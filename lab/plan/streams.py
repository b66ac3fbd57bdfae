# SPDX-License-Identifier: MIT
"""Named random streams: one seed, and no stream ever shifts another's draws.

Standard library only. ``random.Random`` gives the same numbers on every machine and Python version that the lab
supports (3.11 and later), which its documentation promises for ``random()`` and tests here hold for the rest.
"""

from __future__ import annotations

import hashlib
import random


def number(seed: int, purpose: str, name: str) -> int:
    """256 bits that belong to this seed, purpose (``file``, ``kernel``, …) and name (of a node, link, file)."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{purpose}/{name}".encode()).digest(), "big")


def stream(seed: int, purpose: str, name: str) -> random.Random:
    """The generator of that name."""
    return random.Random(number(seed, purpose, name))
