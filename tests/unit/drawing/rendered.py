# SPDX-License-Identifier: MIT
"""What other programs make of a drawing, and how far two pictures of it are apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lab.drawing.paper import SCALE

TILE = 8  # pixels; smaller differences are those of two programs that smooth letters, each in its own way


def rsvg(svg: Path) -> Path:
    """What librsvg makes of it, as GNOME, MediaWiki and ImageMagick do; in the size of our PNG."""
    made = svg.with_suffix(".rsvg.png")
    subprocess.run(["rsvg-convert", "--zoom", str(SCALE), "--output", made, svg], check=True)
    return made


def size(picture: Path) -> tuple[int, int]:
    with Image.open(picture) as image:
        return image.size


def grey(picture: Path) -> NDArray[np.float64]:
    """The mean of each tile, from 0 (black) to 255."""
    with Image.open(picture) as image:
        paper = Image.new("RGBA", image.size, "white")
        pixels = np.asarray(Image.alpha_composite(paper, image.convert("RGBA")).convert("L"), dtype=np.float64)
    high, wide = (length // TILE * TILE for length in pixels.shape)
    tiles: NDArray[np.float64] = pixels[:high, :wide].reshape(high // TILE, TILE, wide // TILE, TILE).mean(axis=(1, 3))
    return tiles


def apart(one: Path, other: Path) -> float:
    """The mean difference of the tiles that are not white in both."""
    first, second = grey(one), grey(other)
    drawn = np.minimum(first, second) < 254
    return float(np.abs(first - second)[drawn].mean())
