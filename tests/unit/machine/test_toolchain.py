# SPDX-License-Identifier: MIT
"""The compiler is asked for its version once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders import toolchain
from lab.cache.store import cache_root
from lab.errors import HostError

pytestmark = pytest.mark.usefixtures("cache")


def test_answer_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    first = toolchain.toolchain_versions()
    assert "gcc" in first
    assert "glibc" in first
    monkeypatch.setattr(toolchain, "_ask", lambda: pytest.fail("asked again"))
    assert toolchain.toolchain_versions() == first


def test_other_compiler_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toolchain.toolchain_versions()
    other = tmp_path / "gcc"
    other.touch()
    monkeypatch.setattr(toolchain, "_program", lambda name: other)
    monkeypatch.setattr(toolchain, "_ask", lambda: "another")
    assert toolchain.toolchain_versions() == "another"


def test_spoilt_memory_is_no_matter() -> None:
    cache_root().mkdir(parents=True)
    (cache_root() / "toolchain.json").write_text("{")
    assert "gcc" in toolchain.toolchain_versions()


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="gcc is not installed"):
        toolchain.toolchain_versions()


def test_missing_static_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "LIBC_CANDIDATES", (tmp_path / "libc.a",))
    with pytest.raises(HostError, match=r"libc\.a"):
        toolchain.toolchain_versions()
