# SPDX-License-Identifier: MIT
"""The content of files made of random bytes. Standard library only: the guest writes what the plan has hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from lab.plan.streams import stream

CHUNK_BYTES = 1 << 20  # part of the format: a multiple of 4, the generator's word


def random_chunks(seed: int, name: str, size: int) -> Iterator[bytes]:
    """``size`` bytes of the stream (seed, "file", name), in pieces of at most 1 MiB."""
    generator = stream(seed, "file", name)
    for start in range(0, size, CHUNK_BYTES):
        yield generator.randbytes(min(CHUNK_BYTES, size - start))


def random_sha256(seed: int, name: str, size: int) -> str:
    """SHA-256 of those bytes, in hexadecimal."""
    digest = hashlib.sha256()
    for chunk in random_chunks(seed, name, size):
        digest.update(chunk)
    return digest.hexdigest()
