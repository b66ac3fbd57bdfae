# SPDX-License-Identifier: MIT
"""Networks with 802.1X admit those who prove who they are, and refuse the others; runs keep their bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.record.build import build
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PROJECT = Path(__file__).parents[2]
ENTERPRISE = (PROJECT / "topologies" / "enterprise.yaml").read_text()
ROAMING = (PROJECT / "workloads" / "ping" / "roaming.yaml").read_text()
IDLE = "name: idle\nduration: 2 s\n"


def log(ran: Ran, station: str) -> str:
    return ran.raw(f"daemon/{station}-wpa_supplicant.log")


def place(ap: str, sta: str) -> str:
    nodes = [f"ap1: {{kind: ap, ssid: x, encrypt: 8021x{ap}}}", f"sta1: {{kind: sta, awaited: false{sta}}}"]
    return "name: x\nnodes:\n" + "".join(f"  {node}\n" for node in nodes)


def test_three_ways_in_and_a_stranger(boot: Callable[..., Ran]) -> None:
    """A station that returns to an access point needs no authentication: both have kept the key."""
    ran = boot(ENTERPRISE, ROAMING, pcap="air")
    assert {"sta1", "sta2", "sta3"} <= set(ran.guest()["associations"]) and "sta4" not in ran.guest()["associations"]
    methods = {
        name: [word for word in ("(TLS)", "(PEAP)", "(PWD)") if f"{word} selected" in log(ran, name)]
        for name in ("sta1", "sta2", "sta3", "sta4")
    }
    assert methods == {"sta1": ["(TLS)"], "sta2": ["(PEAP)"], "sta3": ["(PWD)"], "sta4": ["(TLS)"]}
    assert "EAP-FAILURE" in log(ran, "sta4") and "EAP-SUCCESS" not in log(ran, "sta4")
    assert log(ran, "sta1").count("EAP-SUCCESS") == 2
    away, back = (row["keys"] for row in build(ran.directory, hashes={}).metrics["outage"].rows)
    assert away > 3 * back > 0
    again = boot(ENTERPRISE, ROAMING, pcap="air")
    files = sorted(path.relative_to(ran.directory) for path in (ran.directory / "raw").rglob("*") if path.is_file())
    assert [
        name for name in files if (ran.directory / name).read_bytes() != (again.directory / name).read_bytes()
    ] == []


@pytest.mark.parametrize(
    ("ap", "sta", "said"),
    [
        (", certificate: stranger", "", "CTRL-EVENT-EAP-TLS-CERT-ERROR reason=1"),
        (", certificate: stranger", ", passwd: espresso", "CTRL-EVENT-EAP-TLS-CERT-ERROR reason=1"),
        (", users: {sta1: espresso}", ", passwd: ristretto", "EAP-FAILURE"),
        (", users: {sta1: espresso}", ", passwd: ristretto, eap: pwd", "EAP-FAILURE"),
        ("", "", "EAP-SUCCESS"),
        (", users: {sta1: espresso}, pmf: required", ", passwd: espresso", "EAP-SUCCESS"),
    ],
)
def test_who_is_refused(boot: Callable[..., Ran], ap: str, sta: str, said: str) -> None:
    """By the station if the access point's certificate is a stranger's, by the access point if a password is wrong."""
    text = log(boot(place(ap, sta), IDLE), "sta1")
    assert said in text and ("EAP-SUCCESS" in text) == (said == "EAP-SUCCESS")


def test_fast_transitions(boot: Callable[..., Ran]) -> None:
    place = ENTERPRISE.replace("encrypt: 8021x", "encrypt: 8021x, fast_transition: true")
    look = "exec: sta1, run: [sh, -c, 'wpa_cli status | grep key_mgmt']"
    ran = boot(
        place.split("timeline:")[0] + f"timeline:\n  - {{at: 1 s, roam: sta1, to: ap2}}\n  - {{at: 2 s, {look}}}\n",
        "name: idle\nduration: 3 s\n",
    )
    assert ran.outputs() == ["key_mgmt=FT-EAP\n"] and log(ran, "sta1").count("EAP-SUCCESS") == 1
