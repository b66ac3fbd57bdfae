# SPDX-License-Identifier: MIT
"""tshark understands captures of the air: every frame as the lab's own reader does, none malformed, no warning."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.captures.split import PAYLOAD
from lab.shared.types import Plan
from tests import air, stored
from tests.air import ACK, BA, BEACON, CTS, DATA, RTS
from tests.system import test_medium_stacks as stacks
from tests.system.asking import agent_machine
from tests.system.conftest import Ran
from tests.system.test_air import COUNT, WORKLOAD, topology

pytestmark = pytest.mark.guest

PASSPHRASE = "espresso-1"
KEY = ("-o", "wlan.enable_decryption:TRUE", "-o", f'uat:80211_keys:"wpa-pwd","{PASSPHRASE}:x"')
CHECK_FCS = ("-o", "wlan.check_checksum:TRUE")
OWN_BYTES = {ACK: 10, BA: 28}  # without FCS
COMPLAINTS = "_ws.malformed || _ws.expert.severity >= 0x600000"  # PI_WARN


class Tshark:
    """tshark, with nobody's settings."""

    def __init__(self, home: Path) -> None:
        if shutil.which("tshark") is None:
            pytest.fail("tshark is missing; make test installs it: apt-get install --no-install-recommends tshark")
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}

    def fields(self, path: Path, *names: str, only: str = "", options: tuple[str, ...] = ()) -> list[list[str]]:
        """Fields of each frame, or of those that a display filter lets through."""
        argv = ["tshark", "-n", "-r", str(path), *options, "-Y", only, "-T", "fields"]
        argv += [word for name in names for word in ("-e", name)]
        reported = subprocess.run(argv, env=self._environment, check=True, capture_output=True, text=True).stdout
        return [line.split("\t") for line in reported.splitlines()]

    def complaints(self, path: Path, *options: str) -> list[list[str]]:
        """Number of each frame that is malformed or has a warning or an error, and what about it."""
        return self.fields(path, "frame.number", "_ws.expert.message", only=COMPLAINTS, options=options)


@pytest.fixture
def tshark(tmp_path: Path) -> Tshark:
    return Tshark(tmp_path)


def capture(ran: Ran) -> Path:
    """The one capture of a run."""
    (path,) = (ran.directory / "raw").glob("air-*")
    return path


def agrees(tshark: Tshark, path: Path) -> list[air.Frame]:
    """The frames, of which tshark has the same notion."""
    frames = air.frames(path)
    names = ("frame.time_epoch", "wlan.fc.type_subtype", "wlan.ra", "radiotap.ampdu.reference", "wlan_radio.data_rate")
    seen = tshark.fields(path, *names)
    assert len(seen) == len(frames)
    for (stamp, kind, receiver, aggregate, rate), frame in zip(seen, frames, strict=True):
        seconds, nanoseconds = stamp.split(".")
        assert int(seconds) * 10**9 + int(nanoseconds) == frame.stamp_ns
        assert int(kind, 0) == (frame.body[0] >> 2 & 3) << 4 | frame.body[0] >> 4
        assert receiver == frame.receiver.hex(":")
        assert (int(aggregate) if aggregate else None) == frame.aggregate
        assert float(rate) > 0
    return frames


def wrong_fcs(tshark: Tshark, path: Path) -> list[int]:
    """Numbers of the frames whose FCS tshark finds wrong, if it checks them."""
    reported = tshark.complaints(path, *CHECK_FCS)
    assert all("Bad checksum" in message for _, message in reported)
    return [int(number) for number, _ in reported]


