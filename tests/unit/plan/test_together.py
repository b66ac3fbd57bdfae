# SPDX-License-Identifier: MIT
"""Mistakes of different kinds are reported together: nobody has to fix one to see the next."""

from __future__ import annotations

import pytest

from lab.errors import InputError

from .conftest import Plans

TOPOLOGY = """\
name: t
{keys}
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: campus}}
  sta1: {{kind: sta}}
links:
  - {{between: [h1, ap1], {link}}}
"""
WORKLOAD = "name: w\n{keys}\nduration: 30 s\nroles: {{server: 1, {role}}}\n"


@pytest.mark.parametrize(
    ("keys", "link", "workload", "role", "said"),
    [
        (
            "timeline: [{at: 1 s, roam: h1, to: ap1}]", "", "files: 3", "",
            ["t.yaml:2  timeline.0.roam", "w.yaml:2  files"],
        ),
        ("", "delay: 5", "checks: [{that: rtt <}]", "", ["t.yaml:8  links.0.delay", "w.yaml:2  checks.0.that"]),
        (
            "", "", "processes: [{on: server, run: [x], at: 99 s}]", "pilot: 1",
            ["w.yaml:4  roles.pilot", "w.yaml:2  processes.0.at"],
        ),
        (
            "medium: {snr: [{between: [ap1, ap3], is: 3 dB}]}", "", "timeline: [{at: 1 s, roam: h1, to: ap1}]", "",
            ["w.yaml:2  timeline.0.roam", "t.yaml:2  medium.snr.0.between.1"],
        ),
    ],
    ids=["a file that cannot be read", "the other one", "a role", "the medium"],
)  # fmt: skip
def test_two_mistakes(plans: Plans, keys: str, link: str, workload: str, role: str, said: list[str]) -> None:
    with pytest.raises(InputError) as failure:
        plans(TOPOLOGY.format(keys=keys, link=link), WORKLOAD.format(keys=workload, role=role))
    assert sorted(":".join(str(error).split(":")[:2]) for error in failure.value.all()) == sorted(said)
