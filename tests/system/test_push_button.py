# SPDX-License-Identifier: MIT
"""A station learns the passphrase of its network at the push of a button, and nobody else does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest


@pytest.mark.parametrize(("encrypt", "medium"), [("wpa2", "perfect"), ("wpa2/wpa3", "{}")])
def test_the_push_of_a_button(boot: Callable[..., Ran], encrypt: str, medium: str) -> None:
    nodes = f"  ap1: {{kind: ap, ssid: home, encrypt: {encrypt}, passwd: espresso, wps: true}}\n"
    nodes += "  sta1: {kind: sta, wps: true}\n  sta2: {kind: sta, wps: true}\n  sta3: {kind: sta}\n"
    events = "  - {at: 2 s, wps: sta1, to: ap1}\n"
    for number in (1, 2):
        run = "[sh, -c, 'wpa_cli status | grep wpa_state; ping -c 1 sta3; true']"
        events += f"  - {{at: 19 s, exec: sta{number}, run: {run}}}\n"
    ran = boot(f"name: place\nnodes:\n{nodes}medium: {medium}\ntimeline:\n{events}", "name: look\nduration: 20 s\n")
    assert set(ran.guest()["associations"]) == {"sta3"}
    inside, outside = ran.outputs()
    assert "wpa_state=COMPLETED" in inside and "1 received" in inside
    assert "wpa_state=COMPLETED" not in outside and "1 received" not in outside
