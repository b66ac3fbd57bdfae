# SPDX-License-Identifier: MIT
"""Why hostapd or wpa_supplicant ended at once: an option that the topology gives in the program's own words."""

from __future__ import annotations

import re

from lab.shared import types

_SAID = re.compile(r"Line (\d+): (.*?)\.?$", re.MULTILINE)
_CURES = (
    (r"unknown global field", "options of the network belong in the key network"),
    (r"unknown network field", "global options belong in the key wpa_supplicant"),
    (r"unknown configuration item", "hostapd of this image has no such option"),
)


def _options(node: types.Node) -> list[types.RadioOption]:
    """Return what the topology gives a node in the words of programs."""
    found = list(node.radius.hostapd) if node.radius else []
    for one in (network for radio in node.radios() if radio.radio for network in radio.radio.networks()):
        found += [*one.hostapd, *one.wpa_supplicant, *one.network]
    return found


def refusal(program: str, node: types.Node, config: str, log: str) -> str:
    """Return a message with file and line of the topology, by what the program says of a line of its configuration.

    Empty if it says nothing of a line that the topology gives.
    """
    options = {f"{one.name}={one.value}": one for one in _options(node)}
    lines = config.splitlines()
    for number, said in _SAID.findall(log):
        option = options.get(lines[int(number) - 1].strip()) if int(number) <= len(lines) else None
        if option is not None:
            return f"{option.source}: {program} refuses {option.name}: {said}{_cure(program, said, option)}"
    return ""


def _cure(program: str, said: str, option: types.RadioOption) -> str:
    for pattern, cure in _CURES:
        if re.search(pattern, said):
            return f"; {cure}"
    if program == "wpa_supplicant" and '"' not in option.value:
        return f"; wpa_supplicant reads text only in quotes: {option.name}: '\"{option.value}\"'"
    return ""
