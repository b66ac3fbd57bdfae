# SPDX-License-Identifier: MIT
"""The key ``power_save`` of a station."""

from __future__ import annotations

import pytest

from lab.errors import InputError
from lab.runs.dry_run import commands
from lab.shared.types import Plan

from .conftest import Plans


def plan(plans: Plans, keys: str, medium: str = "medium: {}\n") -> Plan:
    text = "name: here\nnodes:\n  ap1: {kind: ap, ssid: campus}\n  sta1: {kind: sta}\n"
    return plans(f"{text}  sta2: {{kind: sta, {keys}}}\n{medium}", "name: there\nduration: 30 s\n")


def test_mac80211_is_informed(plans: Plans) -> None:
    lines = [line for line in commands(plan(plans, "power_save: true")) if "power_save" in line]
    assert len(lines) == 1
    assert "iw dev sta2-wlan0 set power_save on" in lines[0]


def test_without_the_key_nothing_changes(plans: Plans) -> None:
    assert plan(plans, "power_save: false") == plan(plans, "roles: []")


@pytest.mark.parametrize(
    ("keys", "medium", "why"),
    [
        ("power_save: true", "", "has no effect on the perfect medium, which has no dozing stations"),
        (
            "power_save: true, adhoc: {ssid: meeting, channel: 5}",
            "medium: {}\n",
            "needs a network with access points",
        ),
    ],
)
def test_where_it_has_no_effect_it_is_refused(plans: Plans, keys: str, medium: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as failure:
        plan(plans, keys, medium)
    assert str(failure.value).startswith("t.yaml:5  nodes.sta2.power_save: ")
