# SPDX-License-Identifier: MIT
"""Guests that tests boot, and the store of what they left: equal plans in equal guests leave equal bytes.

A run that depends on nothing that has changed since an earlier one comes from the store, as the trials of an experiment
do. Its record, metrics and report are made anew, and the test checks all of them. tests/determinism checks that equal
runs are equal, test_trial_keys.py that a key has all that a run depends on, test_stored.py what this module adds.

Tests of what happens on the host while a guest runs use the fixture ``fresh``, or lab.runs. With pytest's option
--fresh, all runs boot a guest.
"""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path

from lab import runs
from lab.builders.meaning import meanings
from lab.cache.store import cache_root, content_key
from lab.checkout import CHECKOUT
from lab.experiments.run.store import DamagedError, Kept, TrialStore
from lab.experiments.run.trials import key, pack_directory, unpack_directory
from lab.machine.machine import Machine
from lab.machine.run_directory import PLAN
from lab.machine.uses import Uses
from lab.machine.watch import STALL_S, WallTimes
from lab.record import Record
from lab.shared.types import Plan

fresh = False  # do not use the store; conftest.py and the fixture of that name replace it
taken, booted = 0, 0  # runs of this process that might have come from the store

STORE = "test-runs"
LARGEST_BYTES = 30_000_000  # of a run that is stored
_ON_HOST = (  # starts a guest, follows it, and splits its capture of the air
    "lab/machine/*.py",
    "lab/captures/*.py",
    "lab/runs/run.py",
    "lab/runs/start.py",
    "lab/runs/limits.py",
)


def boot(plan: Plan, machine: Machine, directory: Path, stall_s: float = STALL_S) -> WallTimes:
    """Leave in ``directory`` what lab.runs.boot leaves there, from the store if an equal guest has left it before."""
    global taken, booted
    directory.mkdir(parents=True, exist_ok=True)
    if fresh:
        return runs.boot(plan, machine, directory, stall_s=stall_s)
    store, name = TrialStore(cache_root() / STORE), _key(plan, machine)
    if kept := _get(store, name):
        taken += 1
        head, _, files = kept.record.partition(b"\n")
        unpack_directory(files, directory)
        (directory / PLAN).write_text(plan.to_json())  # names the files of this test
        return WallTimes(**json.loads(head))
    booted += 1
    walls = runs.boot(plan, machine, directory, stall_s=stall_s)
    if _may_be_stored(directory):
        head = json.dumps(dataclasses.asdict(walls)).encode()
        record = head + b"\n" + pack_directory(directory)
        store.put(name, Kept(record, plan.duration_ns / 1e9, walls.wall_s, walls.wall_s))
    return walls


def run_plan(plan: Plan, machine: Machine, directory: Path) -> Record:
    """Run a plan and record it, as lab.runs.run_plan does, with a guest of ``boot``."""
    return runs.recorded(plan, machine, directory, boot(plan, machine, directory))


def _get(store: TrialStore, name: str) -> Kept | None:
    try:
        return store.get(name)
    except DamagedError:  # such as by a full disk
        return None


def _key(plan: Plan, machine: Machine) -> str:
    uses = Uses.of(plan)
    stack = machine.stacks.get(uses.stack or "")
    parts = {
        "kernel": machine.kernel.sha256,
        "image": machine.image.sha256,
        "initrd": machine.initrd.sha256,
        "guest": machine.code.bundle(uses).key,
        "host": _host_code(),
        "stack": stack.sha256 if stack else None,
        **{f"image {image.name}": image.sha256 for image in machine.images_of(uses)},
    }
    return key(plan.to_json(), parts)


@cache
def _host_code() -> str:
    meaning = meanings()
    files = [path for pattern in _ON_HOST for path in sorted(CHECKOUT.glob(pattern))]
    return content_key(*(meaning.of(path.read_bytes()) for path in files))


def _may_be_stored(directory: Path) -> bool:
    """Whether an archive brings all of it back: only files and folders, and not too many bytes of them."""
    paths = list(directory.rglob("*"))
    return (
        all(path.is_dir() or (path.is_file() and not path.is_symlink()) for path in paths)
        and sum(path.stat().st_size for path in paths) <= LARGEST_BYTES
    )
