# SPDX-License-Identifier: MIT
"""The probe wp2pd: its command, and what its program prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lab.errors import ParameterError
from lab.probes.base import Parsed, ProbeOutputError, Target, load

TARGET = Target("sta1", "sta1-wlan0", None, "10.0.0.2/8")


def argv(**params: Any) -> list[str]:
    probe = load("wp2pd")
    filled = probe.defaults(params)
    probe.check(filled)
    return probe.argv(TARGET, filled, "/lab/raw/x")


def test_its_options() -> None:
    assert argv() == ["wp2pd", "--young-below", "9000", "--dupacks", "all", "--every-ms", "1000"]
    assert argv(gamma=0, dupacks="thin", every=20_000_000)[2::2] == ["0", "thin", "20"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"dupacks": "none"}, 'dupacks: "none" is not valid; write all or thin'),
        ({"every": 1_500_000}, "every: must be whole milliseconds"),
    ],
)
def test_options_that_it_does_not_have(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        argv(**params)


def test_what_it_has_done(pasted: Callable[..., Parsed]) -> None:
    parsed = pasted("wp2pd", "young", epoch_ns=1_767_225_601_000_000_000)
    assert parsed.values["added"] == parsed.series_of("added").values[-1] > 100
    assert parsed.values["left_alone"] == parsed.values["errors"] == 0
    assert set(parsed.series_of("young").values) == {0, 1} and set(parsed.series_of("mature").values) == {0}


@pytest.mark.parametrize(("out", "message"), [("{}", "x.out:1: 't_s' is missing"), ("added", "x.out:1: not JSON")])
def test_lines_that_are_not_its(typed: Callable[..., Parsed], out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("wp2pd", out=out)
