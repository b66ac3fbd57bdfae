# SPDX-License-Identifier: MIT
"""The compiler is asked for its version once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders import toolchain
from lab.errors import HostError


def test_answer_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = tmp_path / "toolchain.json"
    first = toolchain.toolchain_versions(memory)
    assert "gcc" in first
    assert "glibc" in first
    monkeypatch.setattr(toolchain, "_ask", lambda: pytest.fail("asked again"))
    assert toolchain.toolchain_versions(memory) == first


def test_other_compiler_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = tmp_path / "toolchain.json"
    toolchain.toolchain_versions(memory)
    other = tmp_path / "gcc"
    other.touch()
    monkeypatch.setattr(toolchain, "_program", lambda name: other)
    monkeypatch.setattr(toolchain, "_ask", lambda: "another")
    assert toolchain.toolchain_versions(memory) == "another"


def test_spoilt_memory_is_no_matter(tmp_path: Path) -> None:
    memory = tmp_path / "toolchain.json"
    memory.write_text("{")
    assert "gcc" in toolchain.toolchain_versions(memory)


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="gcc is not installed"):
        toolchain.toolchain_versions(tmp_path / "toolchain.json")


def test_missing_static_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "LIBC_CANDIDATES", (tmp_path / "libc.a",))
    with pytest.raises(HostError, match=r"libc\.a"):
        toolchain.toolchain_versions(tmp_path / "toolchain.json")
