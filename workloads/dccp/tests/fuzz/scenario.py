# SPDX-License-Identifier: MIT
"""The place and the workload of a fuzz run, and the assessment of its outcome."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.dccp.tests.system import raw

_HERE = Path(__file__).parent
PLACE = """\
name: fuzz
nodes:
  h1: {kind: host, roles: [target]}
  h2: {kind: host, roles: [attacker]}
  h3: {kind: host, roles: [friend]}
  s1: {kind: switch}
links:
  - {between: [h1, s1]}
  - {between: [h2, s1]}
  - {between: [h3, s1]}
"""
S_PER_PACKET = 0.004  # of virtual time, at most; the friend comes afterwards
FRIEND_S = 2


def _files() -> dict[str, str]:
    code = {
        "workloads/dccp/tests/system/raw.py": Path(raw.__file__),
        "attack.py": _HERE / "attack.py",
        "target.py": _HERE / "target.py",
    }
    seeds = {f"corpus/{path.name}": path for path in sorted((_HERE / "corpus").glob("*.hex"))}
    return {name: path.read_text() for name, path in (code | seeds).items()}


def workload(seed: int, packets: int) -> str:
    """The attack, and then an ordinary flow to the same target."""
    files = "".join(
        f"  f{number}: {{on: [target, attacker], path: /dccp/{name}, text: {json.dumps(text)}}}\n"
        for number, (name, text) in enumerate(_files().items())
    )
    friend_s = int(packets * S_PER_PACKET) + 10
    return f"""\
name: fuzz
stack: dccp
roles: {{target: 1, attacker: 1, friend: 1}}
duration: {friend_s + FRIEND_S + 4} s
files:
{files}processes:
  - on: target
    run: [python3, /dccp/target.py, "{{target.ip}}", "{{attacker.ip}}"]
    as: target
    ready: {{log: ready}}
  - {{on: target, run: {{probe: flow-sink, protocol: dccp, port: 5002}}, as: sink, ready: {{log: listening}}}}
  - on: attacker
    run: [python3, /dccp/attack.py, "{{attacker.ip}}", "{{target.ip}}", "{seed}", "{packets}"]
    as: attack
  - on: friend
    at: {friend_s} s
    run: {{probe: flow-send, protocol: dccp, to: "{{target.ip}}", port: 5002, duration: {FRIEND_S} s, rate: 1 Mbit/s}}
    as: flow
"""


@dataclass(frozen=True)
class Outcome:
    """What an attack did. ``reached`` counts the packets that the target's dccp_v4_rcv() was called with."""

    sent: int
    reached: int
    begun: dict[str, int]
    answers: dict[str, int]
    friend_bytes: int

    @classmethod
    def of(cls, raw_files: Path) -> Outcome:
        """Read the raw files of a run."""
        said: dict[str, Any] = json.loads((raw_files / "attack.out").read_text())
        # the last number before the friend came would do as well: its flow has no more than 200 packets
        reached = int((raw_files / "target.out").read_text().split()[-1])
        sunk = [json.loads(line) for line in (raw_files / "sink.out").read_text().splitlines()]
        friend_bytes = sum(line["bytes"] for line in sunk if line["kind"] == "arrived")
        return cls(said["sent"], reached, said["begun"], said["answers"], friend_bytes)

    def failures(self) -> list[str]:
        """What is wrong with it: an attack that reaches nothing proves nothing."""
        found = []
        if self.reached < 0.8 * self.sent:
            found.append(f"only {self.reached} of {self.sent} packets reached dccp_v4_rcv()")
        found += [f'no round began with "{way}"' for way in ("request", "ccid 2", "ccid 3") if not self.begun.get(way)]
        found += [
            f"no answer of type {kind}" for kind in (raw.ACK, raw.RESET, raw.SYNC) if not self.answers.get(str(kind))
        ]
        if self.friend_bytes < 0.9 * FRIEND_S * 125_000:
            found.append(f"afterwards, an ordinary flow got only {self.friend_bytes} bytes through")
        return found
