# SPDX-License-Identifier: MIT
"""The workload of the paper's tables, which no test runs in its full length."""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML

STACK = Path(__file__).parents[2]
REQUESTS_S = 3 + 1  # until a first packet that was lost is sent again, and for the sink to end


def seconds(text: str) -> float:
    return float(text.removesuffix(" s"))


def test_a_run_outlasts_a_flow_that_begins_late() -> None:
    pair = YAML(typ="safe").load(STACK / "pair.yaml")
    senders = [process for process in pair["processes"] if process["run"]["probe"] == "flow-send"]
    assert len(senders) == 3
    for sender in senders:
        assert seconds(sender["at"]) + seconds(sender["run"]["duration"]) + REQUESTS_S < seconds(pair["duration"])
