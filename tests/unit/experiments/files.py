# SPDX-License-Identifier: MIT
"""An experiment and what it needs, as texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lab.experiments.file import resolve
from lab.experiments.types import Experiment

TOPOLOGY = """\
name: place
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 3 m]}
  ap2: {kind: ap, ssid: campus, channel: 6, position: [40 m, 0 m, 3 m]}
  sta: {kind: sta, count: 2, roles: [client]}
links:
  - {between: [h1, ap1]}
  - {between: [h1, ap2]}
medium: {}
"""
WORKLOAD = """\
name: load
roles: {server: 1, client: 1..}
duration: 5 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}"}, as: load}
metrics:
  goodput: {of: sink, unit: Mbit/s}
  delay: {of: sink, unit: ms}
"""
EXPERIMENT = """\
name: mine
about: How throughput falls with distance.
cites: {paper: some.txt, figure: 4}
topology: place.yaml
workload: load.yaml
set:
  links.0.delay: 5 ms
  nodes.sta.position: ["{distance}", 0 m, 1 m]
grid:
  distance: [2 m, 4 m, 6 m]
  roaming:
    never: {}
    quick: {nodes.sta.bgscan: "simple:2:-60:30"}
repetitions: {ci95: 5%, from: 3, at_most: 9}
metrics:
  throughput: {that: sum(goodput), unit: Mbit/s}
  delay: ms
figure: {kind: bar, x: distance, y: throughput, by: roaming}
paper: {throughput: {unit: kbit/s, by: roaming, x: distance, values: {never: [1, 2, null], quick: {4 m: 5}}}}
claims:
  - {name: quick is better, that: "all(throughput[quick] > throughput[never])", paper: p. 5}
"""


def loaded(
    text: str = EXPERIMENT,
    *,
    only: Sequence[str] = (),
    reps: int | None = None,
    topology: str = TOPOLOGY,
    workload: str = WORKLOAD,
) -> Experiment:
    """The experiment of a text, with its files in the current directory."""
    for name, content in {"mine": text, "place": topology, "load": workload}.items():
        Path(f"{name}.yaml").write_text(content)
    return resolve.load("mine.yaml", only=only, reps=reps)


def changed(*changes: tuple[str, str]) -> str:
    """The experiment with other words in it."""
    text = EXPERIMENT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text
