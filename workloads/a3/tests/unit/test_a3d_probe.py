# SPDX-License-Identifier: MIT
"""The probe a3d: its command, and what its program prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lab.errors import ParameterError
from lab.probes.base import Parsed, ProbeOutputError, Target, load

TARGET = Target("r1", "r1-eth0", None, "10.0.0.2/8")


def argv(**params: Any) -> list[str]:
    probe = load("a3d")
    filled = probe.defaults(params)
    probe.check(filled)
    return probe.argv(TARGET, filled, "/lab/raw/x")


def test_its_options() -> None:
    assert argv(side="client") == ["a3d", "--side", "client", "--hook", "forward", "--every-ms", "1000"]
    assert argv(side="server", hook="host", every=20_000_000)[2::2] == ["server", "host", "20"]
    rar = argv(side="server", rar=True, copies=1, stagger=5, alpha=3_000_000)[7:]
    assert rar == ["--rar", "--copies", "1", "--stagger", "5", "--alpha-ms", "3"]
    assert "--copies" not in argv(side="server", copies=1)
    assert argv(side="client", ae=True)[7:] == ["--ae", "/var/lib/a3d", "--ae-key", "/etc/a3d.key"]
    assert argv(side="client", ae=True, ae_key="/srv/key")[9:] == ["--ae-key", "/srv/key"]
    assert argv(side="client", ae=True, ae_tables=False)[7:] == ["--ae", "/var/lib/a3d", "--ae-plain"]
    assert "--ae-plain" not in argv(side="client", ae_tables=False)
    assert argv(side="client", pf=True)[7:] == ["--pf", "--pf-most-ms", "800"]
    assert argv(side="client", pf=True, pf_alone=True, pf_most=5_000_000)[7:] == [
        "--pf",
        "--pf-most-ms",
        "5",
        "--pf-alone",
    ]
    assert argv(side="server", pf=True, pf_rate=98_000, pf_limit=9)[10:] == ["--pf-rate", "98000", "--pf-limit", "9"]
    assert argv(side="server", pf_rate=98_000) == argv(side="server")  # a place has one, whether PF is on or off
    assert "--pf-limit" not in argv(side="client", pf_limit=9)
    ib = argv(side="client", ib=True, quota=1000)[7:]
    assert ib == ["--ib", "/var/lib/a3d-ib", "--ib-quota", "1000", "--ib-quota-all", str(256 << 20)]


def test_options_of_tp() -> None:
    tp = argv(side="client", tp=True, tp_quota=1 << 20)[7:]
    assert tp == ["--tp", "/var/lib/a3d-blocks", "--tp-quota", "1048576"]
    assert argv(side="server", serialise=True)[7:] == ["--serialise"]
    for key in ("tp", "serialise"):
        with pytest.raises(ParameterError, match=f"{key}: needs a router; write hook: forward"):
            argv(side="client", hook="host", **{key: True})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"side": "left"}, 'side: "left" is not valid; write client or server'),
        ({"side": "client", "hook": "bridge"}, 'hook: "bridge" is not valid; write forward or host'),
        ({"side": "client", "every": 1_500_000}, "every: must be whole milliseconds"),
        ({"side": "client", "alpha": 1_500_000}, "alpha: must be whole milliseconds"),
        ({"side": "client", "pf": True, "pf_most": 1_500_000}, "pf_most: must be whole milliseconds"),
        ({"side": "client", "pf_alone": True}, "pf_alone: needs pf: true and side: client"),
        ({"side": "server", "pf": True, "pf_alone": True}, "pf_alone: needs pf: true and side: client"),
        ({"side": "client", "pf": True, "pf_rate": 9_000}, "pf_rate: needs side: server"),
        ({"side": "server", "pf": True}, "pf_rate: is missing"),
        ({"side": "client", "ib": True, "hook": "host"}, "ib: needs a router; write hook: forward"),
    ],
)
def test_options_that_it_does_not_have(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        argv(**params)


def test_what_pf_has_done(pasted: Callable[..., Parsed]) -> None:
    values = pasted("a3d", "pf").values
    expected = {
        "pf_requests": 26,
        "pf_later": 19,
        "pf_held": 131,
        "pf_overtaken": 33,
        "pf_overdue": 2,
        "pf_repeated": 7,
    }
    expected |= {"pf_dropped": 0, "pf_refused": 0, "pf_notices": 22}
    assert {key: values[key] for key in expected} == expected
    assert pasted("a3d", "near").values["pf_held"] == 0  # printed by an a3d without PF


def test_what_it_has_seen(pasted: Callable[..., Parsed]) -> None:
    parsed = pasted("a3d", "near", epoch_ns=1_767_225_601_000_000_000)
    series = parsed.series_of("packets")
    assert parsed.values["packets"] == series.values[-1] == 286 and series.values[0] == 0
    assert parsed.values["copies"] == parsed.series_of("copies").values[-1] == 43
    assert parsed.values["bytes"] == 103596 and parsed.values["errors"] == 0
    assert parsed.values["thin"] == 22 and parsed.values["alarms"] == 0 and parsed.values["filtered"] == 69
    assert 0 < series.t_ns[0] < series.t_ns[1]
    assert "predicted" not in parsed.values


def test_what_tp_has_done(pasted: Callable[..., Parsed]) -> None:
    """In the test of the gain."""
    values = pasted("a3d", "tp", epoch_ns=1_767_225_601_000_000_000).values
    assert values["predicted"] == values["answered"] == 48 and (values["oplocks"], values["tp_taken"]) == (2, 3)
    assert values["fetched"] == values["served"] == 48 << 14 and values["wasted"] == 0


def test_what_ib_has_done(pasted: Callable[..., Parsed]) -> None:
    parsed = pasted("a3d", "slow", epoch_ns=1_767_225_601_000_000_000)
    assert parsed.values["taken"] == 2 and parsed.values["resets"] == parsed.values["disk_full"] == 0
    assert parsed.values["stored"] == parsed.series_of("stored").values[-1] > 1_000_000


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("{}", "x.out:1: 't_s' is missing"),
        ('{"t_s": "soon", "packets": 1}', "x.out:1: t_s: "),
        ("packets", "x.out:1: not JSON"),
    ],
)
def test_lines_that_are_not_its(typed: Callable[..., Parsed], out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("a3d", out=out)
