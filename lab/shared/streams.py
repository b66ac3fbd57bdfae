# SPDX-License-Identifier: MIT
"""Named random streams: one seed, and no stream ever shifts another's draws.

Standard library only. ``random.Random`` gives the same numbers on every machine and Python version that the lab
supports (3.11 and later), which its documentation promises for ``random()`` and tests here hold for the rest.
"""

from __future__ import annotations

import hashlib
import random

_U64 = 2**64 - 1


def number(seed: int, purpose: str, name: str) -> int:
    """Return 256 bits that belong to this seed, purpose (``file``, ``kernel``, …) and name (of a node, link, file)."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{purpose}/{name}".encode()).digest(), "big")


def seed_of(seed: int, purpose: str) -> int:
    """Return 64 bits for a generator outside of Python that has its own streams."""
    return number(seed, purpose, "") & _U64


def stream_of(purpose: str, name: str) -> int:
    """Return 64 bits that name a stream of such a generator, whatever the seed."""
    return int.from_bytes(hashlib.sha256(f"{purpose}/{name}".encode()).digest(), "big") & _U64


def stream(seed: int, purpose: str, name: str) -> random.Random:
    """Return the generator of that name."""
    return random.Random(number(seed, purpose, name))
