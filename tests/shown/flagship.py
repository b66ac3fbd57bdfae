# SPDX-License-Identifier: MIT
"""``python -m tests.shown.flagship``: draw docs/images/report.png again, figures of the flagship's report.

The picture contains the titles of its figures as text, by which a test compares it with README.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from html import unescape
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.shown.pictures import LAB, ROOT

FIGURES = ("goodput", "signal", "rx-bitrate")
PICTURE = ROOT / "docs" / "images" / "report.png"
DESCRIPTION = "Description"
_WIDTH = 1200
_TITLE = re.compile(r'aria-label="([^"]*)"')


def main() -> None:
    """Run the flagship, draw its figures as PNG, and put three of them below each other."""
    with tempfile.TemporaryDirectory(prefix="flagship-") as folder:
        for arguments in (("run", "two-aps-handoff", "http/download", "--out", folder), ("report", folder, "--png")):
            subprocess.run([*LAB, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        plots = [Path(folder) / "plots" / name for name in FIGURES]
        figures = [Image.open(plot.with_suffix(".png")).convert("RGB") for plot in plots]
        titles = [unescape(_TITLE.findall(plot.with_suffix(".svg").read_text())[0]) for plot in plots]
        heights = [figure.height * _WIDTH // figure.width for figure in figures]
        picture = Image.new("RGB", (_WIDTH, sum(heights)), "white")
        top = 0
        for figure, height in zip(figures, heights, strict=True):
            picture.paste(figure.resize((_WIDTH, height), Image.Resampling.LANCZOS), (0, top))
            top += height
    info = PngInfo()
    info.add_itxt(DESCRIPTION, "\n".join(titles))
    picture.save(PICTURE, optimize=True, pnginfo=info)


if __name__ == "__main__":
    main()
