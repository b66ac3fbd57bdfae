# SPDX-License-Identifier: MIT
"""What a stored trial depends on: in a copy of the lab, things that it does not use change, then some that it uses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab import runs
from lab.cache.store import cache_root
from lab.checkout import CHECKOUT
from lab.experiments.run.store import SHELF

pytestmark = pytest.mark.guest

EXPERIMENT = """\
name: echoes
topology: wired-pair
workload: ping/ping
set: {duration: 2 s, processes.echo.run.count: 5}
repetitions: 2
metrics: {rtt: ms}
"""
COPIED = ("lab", "topologies", "workloads")
LAB = (sys.executable, "-c", "from lab.cli.entry import main; main()")


@dataclass(frozen=True)
class Copy:
    """A copy of the checkout, with a store of its own."""

    root: Path

    def lab(self, *arguments: str) -> str:
        """What a command of the copy prints."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root),
            "PYTHONSAFEPATH": "1",
            "XDG_CACHE_HOME": str(self.root / "cache"),
        }
        result = subprocess.run(
            [*LAB, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def sweep(self, out: str) -> tuple[list[str], int]:
        """The keys of the experiment's trials, and how many of them were run."""
        shown = self.lab("reproduce", "echoes.yaml", "--out", out)
        (ran,) = re.findall(r"^(\d+) trials? run, ", shown, re.MULTILINE)
        found = json.loads((self.root / out / "results.json").read_text())
        return [trial["key"] for trial in found["trials"]], int(ran)

    def left(self, out: str) -> tuple[bytes, bytes]:
        """What a run of the same workload leaves in guest.json and record.json."""
        self.lab("run", "wired-pair", "ping/ping", "--set", "duration=2 s", "--out", out)
        return (self.root / out / "guest.json").read_bytes(), (self.root / out / "record.json").read_bytes()

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def edit(self, name: str, text: str = "_ANOTHER = 1") -> None:
        """Add a line to a file of the lab."""
        with (self.root / "lab" / name).open("a") as file:
            file.write(f"{text}\n")

    def add_kind(self, room: str, like: str, name: str) -> None:
        """A kind of event or node, with something of its own to do in the guest."""
        place = self.root / "lab" / room / name
        if (self.root / "lab" / room / like).is_dir():
            shutil.copytree(self.root / "lab" / room / like, place)
        self.write(f"lab/{room}/{name}/guest.py", "raise RuntimeError('nobody uses it')\n")


@pytest.fixture
def copy(tmp_path: Path, machine: runs.Machine) -> Copy:
    root = tmp_path / "copy"
    root.mkdir()
    for entry in CHECKOUT.iterdir():
        if entry.name in COPIED:
            shutil.copytree(entry, root / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not entry.name.startswith("."):
            (root / entry.name).symlink_to(entry)
    cache = root / "cache" / cache_root().name
    cache.mkdir(parents=True)
    for entry in cache_root().iterdir():
        if entry.name != SHELF:
            (cache / entry.name).symlink_to(entry)
    (root / "echoes.yaml").write_text(EXPERIMENT)
    return Copy(root)


def test_a_trial_is_run_again_only_if_something_that_it_uses_has_changed(copy: Copy) -> None:
    (first, ran), left = copy.sweep("first"), copy.left("left-first")
    assert ran == len(first) == 2

    shutil.copy(copy.root / "lab" / "probes" / "curl.py", copy.root / "lab" / "probes" / "kettle.py")
    shutil.copy(copy.root / "lab" / "metrics" / "goodput.py", copy.root / "lab" / "metrics" / "heat.py")
    copy.write("lab/views/heat.py", "HEADING = 'Heat'\n")
    copy.write("workloads/tea/pot.yaml", "name: pot\nduration: 1 s\n")
    copy.write("workloads/tea/Makefile", "install:\n\tfalse\n")
    copy.write("workloads/tea/probes/leaf.py", "raise RuntimeError('nobody uses it')\n")
    copy.add_kind("events", "stop", "quake")
    copy.add_kind("nodes", "host", "fridge")
    for unused in ("report/tables.py", "probes/curl.py", "metrics/outage.py", "cli/terminal.py", "plan/resolve.py"):
        copy.edit(unused)
    for used in ("probes/ping.py", "record/build.py", "library.py"):
        copy.edit(used, "# a comment")
    assert copy.sweep("second") == (first, 0)
    assert copy.left("left-second") == left

    copy.edit("probes/ping.py")
    third, ran = copy.sweep("third")
    assert ran == 2 and set(third).isdisjoint(first)


def test_all_of_the_guests_own_code_is_used(copy: Copy) -> None:
    first, _ = copy.sweep("first")
    copy.edit("guest/loop.py", "# a comment, which the guest's Python reads")
    second, ran = copy.sweep("second")
    assert ran == 2 and set(second).isdisjoint(first)
    assert copy.sweep("third") == (second, 0)
