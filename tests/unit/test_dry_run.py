# SPDX-License-Identifier: MIT
"""What ``lab run --dry-run`` says of a medium."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from lab.plan.load import load
from lab.runs.dry_run import commands

TOPOLOGY = """\
name: here
nodes:
  ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}
  sta1: {kind: sta, position: [100 m, 0 m, 0 m], rts_threshold: 500 B}
medium: {propagation: {model: friis}}
timeline:
  - {at: 5 s, move: sta1, to: [99 m, 0 m, 0 m], speed: 10 m/s}
"""


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("w.yaml").write_text("name: there\nduration: 30 s\n")
    return commands(load("t.yaml", "w.yaml"))


def test_the_medium_is_made_while_radios_are_in_the_root(lines: list[str]) -> None:
    netlink = [number for number, line in enumerate(lines) if line.startswith("# netlink, hwsim_medium: ")]
    assert lines[netlink[0]].startswith("# netlink, hwsim_medium: NEW id=1 seed=")
    (moved,) = [
        number for number, line in enumerate(lines) if line.startswith("# netlink, nl80211: SET_WIPHY_NETNS wiphy=1")
    ]
    added = [number for number in netlink if "ADD_RADIO id=1 radio=1" in lines[number]]
    assert len(added) == 1 and added[0] < moved
    assert "# netlink, hwsim_medium: SET_LINKS id=1 link=ap1>sta1:-8010mB,sta1>ap1:-8010mB" in lines


def test_a_radio_gets_its_rts_threshold_before_its_daemon_starts(lines: list[str]) -> None:
    (threshold,) = [number for number, line in enumerate(lines) if line.startswith("iw phy") and "rts" in line]
    assert lines[threshold] == "iw phy phy1 set rts 500"
    assert lines.index("# in sta1") < threshold
    assert threshold < next(number for number, line in enumerate(lines) if line.startswith("wpa_supplicant "))


def test_moves_change_levels_on_the_timeline(lines: list[str]) -> None:
    start = lines.index("# at 5 s")
    end = lines.index("# at 30 s, the end")
    assert lines[start:end] == [
        "# at 5 s",
        "# sta1 moves to [99.0, 0.0, 0.0] m at 10.0 m/s",
        "# at 5.1 s",
        "# netlink, hwsim_medium: SET_LINKS id=1 link=ap1>sta1:-8001mB,sta1>ap1:-8001mB",
    ]


def test_the_air_is_captured_before_the_first_radio_goes_up(lines: list[str]) -> None:
    assert not any("hwsim0" in line for line in lines)
    captured = commands(load("t.yaml", "w.yaml", pcap="air"))
    added = [line for line in captured if line not in lines]
    assert added[0] == "ip link set hwsim0 up" and added[1].startswith("tcpdump -i hwsim0 -w /lab/run/raw/air.unsplit ")
    assert captured.index(added[1]) < captured.index("hostapd -t /etc/hostapd/hostapd.conf")
    assert added[2:] == [
        "# wait until it captures every frame",
        "# SIGINT to the tcpdump of the air, once the kernel has handed over its last frames",
    ]
    assert captured[-1] == added[-1]
    assert [line for line in captured if line not in added] == lines


def test_the_build_of_a_stack_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "workloads" / "swp"
    code.mkdir(parents=True)
    (code / "Makefile").write_text("install:\n")
    (code / "sources").write_text("lighttpd\n")
    (code / "build-packages").write_text("zlib1g-dev # compresses\n")
    (code / "get.yaml").write_text("name: get\nduration: 1 s\n")
    lines = commands(load("wired-pair", "swp/get"), code)
    assert lines[:6] == [
        "# on the host",
        "# workloads/swp, unless it is built: FILES is a copy of it, SYSROOT has headers and libraries of",
        "# libc6-dev, linux-libc-dev, zlib1g-dev",
        "# LIGHTTPD_SOURCE has the source of the image's lighttpd",
        "make -C FILES DESTDIR=ROOT PREFIX=/opt/swp 'CC=gcc --sysroot=SYSROOT -BSYSROOT/usr/lib/x86_64-linux-gnu "
        "-ffile-prefix-map=FILES=. "
        "-ffile-prefix-map=SYSROOT= -ffile-prefix-map=LIGHTTPD_SOURCE=/usr/src/lighttpd -Werror=date-time "
        "-Wl,--build-id=none' LIGHTTPD_SOURCE=LIGHTTPD_SOURCE install",
        next(line for line in lines if line.startswith("KERNEL ")),
    ]
    assert "hostrom=SCRATCH/stack/stack.squashfs" in lines[5].split()


def test_the_build_of_a_stack_comes_after_those_that_it_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, uses in {"chat": "bits\ncodec\n", "codec": "bits\n", "bits": ""}.items():
        code = tmp_path / "workloads" / name
        code.mkdir(parents=True)
        (code / "Makefile").write_text("install:\n")
        (code / "stacks").write_text(uses)
        (code / "build-packages").write_text("zlib1g-dev\n" if name == "bits" else "")
    (tmp_path / "workloads" / "chat" / "talk.yaml").write_text("name: talk\nduration: 1 s\n")
    lines = commands(load("wired-pair", "chat/talk"), tmp_path / "workloads" / "chat")
    builds = [line for line in lines if line.startswith("make ")]
    assert [shlex.split(line)[4] for line in builds] == ["PREFIX=/opt/bits", "PREFIX=/opt/codec", "PREFIX=/opt/chat"]
    assert "-isystemINSTALLED-codec/include -LINSTALLED-codec/lib " in builds[2] and "INSTALLED-" not in builds[0]
    assert "# INSTALLED-bits has what bits installs" in lines
    assert lines.count("# libc6-dev, linux-libc-dev, zlib1g-dev") == 3, "headers of bits may include those"
    start = lines.index(
        "# mount the code of chat and bits and codec, which nodes see at /opt/chat and /opt/bits and /opt/codec"
    )
    assert lines[start + 1].startswith("export PATH=/opt/chat/bin:/opt/bits/bin:/opt/codec/bin:/usr/local/sbin:")
    assert lines[start + 2] == "export LD_LIBRARY_PATH=/opt/chat/lib:/opt/bits/lib:/opt/codec/lib"
    assert lines[start + 3].startswith("export PYTHONPATH=/opt/chat/lib/python3:/opt/bits/")
    assert any(" /lab/stack/codec /opt/codec ro" in line for line in lines), lines


def test_a_plan_without_code_boots_as_before(lines: list[str]) -> None:
    assert lines[0] == "# on the host" and "stack.squashfs" not in lines[1]
    plan = load("t.yaml", "w.yaml")
    assert plan.stack is None and "stack" not in plan.data()


def test_processes_are_ended_as_they_started_and_servers_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nodes = "  h1: {kind: host, memory: 33000 KiB, roles: [one]}\n  h2: {kind: host}\n"
    Path("t.yaml").write_text(f"name: here\nnodes:\n{nodes}links: [{{between: [h1, h2]}}]\n")
    Path("w.yaml").write_text(
        "name: there\nroles: {one: 1}\nduration: 3 s\nprocesses:\n"
        "  - {on: one, at: 2 s, run: [sleep, '9'], as: late}\n"
        "  - {on: one, at: 1 s, run: {probe: udp-sink}, as: sink}\n"
        "  - {on: one, run: [server], as: server, ready: {listening: tcp/80}}\n"
    )
    lines = commands(load("t.yaml", "w.yaml"))
    assert [line for line in lines if line.startswith("# SIG") and "SIGKILL" not in line] == [
        "# SIGINT to sink, if it still runs",
        "# SIGTERM to late, if it still runs",
        "# SIGTERM to server, if it still runs",
    ]
    assert "# must have ended: late" in lines
    assert any("at most 32.2266 MiB of memory and 256 processes" in line for line in lines)
    assert lines[lines.index("# /etc/hostname:") + 1] == "#   h1"
