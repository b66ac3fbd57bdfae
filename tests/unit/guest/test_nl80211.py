# SPDX-License-Identifier: MIT
"""Requests to nl80211: what is sent and printed, and what a user sees of a refusal."""

from __future__ import annotations

import errno
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from lab.guest.errors import GuestError
from lab.guest.live import LiveGuest
from lab.guest.netlink.wire import attribute, text
from lab.guest.nl80211 import Nl80211
from lab.guest.radio_steps import move_radio, set_country

from .kernel import Kernel, Yes, acknowledged, answer, done, refused


def guest(kernel: Kernel) -> LiveGuest:
    """A guest whose nodes all have process 300."""

    def wait_for(condition: Callable[[], bool], *_: object) -> None:
        while not condition():
            pass

    loop = SimpleNamespace(wait_for=wait_for)
    return cast(LiveGuest, SimpleNamespace(nl80211=Nl80211(kernel), pid=lambda node: 300, loop=loop))


def test_a_radio_moves_by_its_number_to_a_process() -> None:
    step, kernel = move_radio(2, "sta1", lambda node: f"<pid of {node}>"), Yes()
    assert list(step.describe()) == ["# netlink, nl80211: SET_WIPHY_NETNS wiphy=2 pid=<pid of sta1>"]
    step.execute(guest(kernel))
    # SET_WIPHY_NETNS (49), version 1; NL80211_ATTR_WIPHY (1): 2; NL80211_ATTR_PID (82): 300
    assert kernel.sent[-1][16:] == bytes.fromhex("31 01 0000 0800 0100 02000000 0800 5200 2c010000")


def test_a_country_is_set_after_its_database_was_read() -> None:
    domains = [
        answer(number, attribute(33, text(country))) + done(number) for number, country in ((4, "00"), (5, "DE"))
    ]
    step, kernel = set_country("DE"), Kernel(acknowledged(2), acknowledged(3), *domains)
    assert list(step.describe()) == [
        "# netlink, nl80211: RELOAD_REGDB",
        "# netlink, nl80211: REQ_SET_REG alpha2=DE",
        "# wait for the country DE",
    ]
    step.execute(guest(kernel))
    # RELOAD_REGDB (126); REQ_SET_REG (27), NL80211_ATTR_REG_ALPHA2 (33); GET_REG (31) until it is there
    assert [sent[16:] for sent in kernel.sent[1:]] == [
        bytes.fromhex("7e 01 0000"),
        bytes.fromhex("1b 01 0000 0700 2100") + b"DE\0\0",
        bytes.fromhex("1f 01 0000"),
        bytes.fromhex("1f 01 0000"),
    ]


def test_a_refusal_names_the_node() -> None:
    with pytest.raises(GuestError) as failure:
        move_radio(2, "sta1", lambda node: 0).execute(guest(Kernel(refused(2, errno.EBUSY))))
    assert failure.value.message == "nl80211: the kernel does not move phy2 to sta1: Device or resource busy"
    assert failure.value.culprit == "sta1"
