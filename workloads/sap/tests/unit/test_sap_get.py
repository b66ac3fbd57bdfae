# SPDX-License-Identifier: MIT
"""What sap-get reported, from a run in the guest: two fetches that it compared with the original."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lab.metrics import base as metrics
from lab.probes.base import Parsed, ProbeOutputError, Target, load
from tests.unit.metrics.samples import context, source, wanted

from .conftest import FIXTURES

Parse = Callable[..., Parsed]
EPOCH_NS = 1_767_225_600_999_999_744
SECOND = 1_000_000_000


def test_sap_get(pasted: Parse) -> None:
    parsed = pasted("sap-get", "compared", epoch_ns=EPOCH_NS)
    values = parsed.values
    assert (values["expected"], values["arrived"], values["lost"]) == (2 * 1954, 1911 + 1919, 43 + 35)
    assert (values["damaged"], values["wrong_bytes"], values["wrong_bits"]) == (444 + 421, 918 + 892, 2417 + 2379)
    assert values["ber_damaged"] == (2417 + 2379) / (8 * (454656 + 431104))
    assert values["right_share"] == 1 - (2417 + 2379) / (8 * (1955968 + 1964160))
    assert (values["transport"], values["exit_code"]) == ("sap-approximate", 0)
    assert [one.t_ns for one in parsed.occurrences] == [
        10_000_864_512 + 438_000 + 885_168_400,
        11_887_273_472 + 424_000 + 878_303_424,
    ]
    assert parsed.occurrences[0].fields["port"] == 57630


def reported(**changes: Any) -> str:
    """The first line of the fixture, changed."""
    line = (FIXTURES / "sap-get" / "compared.out").read_text().splitlines()[0]
    return json.dumps(json.loads(line) | changes)


def test_a_fetch_that_failed(typed: Parse) -> None:
    """It has an error and no end; the next one is well, and the exit status is still that of the first."""
    changes = {"exit_code": 28, "error": "timed out", "time_total_s": None, "time_first_byte_s": None}
    lines = [reported(**changes, wrong_bits=None), reported()]
    parsed = typed("sap-get", out="\n".join(lines), size=f"sha256 {'0' * 64} 12\n")
    assert parsed.values["exit_code"] == 28 and len(parsed.occurrences) == 1
    assert [one["error"] for one in parsed.values["transfers"]] == ["timed out", ""]
    assert parsed.values["wrong_bits"] == 2417


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"transport": "pigeon"}, "transport: 'pigeon' is not a valid transport"),
        ({"bytes": "many"}, "bytes: must be a number"),
        ({"time_request_s": None}, "has time_total_s, but not time_request_s"),
        ({"started": "yesterday"}, "'yesterday' is not a time stamp"),
    ],
)
def test_senseless_output(typed: Parse, changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ProbeOutputError, match=why):
        typed("sap-get", out=reported(**changes), size="")


def test_the_command() -> None:
    probe = load("sap-get")
    params = probe.defaults({"url": "http://10.0.0.1/x", "transport": "sap-precise", "port": 5001, "compare": "/y"})
    params |= {"count": 3, "pause": SECOND // 2}
    argv = probe.argv(Target("sta1", "sta1-wlan0", "sta1-wlan0", "10.0.0.2/8"), params, "/run/raw/fetch")
    assert argv[:4] == ["sap-get", "--json", "--output", "/tmp/fetch.body"]
    assert argv[4:] == [
        *("--force-precise", "--count", "3", "--pause", "0.5", "--timeout", "10"),
        *("--port", "5001", "--compare", "/y", "http://10.0.0.1/x"),
    ]
    with pytest.raises(ValueError, match='transport: "udp" is not a valid transport; known: tcp, sap-'):
        probe.check(params | {"transport": "udp"})


@pytest.mark.parametrize(
    ("kind", "unit", "expected"),
    [
        ("transfer-time", "s", [885_168_400, 878_303_424]),
        ("loss", "%", [100 * 78 / 3908]),
        ("bit-errors", "%", [100 * 4796 / (8 * 885_760)]),
        ("correct-bits", "%", [100 * (1 - 4796 / (8 * 3_920_128))]),
    ],
)
def test_metrics(pasted: Parse, kind: str, unit: str, expected: list[float]) -> None:
    values = pasted("sap-get", "compared", epoch_ns=EPOCH_NS).values
    fetch = source("sap-get", identifier="fetch", values=values)
    computed = metrics.load(kind).compute(wanted(kind, "fetch", unit=unit), context(fetch))
    assert computed.values == pytest.approx(expected)
