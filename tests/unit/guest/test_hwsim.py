# SPDX-License-Identifier: MIT
"""Radios that are to be made: what is sent and printed, and what a user sees of a refusal."""

from __future__ import annotations

import errno
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from lab.guest.errors import GuestError
from lab.guest.hwsim import Hwsim, Limits
from lab.guest.live import LiveGuest
from lab.guest.netlink import wire
from lab.guest.radio_steps import make_radios
from lab.plan.load import load

from .kernel import Kernel, Yes, acknowledged, refused

TOPOLOGY = """\
name: here
nodes:
  ap1: {kind: ap, ssid: campus, mode: g, channel: 1}
  sta1: {kind: sta, ssid: campus, mode: b}
  ap2: {kind: ap, ssid: other, mode: n, channel: 36, streams: 3}
medium: {}
"""
LIMITS: list[Limits] = [{}, {"dsss_only": 1}, {"streams": 3}]


def test_radios_are_made_in_order_with_what_they_lack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("w.yaml").write_text("name: there\nduration: 1 s\n")
    step, kernel = make_radios(load("t.yaml", "w.yaml")), Yes()
    printed = "# netlink, MAC80211_HWSIM: NEW_RADIO"
    assert list(step.describe()) == [printed, f"{printed} dsss_only=1", f"{printed} streams=3"]
    step.execute(cast(LiveGuest, SimpleNamespace(hwsim=Hwsim(kernel))))
    # NEW_RADIO (4), version 1; SUPPORT_P2P_DEVICE (14), DSSS_ONLY (31), STREAMS (30): 3
    assert [message.payload for message in wire.messages(kernel.sent[-1])] == [
        bytes.fromhex("04 01 0000 0400 0e00"),
        bytes.fromhex("04 01 0000 0400 0e00 0400 1f00"),
        bytes.fromhex("04 01 0000 0400 0e00 0500 1e00 03000000"),
    ]


def test_the_number_of_a_radio_is_no_refusal() -> None:
    numbers = b"".join(wire.message(2, 0x100, 2 + n, struct.pack("=i", n) + bytes(16)) for n in range(3))
    Hwsim(Kernel(numbers)).make_radios(LIMITS)


def test_a_refusal_names_the_request() -> None:
    kernel = Kernel(acknowledged(2), acknowledged(3), refused(4, errno.ERANGE, "integer out of range"))
    with pytest.raises(GuestError) as failure:
        Hwsim(kernel).make_radios(LIMITS)
    assert failure.value.message == "hwsim: the kernel refuses NEW_RADIO streams=3: integer out of range"
