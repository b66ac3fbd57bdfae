# SPDX-License-Identifier: MIT
"""Probes of sap-streamer and sap-tracker: the arguments of their programs, and how their reports are parsed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lab.probes.base import Parsed, ProbeOutputError, Target, load

TARGET = Target("sta1", "sta1-wlan0", "sta1-wlan0", "10.0.0.1/8")
Pasted = Callable[..., Parsed]


def argv(probe: str, **params: Any) -> str:
    found = load(probe)
    filled = found.defaults(params)
    found.check(filled)
    return " ".join(found.argv(TARGET, filled, "/lab/raw/x"))


def test_the_arguments_of_streamers() -> None:
    assert argv("sap-streamer", to="10.0.0.2", bytes=10_485_760) == (
        "sap-streamer send --bytes 10485760 --seed 1 --to 10.0.0.2 --port 5001 --mode approximate --payload 1024 "
        "--buffer 8192 --json"
    )
    assert argv("sap-streamer", to="h", bytes=1, every=5_000_000, window=32).endswith("--every 5000000ns --window 32")
    assert argv("sap-streamer", to="h", file="/x.jpg", head=629, mode="precise").startswith(
        "sap-streamer send-file --file /x.jpg --keep /lab/raw/x.sent --head 629 --to h --port 5001 --mode precise"
    )
    assert argv("sap-stream-sink", port=7) == (
        "sap-streamer receive --json --port 7 --output /lab/raw/x.received --idle 10000000000ns"
    )


def test_the_arguments_of_trackers() -> None:
    assert argv("sap-tracker", to="h") == (
        "sap-tracker send --to h --port 5001 --json --trace /opt/sap/share/sap/walk.csv --mode approximate"
    )
    assert argv("sap-tracker", to="h", transport="tcp", every=5_000_000, count=9).endswith(
        "--tcp --every 5000000ns --count 9"
    )
    assert argv("sap-track-sink", tcp=True, gaps="counted") == (
        "sap-tracker receive --json --port 5001 --gaps counted --idle 10000000000ns --tcp"
    )


@pytest.mark.parametrize(
    ("probe", "params", "complaint"),
    [
        ("sap-streamer", {"to": "h", "bytes": 1, "head": 1}, "head: needs file:"),
        (
            "sap-streamer",
            {"to": "h", "bytes": 1, "mode": "tcp"},
            'mode: "tcp" is not a valid mode; write approximate or precise',
        ),
        ("sap-tracker", {"to": "h", "transport": "udp"}, 'transport: "udp" is not valid; write approximate,'),
        ("sap-track-sink", {"gaps": "some"}, 'gaps: "some" is not valid; write ignored or counted'),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(probe: str, params: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        argv(probe, **params)


def test_the_report_of_a_damaged_stream(pasted: Pasted) -> None:
    values = pasted("sap-stream-sink", "damaged").values
    assert values["complete"] and (values["expected"], values["arrived"], values["lost"]) == (1024, 993, 31)
    assert (values["damaged"], values["wrong_bits"], values["arrived_bits"]) == (225, 1372, 993 * 8192)
    assert values["ber_damaged"] == pytest.approx(1372 / (225 * 8192))
    assert values["right_share"] == pytest.approx(1 - 1372 / (993 * 8192))
    assert values["inter_arrival"]["count"] == 992 and values["inter_arrival"]["p50_ns"] == 447744
    assert values["sap_received"] == 997 and values["sap_overruns"] == 0
    sent = pasted("sap-streamer", "approximate").values
    assert (sent["mode"], sent["datagrams"], sent["bytes"]) == ("approximate", 1024, 1024**2)


def test_of_a_file_nobody_knows_which_bits_are_wrong(pasted: Pasted) -> None:
    values = pasted("sap-stream-sink", "file").values
    assert values["lost"] == 3
    assert [values[key] for key in ("damaged", "wrong_bits", "ber_damaged", "right_share")] == [None] * 4


def test_the_reports_of_a_trace(pasted: Pasted) -> None:
    values = pasted("sap-track-sink", "approximate").values
    assert (values["arrived"], values["lost"], values["discarded"]) == (921, 24, 2)
    assert (values["discarded_place"], values["discarded_speed"], values["discarded_stale"]) == (1, 1, 0)
    assert values["speed_m_s"] == pytest.approx(1.5988, abs=1e-4)
    assert pasted("sap-tracker", "approximate").values["speed_m_s"] == pytest.approx(1.56, abs=1e-6)
    twin = pasted("sap-track-sink", "tcp").values
    assert twin["transport"] == "tcp" and twin["lost"] == 0 and "sap_sent" not in twin


def test_a_program_that_was_ended_leaves_nothing(typed: Pasted) -> None:
    for probe in ("sap-streamer", "sap-stream-sink", "sap-tracker", "sap-track-sink"):
        assert typed(probe, out="").values == {}


def test_reports_of_somebody_else(typed: Pasted) -> None:
    with pytest.raises(ProbeOutputError, match="x.out:1: role must be receiver"):
        typed("sap-stream-sink", out='{"role": "sender"}\n')
    with pytest.raises(ProbeOutputError, match="x.out:2: only one report was expected"):
        typed("sap-stream-sink", out='{"role": "receiver"}\n{"role": "receiver"}\n')


@pytest.mark.parametrize(
    ("probe", "text", "line"),
    [
        ("sap-streamer", '{"role": "sender", "mode": 1}', 1),
        ("sap-stream-sink", '\n{"role": "receiver"}', 2),
        ("sap-tracker", '{"role": "sender", "points": "many"}', 1),
        ("sap-track-sink", '{"role": "receiver", "complete": 1}', 1),
    ],
)
def test_a_broken_report_is_refused_with_its_line(typed: Pasted, probe: str, text: str, line: int) -> None:
    with pytest.raises(ProbeOutputError, match=rf"^x\.out:{line}\b"):
        typed(probe, out=text)
