# SPDX-License-Identifier: MIT
"""bit-errors: its rules, and what its program prints."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from lab.probes.base import Parsed, ProbeOutputError, Target, load

from ...probes import _bit_errors_program as program

TARGET = Target("ap1", "ap1-wlan1", "ap1-wlan1", None)


@pytest.mark.parametrize(
    ("ber", "length", "wanted"), [(0, 1500, 0), (1e-6, 52, 0.000416), (1.5e-5, 52, 0.00622), (1.5e-5, 1500, 0.1647)]
)
def test_longer_packets_are_lost_more_often(ber: float, length: int, wanted: float) -> None:
    """The numbers of place.md."""
    assert program.lost_of(ber, length) / program.DRAWS == pytest.approx(wanted, rel=1e-3)


def test_each_length_has_a_class() -> None:
    text = program.rules(1e-5)
    (classes,) = re.findall(r"meta length vmap \{ (.*) \}", text)
    ends = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)-(\d+) : jump", classes)]
    assert ends[0][0] == 0 and ends[-1] == (1600, 2**32 - 1)
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ends))
    assert set(re.findall(r"jump (\w+)", classes)) == set(re.findall(r"chain (\w+) \{ counter", text))
    assert "drop" not in program.rules(0)


def test_its_command() -> None:
    probe = load("bit-errors")
    *_, ber, every_s = probe.argv(TARGET, probe.defaults({"per_million": 15}), "/lab/raw/x")
    assert (float(ber), float(every_s)) == (1.5e-5, 1)


def test_its_losses(typed: Callable[..., Parsed]) -> None:
    out = '{"t_s": "1.000000000", "packets": 9, "lost": 1, "joined": 0, "classes": {}}\n'
    parsed = typed("bit-errors", out=out + out.replace('"lost": 1', '"lost": 3'))
    assert parsed.values == {"packets": 9, "lost": 3, "joined": 0}
    assert parsed.series_of("lost").values == [1, 3]


@pytest.mark.parametrize(("out", "message"), [("{}", "x.out:1: 't_s' is missing"), ("x", "x.out:1: not JSON")])
def test_lines_that_are_not_its(typed: Callable[..., Parsed], out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("bit-errors", out=out)
