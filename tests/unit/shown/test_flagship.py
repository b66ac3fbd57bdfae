# SPDX-License-Identifier: MIT
"""README's picture is of the run whose tables README shows."""

from __future__ import annotations

import re

from PIL import Image

from tests.shown.flagship import DESCRIPTION, PICTURE
from tests.shown.pictures import ROOT

_TRANSFER = re.compile(r"^ fetch [^(\n]*\(64 MiB\) +(?P<time>[\d.]+) +(?P<goodput>[\d.]+) ", re.MULTILINE)


def test_the_picture_is_of_the_run_that_readme_shows() -> None:
    shown = _TRANSFER.search((ROOT / "README.md").read_text())
    assert shown is not None
    with Image.open(PICTURE) as picture:
        title, *_ = str(picture.info[DESCRIPTION]).splitlines()
    drawn = re.fullmatch(r"fetch: 64 MiB in ([\d.]+) s, ([\d.]+) Mbit/s on average", title)
    assert drawn is not None
    for number, key in zip(drawn.groups(), ("time", "goodput"), strict=True):
        assert abs(float(number) - float(shown[key])) <= 0.055, "python -m tests.shown.flagship draws it again"
