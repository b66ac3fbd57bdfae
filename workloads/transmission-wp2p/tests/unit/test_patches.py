# SPDX-License-Identifier: MIT
"""The patches of the client."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

STACK = Path(__file__).parents[2]


def test_the_series_names_every_patch_once_and_each_has_its_licence() -> None:
    listed = [line.split()[0] for line in (STACK / "patches" / "series").read_text().splitlines() if line[:1] != "#"]
    assert sorted(listed) == sorted(path.name for path in (STACK / "patches").glob("*.patch"))
    for name in listed:
        first = (STACK / "patches" / name).read_text().splitlines()[0]
        assert first == "SPDX-License-Identifier: GPL-2.0-only OR GPL-3.0-only"


def test_a_library_of_another_version_than_the_source_is_refused(tmp_path: Path) -> None:
    for name in ("installed", "source"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "torrent.h").write_text("struct torrent;")
    (tmp_path / "installed" / "version.h").write_text("made by the build")
    command = [STACK / "same-headers", tmp_path / "installed", tmp_path / "source"]
    assert subprocess.run(command, check=True).returncode == 0
    (tmp_path / "source" / "torrent.h").write_text("struct torrent; struct peer;")
    with pytest.raises(subprocess.CalledProcessError) as failure:
        subprocess.run(command, check=True, capture_output=True, text=True)
    assert "libtransmission-dev has another version than the image peer: torrent.h differs" in failure.value.stderr
