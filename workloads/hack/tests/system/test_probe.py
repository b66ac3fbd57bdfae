# SPDX-License-Identifier: MIT
"""hack-acks in a node: it sees what the medium's own readings say."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from lab.probes.base import Raw, load
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest


def test_a_node_sees_the_counters_of_its_own_radio(boot_own: Callable[..., Ran]) -> None:
    """The last samples come after the flow, as the last reading does."""
    keys = [f"nodes.{node}.hack=more-data" for node in ("ap1", "sta1", "sta2")]
    ran = boot_own("downloads", "hack/download-sampled", *keys, "duration=5 s", "processes.flow.run.duration=3 s")
    parsed = load("hack-acks").parse(Raw(ran.directory / "raw", "acks", epoch_ns=ran.guest()["epoch_ns"]))
    (pair,) = [pair for pair in ran.looks()[-1]["hack"] if pair["node"] == "sta1"]
    found = {
        way: {
            name.removeprefix(f"{way}_"): series.values[-1]
            for name, series in ((one.name.partition("/")[0], one) for one in parsed.series)
            if name.startswith(f"{way}_")
        }
        for way in ("sent", "received")
    }
    for way, counts in found.items():
        assert counts == {name: count for name, count in pair[way].items() if count or name in ("acks", "natives")}
    assert found["sent"]["acks"] > 1000
    (pairs,) = [one for one in parsed.series if one.name == "pairs"]
    steps_ns = {after - before for before, after in pairwise(pairs.t_ns)}
    assert len(pairs.t_ns) >= 50 and all(abs(step_ns - 100_000_000) < 2_000_000 for step_ns in steps_ns)
