# SPDX-License-Identifier: MIT
"""The fuzz targets over their corpus and what is always made of it alike; ``python -m tests.sap.fuzz`` goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sap import native

MADE = {"wire": 200_000, "peer": 20_000, "channel": 2_000}


@pytest.mark.parametrize("target", native.FUZZ_TARGETS)
def test_fuzz(tmp_path: Path, target: str) -> None:
    corpus = sorted((native.FUZZ / "corpus" / target).iterdir())
    sources = [native.FUZZ / f"{target}.c", native.FUZZ / "drive.c", native.HERE / "pair.c", *native.core_sources()]
    drive = native.program(tmp_path / target, sources, native.SANITIZED)
    printed = native.run([str(drive), str(MADE[target]), *map(str, corpus)])
    assert printed == f"{len(corpus)} files, {MADE[target]} made of them\n"
