# SPDX-License-Identifier: MIT
"""What a failed trial leaves arrives at the user's."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from lab.experiments.run.trials import LEFT_OUT, pack_directory, unpack_directory


def test_a_directory_arrives_as_it_was_and_in_place_of_an_older_one(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "raw").mkdir(parents=True)
    (here / "console.log").write_text("panic")
    (here / "raw" / "ping.out").write_bytes(b"\0\xff")
    (here / "raw" / "elsewhere").symlink_to("/etc/passwd")
    there.mkdir()
    (there / "old").touch()
    unpack_directory(pack_directory(here), there)
    found = {str(path.relative_to(there)): path.read_bytes() for path in there.rglob("*") if path.is_file()}
    assert found == {"console.log": b"panic", "raw/ping.out": b"\0\xff"}


def test_what_is_too_large_stays_and_is_listed(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "air.pcapng").write_bytes(bytes(1000))
    (here / "console.log").write_bytes(bytes(10))
    unpack_directory(pack_directory(here, limit_bytes=100), there)
    assert {path.name for path in there.iterdir()} == {"console.log", LEFT_OUT}
    assert (there / LEFT_OUT).read_text() == "air.pcapng: 1000 bytes\n"


def test_nothing_is_written_elsewhere(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("../outside", "mine")
    unpack_directory(buffer.getvalue(), tmp_path / "there")
    assert not (tmp_path / "outside").exists()
