# SPDX-License-Identifier: MIT
"""How much memory a guest gets: room for what measurements say that nodes and processes take."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.builders.kernel.series import PATCHES
from lab.cli.check import check
from lab.errors import HostError, InputError
from lab.machine.memory import guest_bytes, memory_directory, memory_keys, memory_text
from lab.plan.load import load
from lab.plan.network.network import RADIOS_MAX
from lab.runs import dry_run

GIB = 1 << 30


@pytest.mark.parametrize(
    ("stations", "workload", "gib"),
    [(5, "idle", 1), (200, "idle", 1), (300, "idle", 2), (60, "udp/saturate", 1), (200, "udp/saturate", 3)],
)
def test_memory_grows_with_nodes_and_processes(stations: int, workload: str, gib: int) -> None:
    plan = load("saturated-cell", workload, overrides=[f"nodes.sta.count={stations}"])
    assert guest_bytes(plan) == gib * GIB
    text = memory_text(plan)
    assert text is None if gib == 1 else text is not None and f"gets {gib} GiB of memory" in text


def test_the_guest_is_started_with_it() -> None:
    plan = load("saturated-cell", "idle", overrides=["nodes.sta.count=300"])
    assert " mem=2048M " in dry_run.commands(plan)[1]


@pytest.mark.parametrize("key", ["memory: 900 GiB", "nodes: {h1: {kind: host, memory: 900 GiB}}"])
def test_more_memory_than_a_guest_can_have_is_reported_with_its_line(tmp_path: Path, key: str) -> None:
    place = tmp_path / "large.yaml"
    place.write_text(f"name: large\n{key}\n" + ("" if "nodes" in key else "nodes: {h1: {kind: host}}\n"))
    with pytest.raises(InputError, match=r'large.yaml:2  .*memory: "900 GiB" is too large; the maximum is 256 GiB'):
        check(place)


def test_too_little_room_for_it_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "images" / "large").mkdir(parents=True)
    place = tmp_path / "large.yaml"
    for text, keys in (
        ("memory: 200 GiB\nnodes: {h1: {kind: host}}\n", f"write less into memory: of {place}; or"),
        (
            "nodes:\n  h1: {kind: host, image: large, memory: 200 GiB}\n",
            rf"write less into memory: of h1 \({place}:3\), or memory: of the topology; or",
        ),
    ):
        place.write_text(f"name: large\n{text}")
        plan = load(str(place), "idle")
        with pytest.raises(
            HostError, match=rf"memory, 20[01] GiB:\n    .*nowhere: is not a directory\n  {keys} set TMP"
        ):
            memory_directory([tmp_path / "nowhere"], needed_bytes=guest_bytes(plan), keys=memory_keys(plan))
    assert memory_keys(load("one-ap", "idle")) is None


def test_more_radios_than_a_medium_has_room_for_are_a_mistake(tmp_path: Path) -> None:
    place = tmp_path / "crowd.yaml"
    place.write_text(
        "name: crowd\nnodes:\n  ap1: {kind: ap, ssid: x, mode: a, channel: 36}\n"
        "  east: {kind: sta, count: 1000}\n  west: {kind: sta, count: 24}\n"
    )
    with pytest.raises(InputError, match="1025 radios; a guest has room for 1024: use fewer"):
        load(str(place), "idle")
    load(str(place), "idle", overrides=["nodes.west.count=23"])


def test_that_is_the_room_of_the_kernel() -> None:
    (header,) = PATCHES.rglob("hwsim_medium_uapi.h")
    assert re.search(rf"#define HWSIM_MEDIUM_MAX_RADIOS\s+{RADIOS_MAX}\b", header.read_text())


@pytest.mark.parametrize("way", ["run", "shell", "lockstep"])
def test_each_way_to_boot_looks_for_memory_before_it_builds_anything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    from lab import Lab
    from lab.runs import command, shell

    def build(*_: object, **__: object) -> None:
        raise AssertionError("something is built")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lab.machine.memory.free_bytes", lambda place: 2 << 30)
    monkeypatch.setattr("lab.runs.start.ensure_machine", build)
    for size, wanted in (("2 GiB", AssertionError), ("2049 MiB", HostError)):
        overrides = [f"topology.memory={size}"]
        with pytest.raises(wanted):
            if way == "run":
                command.run(command.RunOptions("one-ap", "idle", overrides=overrides))
            elif way == "shell":
                shell.interact(shell.ShellOptions("one-ap", overrides=overrides))
            else:
                Lab("one-ap", set={"topology.memory": size}).__enter__()
