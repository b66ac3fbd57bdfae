# SPDX-License-Identifier: MIT
"""The cache: entries appear whole or not at all; locks, leftovers, full and forbidden disks."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.cache import store as cache
from lab.cache.store import Store, content_key
from lab.cli import main
from lab.errors import HostError
from tests.kept import KeptReport
from tests.own_cache import own_cache

# A lab that builds an entry: says that it has begun, then continues on request.
OTHER_LAB = """
import sys
from lab.cache.report import LineReport
from lab.cache.store import Store

def make(directory):
    (directory / "half").write_text("done")
    print("begun", flush=True)
    sys.stdin.readline()

Store("thing", "the thing").build("key", make, LineReport(sys.stdout), needed_bytes=1)
print("built", flush=True)
"""


def start_lab() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", OTHER_LAB], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_key_knows_where_a_part_ends() -> None:
    assert content_key("ab", "c") != content_key("a", "bc")


def test_relative_cache_home_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.cache_root() == tmp_path / ".cache" / "hwsim-lab"
    monkeypatch.setenv("XDG_CACHE_HOME", "/absolute")
    assert cache.cache_root() == Path("/absolute/hwsim-lab")


def test_entry_is_built_once(store: Store, reported: KeptReport) -> None:
    built = []
    for _ in range(2):
        store.build("key", lambda directory: built.append(directory.name), reported, needed_bytes=1)
    assert built == [".partial-key"]
    assert store.has("key")


def test_failed_build_leaves_nothing(store: Store, reported: KeptReport) -> None:
    def make(directory: Path) -> None:
        (directory / "half").write_text("done")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.build("key", make, reported, needed_bytes=1)
    assert not store.has("key")
    assert [path.name for path in store.directory.iterdir()] == [".lock"]


def test_replacement_that_fails_keeps_the_old_entry(store: Store, reported: KeptReport) -> None:
    def fail(directory: Path) -> None:
        raise ValueError("no")

    store.build("key", lambda directory: (directory / "old").touch(), reported, needed_bytes=1)
    with pytest.raises(ValueError, match="no"):
        store.build("key", fail, reported, needed_bytes=1, replace=True)
    assert (store.path("key") / "old").exists()
    store.build("key", lambda directory: (directory / "new").touch(), reported, needed_bytes=1, replace=True)
    assert [path.name for path in store.path("key").iterdir()] == ["new"]


def large(directory: Path) -> None:
    (directory / "large").write_bytes(bytes(cache.LARGE_BYTES))
    (directory / "small").write_bytes(b"1")


def test_entry_that_is_cut_off_is_built_again(store: Store, reported: KeptReport) -> None:
    entry = store.build("key", large, reported, needed_bytes=1)
    assert store.has("key")
    (entry / "large").write_bytes(b"cut off")
    assert not store.has("key")
    store.build("key", large, reported, needed_bytes=1)
    assert reported.steps == [
        f"the thing in the cache is damaged (large has 7 of {cache.LARGE_BYTES} bytes): building it again"
    ]
    assert store.has("key")
    (entry / "large").unlink()
    assert store.damage("key") == f"large has 0 of {cache.LARGE_BYTES} bytes"
    (entry / cache.SIZES).write_text("{")
    assert not store.has("key")


def test_second_lab_waits_says_so_and_uses_what_the_first_built(store: Store) -> None:
    with start_lab() as first:
        assert line(first) == "begun"
        with start_lab() as second:
            assert line(second) == f"another lab (pid {first.pid}) is building the thing; waiting for it"
            go_on(first)
            assert line(first) == "built"
            assert line(second) == "built"  # without having begun


def test_killed_build_is_cleaned_by_the_next(store: Store, reported: KeptReport) -> None:
    with start_lab() as victim:
        assert line(victim) == "begun"
        assert (store.directory / ".partial-key" / "half").exists()
        victim.send_signal(signal.SIGKILL)
    assert not store.has("key")
    store.build("key", lambda directory: (directory / "whole").touch(), reported, needed_bytes=1)
    assert reported.steps == ["removing what an interrupted build of the thing left"]
    assert [path.name for path in store.path("key").iterdir()] == ["whole"]


def test_scratch_directory_goes_with_its_build(store: Store, reported: KeptReport, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    partial = store.directory / ".partial-key"
    partial.mkdir(parents=True)
    (partial / cache.SCRATCH).write_text(str(scratch))
    with store.lock(reported):
        assert not scratch.exists()
        assert not partial.exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_full_disk(store: Store, reported: KeptReport, number: int) -> None:
    def make(directory: Path) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(HostError, match=r"no space left in .*/cache/hwsim-lab/thing") as caught:
        store.build("key", make, reported, needed_bytes=1)
    assert "XDG_CACHE_HOME" in str(caught.value)
    assert not (store.directory / ".partial-key").exists()


def test_space_is_checked_before_the_build(store: Store, reported: KeptReport) -> None:
    with pytest.raises(HostError, match="the build needs about 1000000000 MB"):
        store.build("key", lambda directory: pytest.fail("was built"), reported, needed_bytes=10**15)


def test_unwritable_cache(tmp_path: Path, reported: KeptReport) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    with own_cache(in_the_way), pytest.raises(HostError, match="cannot write the cache .*: Not a directory") as caught:
        Store("thing", "the thing").build("key", lambda _: None, reported, needed_bytes=1)
    assert "XDG_CACHE_HOME" in str(caught.value)


def test_entry_unused_for_a_month_goes(store: Store, reported: KeptReport) -> None:
    for key in ("old", "recent"):
        store.build(key, lambda directory: None, reported, needed_bytes=1)
    long_ago_s = time.time() - (cache.UNUSED_DAYS + 1) * 86400
    os.utime(store.path("old"), (long_ago_s, long_ago_s))
    store.build("new", lambda directory: None, reported, needed_bytes=1)
    assert (store.has("old"), store.has("recent"), store.has("new")) == (False, True, True)


def test_only_so_many_entries_stay(cache: None, reported: KeptReport) -> None:
    store = Store("thing", "the thing", most=2)
    for age_s, key in ((3000, "a"), (1000, "b"), (2000, "c")):
        store.build(key, lambda directory: None, reported, needed_bytes=1)
        os.utime(store.path(key), (time.time() - age_s,) * 2)
    store.build("new", lambda directory: None, reported, needed_bytes=1)
    assert [store.has(key) for key in ("a", "b", "c", "new")] == [False, True, True, True]


def test_clean_reports_what_it_freed(store: Store, reported: KeptReport) -> None:
    def make(directory: Path) -> None:
        (directory / "content").write_bytes(bytes(100_000))

    store.build("key", make, reported, needed_bytes=1)
    freed = cache.clean()
    assert set(freed) == {store.shelf, "log"} and freed[store.shelf] >= 100_000
    assert not store.has("key")
    with own_cache(store.root / "nowhere"):
        assert cache.clean() == {}


def test_lab_clean_reports_the_size_of_each_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("lab.machine.scratch.clean_stale", lambda: 2)
    for kind, size in (("kernel", 2_000_000), ("trials", 5_000_000), ("log", 10)):
        (cache.cache_root() / kind).mkdir(parents=True)
        (cache.cache_root() / kind / "entry").write_bytes(bytes(size))
    main.clean()
    assert (
        capsys.readouterr().out
        == "removed 7 MB of cache (5 MB of trials, 2 MB of kernel) and the remains of 2 killed guests\n"
    )
    assert not list(cache.cache_root().glob("*/entry"))


def test_clean_refuses_while_a_lab_builds(store: Store) -> None:
    with start_lab() as other:
        assert line(other) == "begun"
        with pytest.raises(HostError, match=f"a lab \\(pid {other.pid}\\) is building"):
            cache.clean()
        go_on(other)
        assert line(other) == "built"
