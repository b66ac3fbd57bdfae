# SPDX-License-Identifier: MIT
"""shared-rate: its command, and what its program prints."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from lab.probes.base import Parsed, ProbeOutputError, Target, load

TARGET = Target("ap1", "ap1-wlan1", "ap1-wlan1", None)
LINE = '{"t_s": "1.000000000", "packets": 9, "bytes": 900, "lost": 1, "queued": 5}\n'


def test_its_command() -> None:
    probe = load("shared-rate")
    assert probe.runs_on(probe.defaults({"rate": 8000}))
    *_, settings = probe.argv(TARGET, probe.defaults({"rate": 1_600_000}), "/lab/raw/x")
    assert json.loads(settings) == {"rate_bit_s": 1_600_000, "queue": 50, "every_s": 1}


def test_its_counts(typed: Callable[..., Parsed]) -> None:
    later = LINE.replace("9,", "12,").replace('"queued": 5', '"queued": 2')
    parsed = typed("shared-rate", out=LINE + later)
    assert parsed.values == {"packets": 12, "lost": 1, "most_queued": 5}
    assert parsed.series_of("queued").values == [5, 2]
    assert parsed.series_of("bytes").unit == "B"


@pytest.mark.parametrize(("out", "message"), [("{}", "x.out:1: 't_s' is missing"), ("x", "x.out:1: not JSON")])
def test_lines_that_are_not_its(typed: Callable[..., Parsed], out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("shared-rate", out=out)
