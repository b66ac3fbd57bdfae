# SPDX-License-Identifier: MIT
"""``python -m tests.shown.flagship``: draw docs/images/report.png again, figures of the flagship's report."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from tests.shown.pictures import IMAGES, LAB, ROOT

FIGURES = ("goodput", "signal", "rx-bitrate")
_WIDTH = 1200


def main() -> None:
    """Run the flagship, draw its figures as PNG, and put three of them below each other."""
    with tempfile.TemporaryDirectory(prefix="flagship-") as folder:
        for arguments in (("run", "two-aps-handoff", "http/download", "--out", folder), ("report", folder, "--png")):
            subprocess.run([*LAB, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        figures = [Image.open(Path(folder) / "plots" / f"{name}.png").convert("RGB") for name in FIGURES]
        heights = [figure.height * _WIDTH // figure.width for figure in figures]
        picture = Image.new("RGB", (_WIDTH, sum(heights)), "white")
        top = 0
        for figure, height in zip(figures, heights, strict=True):
            picture.paste(figure.resize((_WIDTH, height), Image.Resampling.LANCZOS), (0, top))
            top += height
    picture.save(IMAGES / "report.png", optimize=True)


if __name__ == "__main__":
    main()
