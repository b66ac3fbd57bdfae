# SPDX-License-Identifier: MIT
"""What finished trials came to, each under the key of all that it depends on (lab.experiments.run.trials.key).

    <cache>/trials/<first two digits of the key>/<key>      a finished trial

An entry is a line with a checksum of the rest, a line of JSON (key, times), and the record's JSON, compressed by zlib.
It appears by one rename, so it is there in full or not at all; what a disk did to it afterwards, the checksum tells.
``lab clean`` removes the entries like all else in the cache; those that no sweep asked for in a long time go by
themselves.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.build.cache import UNUSED_DAYS, cache_root, host_error

KIND = "trials"
_MAGIC = b"hwsim-lab trial 1 "
_PARTIAL = ".partial-"
_LEVEL = 6  # of zlib: a record shrinks to a fifth in a few milliseconds


@dataclass(frozen=True)
class Kept:
    """What is kept of a finished trial."""

    record: bytes  # its data: JSON, canonical, compressed (``pack``)
    virtual_s: float  # of its timeline
    wall_s: float  # that it took where it was run
    guest_s: float  # of those: its guest's

    def data(self) -> dict[str, Any]:
        """The data of its record."""
        data: dict[str, Any] = json.loads(zlib.decompress(self.record))
        return data


class DamagedError(Exception):
    """An entry is not what was written; says what is wrong."""


def pack(record: str) -> bytes:
    """A record's JSON, compressed: equal texts become equal bytes."""
    return zlib.compress(record.encode(), _LEVEL)


def encode(key: str, kept: Kept) -> bytes:
    """The bytes of an entry."""
    about = {"key": key, "virtual_s": kept.virtual_s, "wall_s": kept.wall_s, "guest_s": kept.guest_s}
    rest = json.dumps(about, sort_keys=True).encode() + b"\n" + kept.record
    return _MAGIC + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def decode(key: str, entry: bytes) -> Kept:
    """Inverse of ``encode``.

    Raises:
        DamagedError: it is not an entry, not whole, changed, or that of another key.
    """
    first, _, rest = entry.partition(b"\n")
    if not first.startswith(_MAGIC):
        raise DamagedError("it does not begin as a stored trial does")
    if hashlib.sha256(rest).hexdigest().encode() != first.removeprefix(_MAGIC):
        raise DamagedError("its checksum is another")
    line, _, record = rest.partition(b"\n")
    about = json.loads(line)
    if about["key"] != key:
        raise DamagedError(f"it is that of trial {about['key']}")
    return Kept(record, about["virtual_s"], about["wall_s"], about["guest_s"])


class Store:
    """All finished trials of this user."""

    def __init__(self, root: Path | None = None) -> None:
        """Use the cache, or the directory that is given instead of it."""
        self.directory = (root if root is not None else cache_root()) / KIND

    def path(self, key: str) -> Path:
        """Where the entry of that key is, or would be."""
        return self.directory / key[:2] / key

    def get(self, key: str) -> Kept | None:
        """The finished trial of that key; None if there is none. Asking counts as use.

        Raises:
            DamagedError: there is one, and it cannot be used.
        """
        path = self.path(key)
        try:
            entry = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedError(f"it cannot be read: {error.strerror}") from None
        with contextlib.suppress(OSError):  # somebody else's cache, to be read only
            os.utime(path)
        return decode(key, entry)

    def put(self, key: str, kept: Kept) -> None:
        """Keep a finished trial, in place of one that may be there.

        Raises:
            HostError: no room, or the cache cannot be written.
        """
        path = self.path(key)
        partial = path.with_name(f"{_PARTIAL}{key}-{secrets.token_hex(4)}")  # two sweeps may store the same trial
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                partial.write_bytes(encode(key, kept))
                partial.replace(path)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise host_error(error, self.directory) from error

    def prune(self, unused_days: float = UNUSED_DAYS) -> int:
        """Remove what nobody asked for in so many days, and what killed labs left half written; returns how many."""
        oldest_s = time.time() - unused_days * 86400
        removed = 0
        for path in self.directory.glob("*/*"):
            with contextlib.suppress(OSError):  # another lab was quicker
                if path.stat().st_mtime < oldest_s:
                    path.unlink()
                    removed += 1
        return removed