@pytest.mark.parametrize(
    ("mode", "rate_mbps"),
    [
        ("mode: b, channel: 1, rate: 11 Mbit/s", 11),
        ("mode: g, channel: 6, rate: 54 Mbit/s", 54),
        ("mode: a, channel: 36, rate: 54 Mbit/s", 54),
        ("mode: n, channel: 11, rate: MCS 7", 65),
        ("mode: n, channel: 36, width: 40 MHz, guard_interval: short, rate: MCS 7", 150),
    ],
)
def test_every_frame_of_a_busy_network(boot: Callable[..., Ran], tshark: Tshark, mode: str, rate_mbps: float) -> None:
    path = capture(boot(topology(mode), WORKLOAD, pcap="air"))
    assert tshark.complaints(path) == []
    frames = agrees(tshark, path)
    kinds = {frame.kind for frame in frames}
    assert kinds >= {DATA, ACK, RTS, CTS, BEACON} | ({BA} if "mode: n" in mode else set())
    assert any(frame.aggregate is not None for frame in frames) == ("mode: n" in mode)

    collided = [number for number, frame in enumerate(frames, 1) if frame.damaged]
    assert collided and wrong_fcs(tshark, path) == collided

    from_ap = "wlan.fc.type_subtype in {0x20, 0x28} && wlan.fc.ds == 2 && wlan.ra[0] == 2"  # not to groups
    rates = tshark.fields(path, "wlan_radio.data_rate", only=f"{from_ap} && udp.srcport == 9")
    # in mode b, 179 to 379 with five seeds
    assert len(rates) > COUNT // 2 and {float(rate) for (rate,) in rates} == {rate_mbps}


@pytest.mark.parametrize("encrypt", ["wpa2", "wpa3"])
def test_an_encrypted_network(boot: Callable[..., Ran], tshark: Tshark, encrypt: str) -> None:
    """Nothing can be read, and with the passphrase of WPA2 everything: keys and packet numbers are real."""
    mode = f"mode: n, channel: 36, encrypt: {encrypt}, passwd: {PASSPHRASE}"
    path = capture(boot(topology(mode), WORKLOAD, pcap="air"))
    assert tshark.complaints(path) == []
    frames = agrees(tshark, path)
    protected = sum(frame.kind == DATA and bool(frame.body[1] & 0x40) for frame in frames)
    assert protected > 3 * COUNT and tshark.fields(path, "frame.number", only="udp") == []
    if encrypt == "wpa2":
        assert tshark.complaints(path, *KEY) == []
        read = "wlan.fc.type == 2 && wlan.fc.protected == 1 && (ip || ipv6 || arp)"
        assert len(tshark.fields(path, "frame.number", only=read, options=KEY)) == protected


@pytest.mark.parametrize(
    ("mode", "rate", "kind", "size"), [("a", "54 Mbit/s", ACK, 1), ("a", "54 Mbit/s", ACK, 200), ("n", "MCS 7", BA, 40)]
)
def test_answers_with_bytes_for_a_stack(
    plan_of: Callable[..., Plan],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    tshark: Tshark,
    mode: str,
    rate: str,
    kind: str,
    size: int,
) -> None:
    """They are between the answer's own fields and its FCS, and a comment says so."""
    machine = agent_machine(tmp_path, monkeypatch)
    payload, receiver = bytes(range(size)), stacks.BSSID.replace(":", "")
    carry = stacks.ask(("SET_PAYLOAD", {"RADIO": 1, "ADDR": receiver, "PAYLOAD": payload.hex()}))
    plan = plan_of(
        stacks.TOPOLOGY.replace("MODE", mode).replace("RATE", rate),
        "name: payload\nduration: 3 s\nroles: {server: 1, client: 1}\nprocesses:\n"
        f'  - {{on: client, run: [python3, -c, "{stacks.SINK}"], as: sink, ready: {{listening: udp/9}}}}\n'
        f'  - {{on: server, at: 1500 ms, run: [python3, -c, "{stacks.BURST}"], as: burst}}\n'
        f"timeline:\n  - {{at: 1 s, {carry}}}\n",
        pcap="air",
    )
    directory = tmp_path / "run"
    directory.mkdir()
    stored.boot(plan, machine, directory)
    path = capture(Ran(directory))
    assert tshark.complaints(path) == []
    frames = agrees(tshark, path)
    assert wrong_fcs(tshark, path) == [number for number, frame in enumerate(frames, 1) if frame.damaged]  # collisions
    carrying = [frame for frame in frames if len(frame.body) == OWN_BYTES.get(frame.kind, 0) + size]
    assert not any(frame.damaged for frame in carrying)
    assert any(frame.kind == kind for frame in carrying)
    assert all(frame.body.endswith(payload) for frame in carrying)
    remarked = tshark.fields(path, "frame.comment", only='frame.comment contains "payload"')
    assert remarked == [[PAYLOAD.format(count=len(payload))]] * len(carrying)
