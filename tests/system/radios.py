# SPDX-License-Identifier: MIT
"""Nodes with nothing but a radio, in which tests start wpa_supplicant and hostapd with configurations of their own.

Commands are executed one after another, each in a node, and each waits for the one before. What the programs say is in
/tmp/said of their node.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tests import air
from tests.system.conftest import Ran

Boot = Callable[..., Ran]
STATION = "ctrl_interface=/run/own\ncountry=DE\np2p_disabled=1\n"
_START_MS, _TRIES = 100, 300


@dataclass(frozen=True)
class Played:
    """A finished run: what the commands printed, in order, and by node what its programs said."""

    ran: Ran
    printed: list[str]
    said: dict[str, str]


def frames(played: Played, channel_mhz: int = 2412) -> list[air.Frame]:
    """Return those of a channel, of a run with ``pcap="air"``."""
    return air.frames(played.ran.directory / "raw" / f"air-{channel_mhz}.pcapng")


def address(number: int) -> str:
    """Return the address of the radio of a node, counted from 1 in the order of the files."""
    return f"02:00:01:00:{number:02x}:00"


def access_point(node: str, *lines: str) -> str:
    """Return the configuration of hostapd on channel 1, unless ``lines`` say otherwise."""
    head = [f"interface={node}-wlan0", "driver=nl80211", "ctrl_interface=/run/own", "country_code=DE", "hw_mode=g"]
    return "\n".join(
        [*head, *([] if any(line.startswith("channel=") for line in lines) else ["channel=1"]), *lines, ""]
    )


def network(*lines: str) -> str:
    """Return a network of wpa_supplicant's configuration."""
    return "\n".join(["network={", *lines, "}", ""])


def start_station(node: str) -> tuple[str, str]:
    """Start wpa_supplicant with /etc/own.conf."""
    return node, f"{_managed(node)}; wpa_supplicant -B -t -f /tmp/said -i {node}-wlan0 -D nl80211 -c /etc/own.conf"


def start_access_point(node: str) -> tuple[str, str]:
    """Start hostapd with /etc/own.conf."""
    return node, f"{_managed(node)}; hostapd -B -t -f /tmp/said /etc/own.conf"


def _managed(node: str) -> str:
    return f"ip link set {node}-wlan0 down; iw dev {node}-wlan0 set type managed"


def wpa(node: str, *commands: str) -> tuple[str, str]:
    """Ask wpa_supplicant."""
    return node, "; ".join(f"wpa_cli -p /run/own -i {node}-wlan0 {command}" for command in commands)


def hostapd(node: str, *commands: str) -> tuple[str, str]:
    """Ask hostapd."""
    return node, "; ".join(f"hostapd_cli -p /run/own -i {node}-wlan0 {command}" for command in commands)


def until(node: str, condition: str) -> tuple[str, str]:
    """Wait for 30 s of virtual time until a command succeeds."""
    return node, f"for i in $(seq {_TRIES}); do {condition} && exit 0; sleep 0.1; done; cat /tmp/said; exit 1"


def until_said(node: str, text: str, times: int = 1) -> tuple[str, str]:
    """Wait until a program of the node has said something."""
    return until(node, f'[ "$(grep -c "{text}" /tmp/said)" -ge {times} ]')


def _file(name: str, text: str) -> dict[str, str]:
    """Return the entry of a file of ``play``."""
    node, _, own_name = name.partition("/")
    return {"on": node, "path": f"/etc/{own_name or 'own'}.conf", "text": text}


def play(
    boot: Boot,
    files: Mapping[str, str],
    commands: Iterable[tuple[str, str]],
    *,
    medium: Mapping[str, object] | None = None,
    pcap: str | None = None,
    seconds: int = 40,
) -> Played:
    """Execute commands in nodes.

    Args:
        boot: the fixture.
        files: the text of /etc/own.conf by node, and of /etc/NAME.conf by ``node/NAME``.
        commands: pairs of a node and a command for its shell, such as the functions above return.
        medium: keys of the topology's medium; without positions, all links have 40 dB.
        pcap: see ``boot``.
        seconds: the duration of the run.
    """
    nodes = list(dict.fromkeys(name.split("/")[0] for name in files))
    place = {"name": "radios", "nodes": {node: {"kind": "monitor"} for node in nodes}, "medium": medium or {}}
    all_commands = [*commands, *((node, "touch /tmp/said; cat /tmp/said") for node in nodes)]
    work = {
        "name": "own",
        "duration": f"{seconds} s",
        "files": {f"file{number}": _file(*file) for number, file in enumerate(files.items())},
        "timeline": [
            {"at": f"{_START_MS + number} ms", "exec": node, "run": ["sh", "-c", f"({command}) 2>&1"]}
            for number, (node, command) in enumerate(all_commands)
        ],
    }
    ran = boot(json.dumps(place), json.dumps(work), pcap=pcap)
    outputs = ran.outputs()
    return Played(ran, outputs[: -len(nodes)], dict(zip(nodes, outputs[-len(nodes) :], strict=True)))
