# SPDX-License-Identifier: MIT
"""Puts the pictures that arrived in a run beside each other, for a paper or a slide; report.html has them anyway.

python -m workloads.sap.pictures.beside RUN PNG       RUN: the directory of a run of sap/picture, such as runs/latest
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from ..metrics._pictures import decode

GAP_PIXELS = 10


def beside(run: Path) -> Image.Image:
    """What arrived precisely, and what arrived approximately, as far as they can be decoded.

    Raises:
        SystemExit: the run has no such picture.
    """
    found = []
    for name in ("precise", "approximate"):
        path = run / "raw" / f"{name}.received"
        image = decode(path) if path.is_file() else None
        if image is None:
            raise SystemExit(f"{path} is no picture; run: lab run approximate-link sap/picture")
        found.append(image)
    width = sum(image.width for image in found) + GAP_PIXELS * (len(found) - 1)
    whole = Image.new("RGB", (width, max(image.height for image in found)), "white")
    left = 0
    for image in found:
        whole.paste(image, (left, 0))
        left += image.width + GAP_PIXELS
    return whole


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    beside(Path(sys.argv[1])).save(sys.argv[2], optimize=True)
