# SPDX-License-Identifier: MIT
"""Say which part of a torrent is on the disk and right. Runs with the guest's Python.

    torrent.py TORRENT FOLDER

A line of JSON with the name of its file or folder; then, for each line of its stdin, one with size, pieces (all), right
(those whose hash is right), have and playable (B). A piece that was right once is not read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

HASH = 20  # bytes of SHA-1


def decode(text: bytes, at: int = 0) -> tuple[Any, int]:
    """Return a value of bencoding, and where the next one begins."""
    kind = text[at : at + 1]
    if kind == b"i":
        end = text.index(b"e", at)
        return int(text[at + 1 : end]), end + 1
    if kind in (b"l", b"d"):
        items, at = [], at + 1
        while text[at : at + 1] != b"e":
            item, at = decode(text, at)
            items.append(item)
        return items if kind == b"l" else dict(zip(items[::2], items[1::2], strict=True)), at + 1
    colon = text.index(b":", at)
    end = colon + 1 + int(text[at:colon])
    if end > len(text):
        raise ValueError("it ends within a text")
    return text[colon + 1 : end], end


class Torrent:
    """The pieces of a torrent, and its files in a folder."""

    def __init__(self, text: bytes, folder: Path) -> None:
        info = decode(text)[0][b"info"]
        self._hashes: bytes = info[b"pieces"]
        self._length: int = info[b"piece length"]
        self.name = info[b"name"].decode()
        place = folder / self.name
        files = info.get(b"files")
        if files is None:
            self._files = [(place, info[b"length"])]
        else:
            self._files = [(place.joinpath(*map(bytes.decode, one[b"path"])), one[b"length"]) for one in files]
        self.size: int = sum(length for _, length in self._files)
        self.right = [False] * (len(self._hashes) // HASH)

    def look(self) -> None:
        """Read the pieces that were not right before."""
        for number, known in enumerate(self.right):
            if not known:
                data = self._read(number * self._length, self._length)
                wanted = self._hashes[number * HASH : (number + 1) * HASH]
                self.right[number] = data is not None and hashlib.sha1(data).digest() == wanted

    def _read(self, start: int, length: int) -> bytes | None:
        """Return a part of the files one after the other; None: nothing was written there yet."""
        parts, begin = [], 0
        for path, size in self._files:
            skip = max(start - begin, 0)
            count = min(start + length, begin + size) - begin - skip
            begin += size
            if count <= 0:
                continue
            try:
                with path.open("rb", buffering=0) as file:
                    if os.lseek(file.fileno(), skip, os.SEEK_DATA) >= skip + count:
                        return None
                    parts.append(os.pread(file.fileno(), count, skip))
            except OSError:  # no such file, or nothing but a hole
                return None
        return b"".join(parts)

    def bytes_of(self, pieces: int) -> int:
        """Return the length of the first pieces."""
        return min(pieces * self._length, self.size)

    def have(self) -> int:
        """Return how many bytes are right."""
        last = len(self.right) - 1
        whole = self._length * sum(self.right)
        return whole - (self._length * (last + 1) - self.size if self.right and self.right[last] else 0)

    def playable(self) -> int:
        """Return how many bytes from the beginning are right, without a gap."""
        return self.bytes_of(self.right.index(False) if False in self.right else len(self.right))


def main() -> None:
    source, folder = map(Path, sys.argv[1:])
    torrent = Torrent(source.read_bytes(), folder)
    print(json.dumps({"name": torrent.name}), flush=True)
    for _ in sys.stdin:
        torrent.look()
        found = {"size": torrent.size, "pieces": len(torrent.right), "right": sum(torrent.right)}
        print(json.dumps({**found, "have": torrent.have(), "playable": torrent.playable()}), flush=True)


if __name__ == "__main__":
    main()
