# SPDX-License-Identifier: MIT
"""Results of finished trials, by the key of everything that they depend on (lab.experiments.run.trials.key).

    <cache>/trials/<first two digits of the key>/<key>      a finished trial

An entry is a line with a checksum of the rest, a line of JSON (key, times), and the record's JSON, compressed by zlib.
One rename publishes it, so it is complete or absent; the checksum detects later damage by the disk.
``lab clean`` removes the entries like the rest of the cache; entries that no sweep has used for a long time are removed
automatically.
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

from lab.cache.store import UNUSED_DAYS, cache_root, host_error

SHELF = "trials"
_MAGIC = b"hwsim-lab trial 1 "
_PARTIAL = ".partial-"
_LEVEL = 6  # of zlib: reduces a record to a fifth in a few milliseconds


@dataclass(frozen=True)
class Kept:
    """The stored result of a finished trial."""

    record: bytes  # its data: JSON, canonical, compressed (``pack``)
    virtual_s: float  # of its timeline
    wall_s: float  # of the trial, on its worker
    guest_s: float  # of these: its guest's

    def data(self) -> dict[str, Any]:
        """Return the content of its record."""
        data: dict[str, Any] = json.loads(zlib.decompress(self.record))
        return data


class DamagedError(Exception):
    """An entry is damaged; the message describes how."""


def pack(record: str) -> bytes:
    """Compress a record's JSON: equal texts give equal bytes."""
    return zlib.compress(record.encode(), _LEVEL)


def encode(key: str, kept: Kept) -> bytes:
    """Return the bytes of an entry."""
    about = {"key": key, "virtual_s": kept.virtual_s, "wall_s": kept.wall_s, "guest_s": kept.guest_s}
    rest = json.dumps(about, sort_keys=True).encode() + b"\n" + kept.record
    return _MAGIC + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def decode(key: str, entry: bytes) -> Kept:
    """Return the entry of these bytes: the inverse of ``encode``.

    Raises:
        DamagedError: If it is not an entry, is truncated or changed, or has another key.
    """
    first, _, rest = entry.partition(b"\n")
    if not first.startswith(_MAGIC):
        raise DamagedError("it does not start like a stored trial")
    if hashlib.sha256(rest).hexdigest().encode() != first.removeprefix(_MAGIC):
        raise DamagedError("its checksum does not match")
    line, _, record = rest.partition(b"\n")
    about = json.loads(line)
    if about["key"] != key:
        raise DamagedError(f"it belongs to trial {about['key']}")
    return Kept(record, about["virtual_s"], about["wall_s"], about["guest_s"])


class TrialStore:
    """All finished trials of this user."""

    def __init__(self, root: Path | None = None) -> None:
        """Open the store below ``root``, by default in the cache."""
        self.directory = (root if root is not None else cache_root()) / SHELF

    def path(self, key: str) -> Path:
        """Return the path of the entry of that key, whether it exists or not."""
        return self.directory / key[:2] / key

    def get(self, key: str) -> Kept | None:
        """Return the finished trial of that key; None without an entry. Reading counts as use.

        Raises:
            DamagedError: If its entry cannot be used.
        """
        path = self.path(key)
        try:
            entry = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedError(f"it cannot be read: {error.strerror}") from None
        with contextlib.suppress(OSError):  # another user's cache, which is read-only
            os.utime(path)
        return decode(key, entry)

    def put(self, key: str, kept: Kept) -> None:
        """Store a finished trial; replace an existing one.

        Raises:
            HostError: If space is missing, or the cache cannot be written.
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
        """Remove entries unused for so many days, and partial ones of killed labs; return their number."""
        oldest_s = time.time() - unused_days * 86400
        removed = 0
        for path in self.directory.glob("*/*"):
            with contextlib.suppress(OSError):  # another lab has removed it
                if path.stat().st_mtime < oldest_s:
                    path.unlink()
                    removed += 1
        return removed
