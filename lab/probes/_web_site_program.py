# SPDX-License-Identifier: MIT
"""Make a page with pictures, and serve it. Runs with the guest's Python.

    web-site.py SETTINGS COMMAND…    SETTINGS: a JSON object, see the probe web-site

The page is a column of blocks. Each has a picture and some text; so many of them as are to be on the screen fill it,
whatever its size. Prints one line of JSON: how many objects there are, with the page itself, their bytes, and a hash of
them all. Then the command, a web server, takes the place of this program.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

WIDTH = 64  # pixels of a picture
WORDS = (
    "line",
    "page",
    "wave",
    "tower",
    "radio",
    "screen",
    "packet",
    "window",
    "queue",
    "letter",
    "the",
    "of",
    "and",
    "a",
)
HEAD = """\
<!doctype html>
<meta charset="utf-8">
<title>A page</title>
<style>
body {{ margin: 0; display: flex; flex-direction: column; font: 12px sans-serif; }}
div {{ flex: none; height: calc(100vh / {on_screen} + 1px); overflow: hidden; }}
img {{ float: left; width: 30%; height: 100%; }}
</style>
"""
BLOCK = '<div style="order: {place}"><img src="{name}"><p>{text}</p></div>\n'
NO_PICTURE = 57  # bytes of a picture with no pixels


def chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def picture(size: int, noise: random.Random) -> bytes:
    """Return a PNG of exactly so many bytes, with pixels that cannot be compressed."""
    rows = (size - NO_PICTURE - 14) // (WIDTH + 2)
    while True:
        pixels = b"".join(b"\0" + noise.randbytes(WIDTH) for _ in range(rows))
        header = struct.pack(">IIBBBBB", WIDTH, rows, 8, 0, 0, 0, 0)
        parts = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(pixels, 0))]
        left = size - sum(len(part) for part in parts) - 12
        if left >= 14:
            return b"".join([*parts, chunk(b"tEXt", b"a\0" + b"-" * (left - 14)), chunk(b"IEND", b"")])
        rows -= 1


def places(objects: int, on_screen: int, order: str) -> list[int]:
    """Return, for each object in the order of the HTML, its place on the page, from the top."""
    if order == "top" or not on_screen:
        return list(range(objects))
    above, below = iter(range(on_screen)), iter(range(on_screen, objects))
    visible = [(one + 1) * on_screen // objects > one * on_screen // objects for one in range(objects)]
    return [next(above) if one else next(below) for one in visible]


def text(size: int, noise: random.Random) -> str:
    """Return so many bytes of words."""
    found: list[str] = []
    length = -1
    while length < size:
        found.append(noise.choice(WORDS))
        length += 1 + len(found[-1])
    return " ".join(found)[:size]


def page(settings: dict[str, Any], names: list[str], noise: random.Random) -> bytes:
    """Return the HTML; longer than it was to be only if the pictures' tags need it."""
    where = places(len(names), settings["on_screen"], settings["order"])
    blocks = [BLOCK.format(place=place, name=name, text="{}") for place, name in zip(where, names, strict=True)]
    head = HEAD.format(on_screen=settings["on_screen"] or 1)
    if names and not settings["on_screen"]:
        head += '<div style="order: -1"></div>\n'
    left = max(0, settings["html"] - len(head) - sum(len(block) - 2 for block in blocks))
    share = left // max(1, len(blocks))
    body = "".join(block.replace("{}", text(share, noise)) for block in blocks)
    return (head + body).encode().ljust(settings["html"], b"\n")


def site(settings: dict[str, Any]) -> dict[str, bytes]:
    """Return the files of the site, by their path in URLs."""
    names = [f"{number}.png" for number in range(1, settings["objects"] + 1)]
    noise = random.Random(settings["seed"])
    files = {f"/{name}": picture(settings["object"], noise) for name in names}
    return {"/": page(settings, names, noise), **files}


def digest(files: dict[str, bytes]) -> str:
    """Return a hash of all files and their paths, as the program browse computes it."""
    lines = (f"{path} {hashlib.sha256(content).hexdigest()}\n" for path, content in sorted(files.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def main() -> None:
    settings: dict[str, Any] = json.loads(sys.argv[1])
    folder = Path(settings["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    files = site(settings)
    for path, content in files.items():
        (folder / (path[1:] or "index.html")).write_bytes(content)
    size = sum(len(content) for content in files.values())
    print(json.dumps({"objects": len(files), "bytes": size, "sha256": digest(files)}), flush=True)
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: {error.strerror}")


if __name__ == "__main__":
    main()
