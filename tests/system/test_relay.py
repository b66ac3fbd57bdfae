# SPDX-License-Identifier: MIT
"""mac80211_hwsim's own interface for a relay such as wmediumd is unchanged; the medium does not interfere with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.shared.types import Plan
from tests import stored
from tests.system.asking import RUN, agent_machine, asked, with_script
from tests.system.conftest import Ran
from tests.system.relay import ADDED, PINGS

pytestmark = pytest.mark.guest

PROGRAM = (Path(__file__).parent / "relay.py").read_text()
PERFECT = "name: relayed\nnodes:\n  h1: {kind: host, privileged: true, roles: [relay]}\n"
# radios of the topology's own, so that there is a medium
ON_MEDIUM = PERFECT + "  ap1: {kind: ap, ssid: x, channel: 6}\n  sta1: {kind: sta}\nmedium: {statistics: 100 s}\n"

Relayed = Callable[..., dict[str, Any]]


# The agent: radios that a node has made join the medium of the topology, or leave it.
MEDIUM = """
from lab.guest.medium.uapi import FAMILY, VERSION, Attr as A, Command as C, encoded
from lab.guest.netlink.generic import Family, KernelSocket

def ask(command, **values):
    payload = b"".join(encoded(A[key], value) for key, value in values.items())
    Family(FAMILY, VERSION, KernelSocket()).send([(command, payload)])
"""
OWN = (2, 3)  # after those of the topology
GAIN_MB = -7400  # 40 dB over noise of -94 dBm for 20 dBm
JOIN = f"""{MEDIUM}
for radio in {OWN}:
    ask(C.ADD_RADIO, ID=1, RADIO=radio)
ask(C.SET_LINKS, ID=1, LINK=[(*ends, {GAIN_MB}, 0, 0, 0) for ends in ({OWN}, {OWN[::-1]})])
"""
LEAVE = f"""{MEDIUM}
for radio in {OWN}:
    ask(C.REMOVE_RADIO, RADIO=radio)
"""


@pytest.fixture
def relayed(plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Relayed:
    """Run the program in h1, and get what it says."""
    machine = agent_machine(tmp_path, monkeypatch)

    def run(topology: str, forward: bool, on_medium: bool = False) -> dict[str, Any]:
        argv = RUN.format(arguments=f", '{json.dumps([forward, on_medium])}'")
        workload = (
            f"name: relay\nduration: 90 s\nroles: {{relay: 1}}\nprocesses:\n  - {{on: relay, run: {argv}, as: relay}}\n"
        )
        if on_medium:
            workload += (
                f"timeline:\n  - {{at: 1 s, {asked(JOIN)}}}\n"
                f"  - {{at: 1 s, exec: h1, run: [sh, -c, 'echo > {ADDED}']}}\n  - {{at: 80 s, {asked(LEAVE)}}}\n"
            )
        directory = tmp_path / "run"
        directory.mkdir()
        stored.boot(with_script(plan_of(topology, workload), "h1", PROGRAM), machine, directory)
        reported: dict[str, Any] = json.loads(Ran(directory).raw("relay.out").splitlines()[-1])
        return reported

    return run


def test_a_relay_carries_the_frames_of_its_radios(relayed: Relayed) -> None:
    reported = relayed(PERFECT, forward=True)
    assert reported["joined"]
    carried, dropped, again, without = reported["looks"]
    # request and answer of each ping, each heard by one other radio
    for look in (carried, again):
        assert look["answers"] == PINGS
        assert look["copies"] == look["frames"] >= 2 * PINGS
    assert dropped["answers"] == 0 and dropped["frames"] >= PINGS
    assert dropped["copies"] <= dropped["frames"] - PINGS  # beacons pass
    assert carried["failed"] == 0 and again["failed"] == dropped["failed"] >= PINGS  # as the relay said of them
    assert (without["answers"], without["frames"]) == (PINGS, 0)  # radios that no relay rules hear each other


def test_radios_of_a_silent_relay_hear_nothing(relayed: Relayed) -> None:
    reported = relayed(PERFECT, forward=False)
    assert not reported["joined"] and reported["frames"] > 0


def test_a_relay_gets_no_frame_of_radios_on_a_medium(relayed: Relayed) -> None:
    reported = relayed(ON_MEDIUM, forward=False, on_medium=True)
    assert reported["joined"] and reported["frames"] == 0
    assert [look["answers"] for look in reported["looks"]] == [PINGS] * 4
