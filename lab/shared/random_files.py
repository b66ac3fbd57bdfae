# SPDX-License-Identifier: MIT
"""The content of files made of random bytes. Standard library only: the guest writes what the plan has hashed.

One mebibyte is drawn; each further one repeats it behind its own number. No two differ by less than that, what
compresses a file by less than a mebibyte's memory finds nothing, and 64 MiB cost a twentieth of drawing them all
(0.01 s instead of 0.2 s, on the host and again in the guest).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache

from lab.shared.streams import stream

CHUNK_BYTES = 1 << 20  # part of the format
NUMBER_BYTES = 8


def random_chunks(seed: int, name: str, size: int) -> Iterator[bytes]:
    """Yield ``size`` bytes of the stream (seed, "file", name), in pieces of at most 1 MiB."""
    block = bytearray(stream(seed, "file", name).randbytes(min(CHUNK_BYTES, size)))
    for start in range(0, size, CHUNK_BYTES):
        if start:
            block[:NUMBER_BYTES] = (start // CHUNK_BYTES).to_bytes(NUMBER_BYTES, "big")
        yield bytes(block[: size - start])


@lru_cache(256)  # the points of an experiment have the same files
def random_sha256(seed: int, name: str, size: int) -> str:
    """Return the SHA-256 of those bytes, in hexadecimal."""
    digest = hashlib.sha256()
    for chunk in random_chunks(seed, name, size):
        digest.update(chunk)
    return digest.hexdigest()
