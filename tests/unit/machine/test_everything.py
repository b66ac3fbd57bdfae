# SPDX-License-Identifier: MIT
"""The key of what is built before the first run: the same until kernel, image or initrd would be built again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.build import everything
from lab.build.cache import cache_root
from lab.build.kernel.series import Series

CHANGES: list[Callable[[pytest.MonkeyPatch], None]] = [
    lambda patch: patch.setattr(Series, "sha256", lambda _: "other patches"),
    lambda patch: patch.setattr(everything, "toolchain_versions", lambda: "gcc 99"),
    lambda patch: patch.setattr(everything, "read_packages", lambda: ["curl"]),
    lambda patch: patch.setattr(everything, "initrd_key", lambda: "another init"),
]


@pytest.mark.parametrize("change", CHANGES, ids=["patches", "compiler", "packages", "init"])
def test_the_key_changes_with_what_is_built(change: Callable[[pytest.MonkeyPatch], None]) -> None:
    before = everything.cache()
    assert everything.cache() == before
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        assert everything.cache().key != before.key


def test_nothing_is_built_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = everything.cache().key
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = everything.cache()
    assert (found.key, found.directory) == (key, str(cache_root()))
    assert [path.name for path in cache_root().iterdir()] == ["toolchain.json"]
