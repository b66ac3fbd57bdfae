# SPDX-License-Identifier: MIT
"""Writes hwsim-patches/tested: scripts/test calls it when the whole test suite has passed."""

from __future__ import annotations

import re
import sys

from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import KernelSource, ensure_source
from lab.cache.report import LineReport
from lab.checkout import checkout


def note(series: PatchSeries, source: KernelSource) -> bool:
    """Write source and series into ``tested``; return whether it named others."""
    series_sha256 = series.sha256()
    if series.tested.names(source.sha256, series_sha256):
        return False
    path = series.directory / "tested"
    text = path.read_text()
    for word, value in {"package": source.version, "sha256": source.sha256, "series": series_sha256}.items():
        text = re.sub(rf"(?m)^{word} .*$", f"{word} {value}", text)
    path.write_text(text)
    return True


def main() -> int:
    """Write the note; print it if it has changed."""
    checkout("hwsim-patches/tested")
    if note(PatchSeries(), ensure_source(LineReport())):
        print("hwsim-patches/tested names this kernel now: commit it with your change")
    return 0


if __name__ == "__main__":
    sys.exit(main())
