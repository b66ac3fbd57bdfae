# SPDX-License-Identifier: MIT
"""Files that a probe's tool writes for the host are handed over as open descriptors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.guest import processes
from lab.shared.types import Process


def _probe(*argv: str) -> Process:
    return Process("capture@sta1", "capture", "sta1", 0, list(argv), "tcpdump", {}, None, None, False)


def test_each_file_is_a_descriptor_in_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "RAW", tmp_path)
    own = "/lab/raw/capture@sta1"
    argv, files = processes.with_open_files(
        _probe("tool", "-w", f"{own}.pcap", f"--keep={own}.sent", f"{own}.pcap", "/tmp/x")
    )
    assert argv == ["tool", "-w", "/dev/fd/3", "--keep=/dev/fd/4", "/dev/fd/3", "/tmp/x"]
    for number, file in enumerate(files):
        assert file >= 64
        os.write(file, b"%d" % number)
        os.close(file)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "capture@sta1.pcap": "0",
        "capture@sta1.sent": "1",
    }


def test_files_of_others_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "RAW", tmp_path)
    words = ["tool", "/lab/raw/capture@sta2.pcap", "/lab/raw/../x"]
    assert processes.with_open_files(_probe(*words)) == (words, [])
    assert not list(tmp_path.iterdir())
