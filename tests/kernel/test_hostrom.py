# SPDX-License-Identifier: MIT
"""hostrom= offers files of the host as block devices: their bytes, whole sectors of them, and no way to change them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.kernel.first_program import initrd_of
from tests.kernel.test_kunit import boot

pytestmark = pytest.mark.guest


def checksum(content: bytes) -> str:
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


@pytest.fixture(scope="module")
def initrd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that holds tests/kernel/rom.c as /init."""
    return initrd_of("rom.c", tmp_path_factory.mktemp("rom"))


def reported(initrd: Path, place: Path, *files: Path) -> tuple[list[str], str]:
    """What the program printed, and the whole log."""
    log = boot(place, f"initrd={initrd}", "root=/dev/ram0", "quiet", *(f"hostrom={file}" for file in files))
    return [line.removeprefix("rom: ") for line in log.splitlines() if line.startswith("rom: ")], log


def test_files_are_read_whole_and_do_not_change(initrd: Path, tmp_path: Path) -> None:
    contents = [random.Random(seed).randbytes(size) for seed, size in enumerate((100_352, 512, 1023))]
    files = [tmp_path / f"{number}" for number in range(3)]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    lines, log = reported(initrd, tmp_path, *files)
    for number, content in enumerate(contents):
        whole = content[: len(content) // 512 * 512]  # sectors
        assert f"{number}: {len(whole)} bytes, {checksum(whole)}, behind them 0" in lines, log
        assert f"{number}: write: Operation not permitted" in lines, log
        assert files[number].read_bytes() == content
    assert "3: No such file or directory" in lines


def test_files_that_cannot_be_mapped_are_reported(initrd: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "good").write_bytes(bytes(512))
    files = [tmp_path / "nowhere", tmp_path / "empty", tmp_path, *[tmp_path / "good"] * 14]
    lines, log = reported(initrd, tmp_path, *files)
    assert f"hostrom: {files[0]}: error -2" in log
    assert f"hostrom: {files[1]}: error -22" in log
    assert f"hostrom: {files[2]}: error -19" in log  # a directory
    assert f"hostrom={files[-1]}: there are 16 files already" in log
    for number in range(3, 16):
        assert f"{number}: 512 bytes, {checksum(bytes(512))}, behind them 0" in lines, log
    assert [line for line in lines if "No such" in line] == [f"{n}: No such file or directory" for n in (0, 1, 2, 16)]
