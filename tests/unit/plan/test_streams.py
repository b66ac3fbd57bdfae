# SPDX-License-Identifier: MIT
"""Named streams and the content of random files: the same everywhere, and apart from each other."""

import hashlib

from lab.shared.random_files import CHUNK_BYTES, random_chunks, random_sha256
from lab.shared.streams import number, stream


def test_streams_are_fixed_for_ever() -> None:
    assert stream(1, "file", "x").getrandbits(64) == 2401327130576966192
    assert number(1, "file", "x") == int.from_bytes(hashlib.sha256(b"1/file/x").digest(), "big")


def test_streams_differ_by_seed_purpose_and_name() -> None:
    draws = {stream(*key).random() for key in [(1, "a", "b"), (2, "a", "b"), (1, "b", "b"), (1, "a", "c")]}
    assert len(draws) == 4


def test_content_is_random_and_no_two_mebibytes_are_the_same() -> None:
    long = b"".join(random_chunks(1, "file", 3 * CHUNK_BYTES + 50))
    assert len(long) == 3 * CHUNK_BYTES + 50
    assert long[:CHUNK_BYTES] == stream(1, "file", "file").randbytes(CHUNK_BYTES)
    pieces = [long[start : start + CHUNK_BYTES] for start in range(0, 3 * CHUNK_BYTES, CHUNK_BYTES)]
    assert len(set(pieces)) == 3
    assert {piece[8:] for piece in pieces} == {pieces[0][8:]}
    assert long[-50:-42] == (3).to_bytes(8, "big")


def test_the_hash_is_that_of_the_content() -> None:
    content = b"".join(random_chunks(3, "page", 1000))
    assert random_sha256(3, "page", 1000) == hashlib.sha256(content).hexdigest()
    assert random_sha256(3, "page", 0) == hashlib.sha256(b"").hexdigest()
    assert random_sha256(4, "page", 1000) != random_sha256(3, "page", 1000)
