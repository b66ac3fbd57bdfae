# SPDX-License-Identifier: MIT
"""The probe smb-requests and the metric smb-calls, on the output of Samba 4.22."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lab.metrics import base as metrics
from lab.metrics.base import Context, Source
from lab.probes.base import Parsed, ProbeOutputError, Raw, Target, load
from lab.shared import types

Pasted = Callable[..., Parsed]


def computed(parsed: Parsed, per: str) -> metrics.MetricValues:
    node = cast(types.Node, SimpleNamespace(name="h7"))
    source = Source("smb-requests", node, "smb-requests", {}, parsed, Raw(Path(), "x"), 0)
    sources: Mapping[str, Source] = {"smb-requests": source}
    context = cast(Context, SimpleNamespace(sources=sources))
    planned: Any = SimpleNamespace(of=("smb-requests",), per=per)
    return metrics.METRICS.made("smb-calls").compute(planned, context)


def test_the_command() -> None:
    probe = load("smb-requests")
    argv = probe.argv(Target("h1", "h1-eth0", None, None), probe.defaults({}), "")
    assert argv == ["smbstatus", "--configfile=/etc/samba/lab.conf", "--profile"]
    assert probe.defaults({})["every"] == 1_000_000_000


def test_two_fetches_by_smb3_take_one_read_each(pasted: Pasted) -> None:
    found = computed(pasted("smb-requests", "smb3"), "process")
    counted = {row["command"]: row["requests"] for row in found.rows}
    assert {row["node"] for row in found.rows} == {"h7"}
    assert counted["smb2_read"] == 2 and counted["smb2_negprot"] == 2 and "smb2_write" not in counted
    assert found.values == [sum(counted.values())] == [24]


def test_two_fetches_by_smb1_take_66_reads_each(pasted: Pasted) -> None:
    found = computed(pasted("smb-requests", "smb1"), "command")
    counted = {row["command"]: row["requests"] for row in found.rows}
    assert counted["SMBreadX"] == 132 and counted["SMBntcreateX"] == 2
    assert found.values == list(counted.values()) and sum(found.values) == 154


def test_other_output_is_refused(typed: Callable[..., Parsed]) -> None:
    with pytest.raises(ProbeOutputError, match='no counters; does smbd have "smbd profiling level = count"'):
        typed("smb-requests", out="### 0\nProfiling is off\n")
    with pytest.raises(ProbeOutputError, match="expected a line '### <ns>' first"):
        typed("smb-requests", out="connect_count: 1\n")
