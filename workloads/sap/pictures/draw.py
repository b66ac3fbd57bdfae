#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw the synthetic test picture (under the project's licence) and save it in two formats:

picture.ppm   uncompressed: a header of 15 bytes, then three bytes per pixel. A bit error changes the colour of one
              pixel; a lost datagram leaves a dark stripe.
picture.jpg   JPEG with a restart marker after each row of blocks: a decoder that has lost synchronization recovers at
              the next marker, so an error spoils the rest of a row, not the rest of the picture. All bytes before the
              first coded bit must arrive intact; the program prints their number, for `--head`.

All arithmetic is on integers, so picture.ppm is the same on every machine. picture.jpg depends on the version of the
encoder.

    python3 draw.py DIRECTORY
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WIDTH, HEIGHT = 320, 240
QUALITY = 85
Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def scene() -> Picture:
    """Draw a lake between hills in the evening, with a boat and a house: smooth areas, edges and fine texture."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    picture = np.zeros((HEIGHT, WIDTH, 3), dtype=np.int64)
    picture[...] = np.stack([60 + y * 3 // 4, 110 + y // 2, 200 - y // 3], axis=-1)  # sky
    sun = (x - 235) ** 2 + (y - 62) ** 2
    paint(picture, sun < 26**2, (255, 226, 120))
    glow = (sun >= 26**2) & (sun < 60**2)
    picture[glow, 0] += (60**2 - sun[glow]) // 60
    far = 118 + (x - 90) ** 2 // 260
    paint(picture, (y > far) & (y < 150), (86, 98, 128))
    near = 126 + (x - 250) ** 2 // 180
    paint(picture, (y > near) & (y < 150), (62, 92, 70))
    picture[(y > near) & (y < 150), 1] += (x * 7 + y * 13)[(y > near) & (y < 150)] % 23
    water = y >= 150
    picture[water] = np.stack([40 + (y - 150) // 3, 84 + (y - 150) // 2, 130 + (x // 6) % 20], axis=-1)[water]
    ripple = water & ((y * 5 + (x + y * y // 9) // 7) % 11 < 2)
    picture[ripple] += 28
    path = water & (abs(x - 235) < 6 + (y - 150) // 5) & ((y + x // 4) % 5 < 3)
    paint(picture, path, (250, 214, 140))
    house(picture, x, y)
    boat(picture, x, y)
    return np.clip(picture, 0, 255).astype(np.uint8)


def paint(picture: NDArray[np.int64], where: Mask, colour: tuple[int, int, int]) -> None:
    """Fill an area with one colour."""
    picture[where] = colour


def house(picture: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
    """Draw a house: brick walls, a roof, two lit windows."""
    wall = (abs(x - 52) < 26) & (y > 112) & (y < 152)
    paint(picture, wall, (166, 84, 62))
    paint(picture, wall & ((y % 6 == 0) | ((x + y // 6 * 5) % 10 == 0)), (196, 170, 150))
    paint(picture, (y > 86) & (y <= 112) & (abs(x - 52) < (y - 84)), (70, 44, 48))
    for middle in (40, 64):
        paint(picture, (abs(x - middle) < 6) & (abs(y - 130) < 7), (255, 236, 150))
        paint(picture, (abs(x - middle) < 1) & (abs(y - 130) < 7), (60, 40, 36))


def boat(picture: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
    """Draw a boat: a hull, a mast and two sails."""
    paint(picture, (y > 190) & (y < 206) & (abs(x - 150) < 44 - (y - 190)), (92, 52, 34))
    paint(picture, (abs(x - 150) < 2) & (y > 112) & (y <= 190), (44, 34, 30))
    paint(picture, (x > 153) & (y > 118) & (y < 186) & (x - 153 < (y - 118) // 2), (238, 236, 228))
    paint(picture, (x < 148) & (y > 130) & (y < 186) & (148 - x < (y - 130) * 2 // 5), (206, 64, 58))


def head_bytes(jpeg: bytes) -> int:
    """Return the number of bytes before the first coded bit of a JPEG: up to the end of the start of scan (SOS)."""
    place = 2  # after SOI
    while True:
        marker, length = jpeg[place + 1], int.from_bytes(jpeg[place + 2 : place + 4], "big")
        place += 2 + length
        if marker == 0xDA:  # SOS: ITU-T T.81, table B.1
            return place


def main(directory: Path) -> None:
    """Write both files."""
    picture = Image.fromarray(scene())
    picture.save(directory / "picture.ppm")
    picture.save(directory / "picture.jpg", quality=QUALITY, subsampling=0, restart_marker_rows=1)
    jpeg = (directory / "picture.jpg").read_bytes()
    print(f"picture.jpg: {len(jpeg)} bytes, {head_bytes(jpeg)} of them before the first coded bit")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
