# SPDX-License-Identifier: MIT
"""The store: what is put in comes out, or is called damaged."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.cache import store as cache
from lab.errors import HostError
from lab.experiments.run.store import DamagedError, Kept, TrialStore, decode, encode, pack
from tests.own_cache import own_cache

KEY = "ab" + 62 * "0"
KEPT = Kept(pack('{"metrics":{"rtt":{"values":{"mean":2.5}}}}'), 30.0, 1.25, 1.0)


def test_what_is_put_in_comes_out(tmp_path: Path) -> None:
    store = TrialStore(tmp_path)
    assert store.get(KEY) is None
    store.put(KEY, KEPT)
    found = store.get(KEY)
    assert found == KEPT
    assert found.data() == {"metrics": {"rtt": {"values": {"mean": 2.5}}}}
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [KEY]


def test_a_later_one_takes_the_place(tmp_path: Path) -> None:
    store, later = TrialStore(tmp_path), Kept(pack("{}"), 1.0, 2.0, 1.5)
    store.put(KEY, KEPT)
    store.put(KEY, later)
    assert store.get(KEY) == later


@given(st.integers(0, len(encode(KEY, KEPT)) - 1), st.integers(1, 255))
def test_every_changed_byte_is_noticed(place: int, change: int) -> None:
    entry = bytearray(encode(KEY, KEPT))
    entry[place] ^= change
    with pytest.raises(DamagedError):
        decode(KEY, bytes(entry))


@given(st.integers(0, len(encode(KEY, KEPT)) - 1))
def test_every_missing_end_is_noticed(length: int) -> None:
    with pytest.raises(DamagedError):
        decode(KEY, encode(KEY, KEPT)[:length])


def test_an_entry_under_another_name_is_noticed(tmp_path: Path) -> None:
    store, other = TrialStore(tmp_path), "ab" + 62 * "1"
    store.put(KEY, KEPT)
    store.path(KEY).rename(store.path(other))
    with pytest.raises(DamagedError, match=KEY):
        store.get(other)


def test_what_is_no_file_is_damaged(tmp_path: Path) -> None:
    store = TrialStore(tmp_path)
    store.path(KEY).mkdir(parents=True)
    with pytest.raises(DamagedError, match="cannot be read"):
        store.get(KEY)


def test_a_full_or_locked_disk_is_reported(tmp_path: Path) -> None:
    (tmp_path / "trials").write_text("no directory")
    with pytest.raises(HostError, match="cannot write the cache"):
        TrialStore(tmp_path).put(KEY, KEPT)


def test_lab_clean_empties_it(tmp_path: Path) -> None:
    with own_cache(tmp_path):
        store = TrialStore()
        store.put(KEY, KEPT)
        assert cache.clean()["trials"] > 0
    assert store.get(KEY) is None


def test_what_nobody_asked_for_in_a_long_time_goes(tmp_path: Path) -> None:
    store, other = TrialStore(tmp_path), "cd" + 62 * "0"
    long_ago_s = time.time() - 31 * 86400
    for key in (KEY, other):
        store.put(key, KEPT)
        os.utime(store.path(key), (long_ago_s, long_ago_s))
    store.get(KEY)
    assert store.prune(30) == 1
    assert (store.get(KEY), store.get(other)) == (KEPT, None)
