# SPDX-License-Identifier: MIT
"""A guest runs what ``--dry-run`` prints: every command, in the same order and place."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lab import runs
from lab.machine.guest_code import Bundle, GuestCode
from lab.machine.machine import Machine
from lab.machine.uses import Uses
from lab.runs.dry_run import guest_lines
from lab.shared.paths import ENTER
from lab.shared.types import Plan

pytestmark = pytest.mark.guest

TOPOLOGY = """\
name: all
nodes:
  sta1: {kind: sta, position: [5 m, 0 m, 0 m], rts_threshold: 500 B, roles: [client]}
  ap1: {kind: ap, ssid: campus, channel: 6, position: [0 m, 0 m, 0 m]}
  mon1: {kind: monitor, channel: 6, position: [5 m, 5 m, 0 m]}
  s1: {kind: switch}
  ap2: {kind: ap, ssid: campus, channel: 11, position: [9 m, 0 m, 0 m]}
  h1: {kind: host, roles: [server]}
links:
  - {between: [h1, s1], delay: 5 ms}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
medium: {statistics: 1 s}
"""
WORKLOAD = """\
name: there
roles: {server: 1, client: 1}
duration: 5 s
processes:
  - {on: server, run: [iperf3, -s], as: server, ready: {listening: tcp/5201}}
  - {on: client, at: 0.5 s, run: [sleep, "100"], as: sleeper}
  - {on: server, run: {probe: udp-sink}, as: sink}
probes:
  - {on: client, probe: station-dump, every: 700 ms}
  - {on: client, probe: wpa-events}
timeline:
  - {at: 1 s, exec: h1, run: [echo, "a b"]}
  - {at: 2 s, netem: s1-ap1, loss: 5%}
  - {at: 2 s, link: s1-ap1, to: down}
  - {at: 3 s, netem: h1-s1, delay: 0 ms}
  - {at: 3 s, roam: sta1, to: ap2}
  - {at: 3.5 s, fault: lose, frames: data, to: sta1}
  - {at: 4 s, stop: sleeper}
"""

Command = tuple[str, list[str]]  # node, or "the guest"; words

# Python itself reports every process that the agent starts: nothing in the lab's own code is asked
REPORT = """
import json
from pathlib import Path

def network(process):
    return os.readlink(f"/proc/{process}/ns/net")

def report(event, arguments):
    if event == "os.posix_spawn":
        nodes = {}
        for procs in Path("/sys/fs/cgroup").glob("lab-*/cgroup.procs"):
            for first in procs.read_text().split()[:1]:
                nodes[first] = procs.parent.name.removeprefix("lab-")
        here = [name for pid, name in nodes.items() if network(pid) == network("self")]
        _, argv, _ = arguments
        with open("/lab/run/raw/started", "a") as file:
            file.write(json.dumps([[*here, "the guest"][0], nodes, [str(word) for word in argv]]) + "\\n")

sys.addaudithook(report)
main()
"""


@dataclass(frozen=True)
class ReportingCode(GuestCode):
    """The guest's code with an agent that reports the processes that it starts."""

    copy: Path = Path()

    def bundle(self, uses: Uses, room: str | None = None) -> Bundle:
        """That of the plan, as a changed copy."""
        bundle = super().bundle(uses)
        shutil.copytree(bundle.path, self.copy)
        entry = self.copy / "lab" / "guest" / "__main__.py"
        for compiled in entry.parent.glob("__pycache__/__main__.*"):
            compiled.unlink()
        text = entry.read_text()
        assert text.endswith("\nmain()\n")
        entry.write_text(text.removesuffix("main()\n") + REPORT)
        return replace(bundle, path=self.copy)


def reporting(machine: Machine, directory: Path) -> Machine:
    """The machine with that code."""
    code = machine.code
    return replace(machine, code=ReportingCode(code.path, code.compiler, code.package, copy=directory / "code"))


def started(path: Path) -> list[Command]:
    """The processes that a guest started."""
    found: list[Command] = []
    for place, nodes, words in map(json.loads, path.read_text().splitlines()):
        if words[0] == ENTER:
            place, words = nodes[words[1]], words[3:]
        found.append((place, words))
    return found


def printed(plan: Plan) -> Iterator[Command]:
    """The commands of ``--dry-run``, without their input."""
    place, inside = "", False
    for line in guest_lines(plan):
        heading = re.match(r"# in ([\w ]+?)( every .*)?(, as .*)?$", line)
        if heading:
            place = heading[1]
        elif inside:
            inside = line != "end"
        elif not line.startswith("#"):
            inside = line.endswith(" <<end")
            yield place, shlex.split(line.removesuffix(" <<end"))


def without_repeats(commands: list[Command]) -> list[Command]:
    """Of a command that is sampled, the first."""
    sampled = ("sta1", ["iw", "dev", "sta1-wlan0", "station", "dump"])
    first = commands.index(sampled)
    return [command for index, command in enumerate(commands) if command != sampled or index == first]


@pytest.mark.parametrize("pcap", [None, "air"])
def test_the_guest_runs_what_is_printed(
    tmp_path: Path, machine: Machine, plan_of: Callable[..., Plan], pcap: str | None
) -> None:
    plan = plan_of(TOPOLOGY, WORKLOAD, 1, pcap)
    directory = tmp_path / "run"
    directory.mkdir()
    runs.boot(plan, reporting(machine, tmp_path), directory)
    assert json.loads((directory / "guest.json").read_text())["error"] is None
    commands = started(directory / "raw" / "started")
    assert commands.count(("sta1", ["iw", "dev", "sta1-wlan0", "station", "dump"])) == 8
    assert without_repeats(commands) == list(printed(plan))
