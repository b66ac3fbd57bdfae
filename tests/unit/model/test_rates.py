# SPDX-License-Identifier: MIT
"""Fixed rates, RTS thresholds, widths, guard intervals and WMM as users write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.model.build import build
from lab.model.document import parse
from lab.model.rates import HT, MODES, listed
from lab.model.topology import Topology
from lab.nodes.ap.file import AccessPoint
from tests.refused import refused


def ap(keys: str) -> AccessPoint:
    text = f"name: mine\nnodes:\n  ap1: {{kind: ap, ssid: campus, {keys}}}\n"
    found = build(Topology, parse(text, Path("mine.yaml"), "mine.yaml")).nodes["ap1"]
    assert isinstance(found, AccessPoint)
    return found


def refusal(keys: str) -> str:
    return refused(ap, keys)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("54 Mbit/s", "54 Mbit/s"),
        ("54Mbps", "54 Mbit/s"),
        ("5500 kbit/s", "5.5 Mbit/s"),
        ("1 Mbit/s", "1 Mbit/s"),
        ("MCS 7", "MCS 7"),
        ("mcs31", "MCS 31"),
    ],
)
def test_a_rate_has_one_name(written: str, name: str) -> None:
    assert ap(f"rate: {written}").settings["rate"] == name


def test_every_mode_has_its_rates() -> None:
    assert [len(MODES[mode]) for mode in "bgan"] == [4, 12, 8, 32]
    assert listed("g") == "1, 2, 5.5, 6, 9, 11, 12, 18, 24, 36, 48, 54 Mbit/s"
    assert listed("n") == "MCS 0 to MCS 31" and HT[8] == "MCS 8"


def test_what_is_left_out() -> None:
    found = ap("mode: n")
    assert found.settings["rts_threshold"] is None
    assert (found.settings["rate"], found.width, found.guard_interval, found.wmm) == (None, "20 MHz", "long", None)


@pytest.mark.parametrize(("written", "size_bytes"), [("0 B", 0), ("500 B", 500), ("2 kB", 2000), ("65535 B", 65535)])
def test_an_rts_threshold(written: str, size_bytes: int) -> None:
    assert ap(f"rts_threshold: {written}").settings["rts_threshold"] == size_bytes


@pytest.mark.parametrize("written", ["40 MHz", "40MHz", "' 40  MHz'"])
def test_a_width(written: str) -> None:
    assert ap(f"mode: n, width: {written}").width == "40 MHz"


AT = "mine.yaml:3  nodes.ap1."
ALL = "mode g has 1, 2, 5.5, 6, 9, 11, 12, 18, 24, 36, 48, 54 Mbit/s, mode n MCS 0 to MCS 31"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("rate: 54", 'rate: "54" is not a valid rate; write one such as 54 Mbit/s, or MCS 7 in mode n'),
        ("rate: true", 'rate: "true" is not a valid rate; write one such as 54 Mbit/s, or MCS 7 in mode n'),
        ("rate: 55 Mbit/s", f'rate: "55 Mbit/s" is not a rate of 802.11b, g or a; {ALL}'),
        ("rate: MCS 32", 'rate: "MCS 32" is not a valid rate; mode n has MCS 0 to MCS 31'),
        ("rate: 54 MB", 'rate: "54 MB": MB measures a size, not a rate; a rate is written in bit/s, kbit/s, Mbit/s, '
         "Gbit/s, bps, kbps, Mbps, Gbps"),
        ("rts_threshold: 500", 'rts_threshold: "500" has no unit; write 500 B'),
        ("rts_threshold: 64 KiB", 'rts_threshold: "64 KiB" is too large; the maximum is 65535 B'),
        ("width: 40", 'width: "40" has no unit; write 40 MHz'),
        ("mode: n, width: 80 MHz", 'width: "80 MHz" is not one of 20 MHz, 40 MHz (did you mean 40 MHz?)'),
        ("width: 40 MHz", "width: mode g is 20 MHz wide; write mode: n for 40 MHz, or remove this"),
        (
            "mode: a, channel: 36, guard_interval: short",
            "guard_interval: mode a has only the long guard interval; write mode: n for the short one, or remove this",
        ),
        ("mode: n, guard_interval: tiny", 'guard_interval: "tiny" is not one of short, long'),
        ("mode: n, wmm: false", "wmm: mode n needs WMM; remove this, or choose another mode"),
        ("wmm: 1", 'wmm: must be true or false, not "1"'),
    ],
)  # fmt: skip
def test_mistakes(keys: str, message: Any) -> None:
    assert refusal(keys) == AT + message
