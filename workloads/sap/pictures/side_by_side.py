# SPDX-License-Identifier: MIT
"""Put the received pictures of a run side by side, for a paper or a slide; report.html shows them too.

python -m workloads.sap.pictures.side_by_side RUN PNG    RUN: the directory of a run of sap/picture, such as runs/latest
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from ..metrics._pictures import decode

GAP_PIXELS = 10


def side_by_side(run: Path) -> Image.Image:
    """Join the picture received precisely and the one received approximately.

    Raises:
        SystemExit: If a picture is missing or cannot be decoded.
    """
    found = []
    for name in ("precise", "approximate"):
        path = run / "raw" / f"{name}.received"
        image = decode(path) if path.is_file() else None
        if image is None:
            raise SystemExit(f"{path} is missing or not a picture; run: lab run approximate-link sap/picture")
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
    side_by_side(Path(sys.argv[1])).save(sys.argv[2], optimize=True)
