# SPDX-License-Identifier: MIT
"""Options of hostapd and wpa_supplicant in their own words, for what the lab has no key for.

The lab does not know these options: the programs check them, and the guest reports what they refuse with the line of
the topology. Refused here are only those by which the lab itself works, and those that other nodes adopt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from lab.model.base import refuse

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_FOLLOWED = "the lab starts it with its own, by which it follows what happens"
_OF_HOSTAPD = {
    **dict.fromkeys(("interface", "driver", "ctrl_interface", "ctrl_interface_group"), _FOLLOWED),
    "bridge": "the lab bridges the radio and the wired ports",
    "bss": "stations adopt its networks from the topology; write bss: of the node",
    "bssid": "stations and events know it from the topology; write bssid: of the node",
    "ssid": "stations adopt it from the topology; write ssid: of the node",
    "channel": "stations look for it where the topology says; write channel: of the node",
    "hw_mode": "stations and the medium adopt it from the topology; write mode: of the node",
    "ieee80211n": "stations and the medium adopt it from the topology; write mode: n of the node",
    "country_code": "all radios are in one country; write country: of the topology",
    "beacon_int": "write beacon_interval: of the node",
    "wpa_passphrase": "stations adopt it from the topology; write encrypt: and passwd: of the node",
}
_OF_SUPPLICANT = {
    **dict.fromkeys(("ctrl_interface", "ctrl_interface_group"), _FOLLOWED),
    "country": "all radios are in one country; write country: of the topology",
    "network": "options of the network belong in network:, next to wpa_supplicant:",
    "cred": "it is a block; only single options can be written here",
}
_OF_NETWORK = {"ssid": "events know it from the topology; write ssid: of the node"}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"type": ["string", "number", "boolean"]},
            {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
        ]
    },
}


def _checked(refused: Mapping[str, str], written: Any) -> Any:
    """Return the values of each option as they will be in the file, one a line."""
    if not isinstance(written, dict):
        return written
    found = {}
    for name, value in written.items():
        if name in refused:
            refuse(refused[name], name)
        if not _NAME.match(name):
            meant = re.sub(r"\W", "_", name)
            refuse(f'"{name}" is not a valid name of an option; write {meant}: VALUE', name)
        if value == []:
            refuse("needs a value", name)
        found[name] = [_line(name, one) for one in (value if isinstance(value, list) else [value])]
    return found


def _line(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if not isinstance(value, int | float | str):
        what = "nothing" if value is None else "a mapping" if isinstance(value, dict) else "a list in a list"
        refuse(f"needs a text, a number, true (1) or false (0), or a list of these, not {what}", name)
    text = getattr(value, "written", str(value))
    if not text.isprintable():
        refuse("must be one line of printable text; write a list for several lines", name)
    return text


def _options(refused: Mapping[str, str]) -> Any:
    return Annotated[dict[str, list[str]], BeforeValidator(partial(_checked, refused)), WithJsonSchema(_SCHEMA)]


if TYPE_CHECKING:
    HostapdOptions = dict[str, list[str]]
    SupplicantOptions = dict[str, list[str]]
    NetworkOptions = dict[str, list[str]]
else:
    HostapdOptions = _options(_OF_HOSTAPD)
    SupplicantOptions = _options(_OF_SUPPLICANT)
    NetworkOptions = _options(_OF_NETWORK)
