# SPDX-License-Identifier: MIT
"""The key of what is built before the first run: the same until one of them would be built again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.builders import everything
from lab.builders.kernel.series import PatchSeries
from lab.cache.store import cache_root
from lab.errors import InputError

CHANGES: list[Callable[[pytest.MonkeyPatch], None]] = [
    lambda patch: patch.setattr(PatchSeries, "sha256", lambda _: "other patches"),
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


def test_node_images_have_a_part_of_their_own_at_its_end(tmp_path: Path) -> None:
    """So a cache without them is found by the rest; the order in which they are named does not count."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        (folder / "files").mkdir(parents=True)
        (folder / "files" / "note").write_text(folder.name)
    key, both = everything.cache().key, everything.cache([one, other]).key
    assert both.startswith(f"{key}-") and both == everything.cache([other, one, other]).key
    assert len({key, both, everything.cache([one]).key, everything.cache([other]).key}) == 4
    (one / "files" / "note").write_text("changed")
    assert everything.cache([one, other]).key != both
    (other / "files" / "note").unlink()
    with pytest.raises(InputError, match="has nothing to build"):
        everything.cache([other])
