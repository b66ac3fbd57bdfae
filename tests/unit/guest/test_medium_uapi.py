# SPDX-License-Identifier: MIT
"""The guest's numbers are those of the kernel's header."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import pytest

from lab.guest.medium.uapi import (
    ACCESS_CATEGORIES,
    ENCODERS,
    LINK,
    RATE,
    Airtime,
    Attr,
    Command,
    Count,
    FaultAction,
    Frame,
)
from lab.phy.curves import CURVES
from lab.shared import types

FOLDER = Path(__file__).resolve().parents[3] / "hwsim-patches" / "files"
_ENUM = re.compile(r"^enum (?P<name>\w+) \{(?P<body>.*?)^\};", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)

OURS: dict[str, tuple[type[IntEnum], str]] = {
    "hwsim_medium_cmd": (Command, "HWSIM_MEDIUM_CMD_"),
    "hwsim_medium_attr": (Attr, "HWSIM_MEDIUM_ATTR_"),
    "hwsim_medium_airtime": (Airtime, "HWSIM_MEDIUM_AIRTIME_"),
    "hwsim_medium_count": (Count, "HWSIM_MEDIUM_COUNT_"),
    "hwsim_medium_frame": (Frame, "HWSIM_MEDIUM_FRAME_"),
    "hwsim_medium_fault_action": (FaultAction, "HWSIM_MEDIUM_FAULT_"),
}


def enums(header: str) -> dict[str, list[str]]:
    """Members of each enum, in order, without the count at the end."""
    found = {}
    for match in _ENUM.finditer(_COMMENT.sub("", header)):
        members = [member.split("=")[0].strip() for member in match["body"].split(",")]
        found[match["name"]] = [
            member for member in members if member and not re.search(r"_NUM_|__|_ATTR_MAX$", member)
        ]
    return found


def differences(header: str) -> list[str]:
    """What the header has otherwise than the guest."""
    theirs = enums(header)
    found = []
    for name, (ours, prefix) in OURS.items():
        for value, member in enumerate(theirs[name]):
            word = member.removeprefix(prefix)
            if word != "UNSPEC" and ours.__members__.get(word) != value:
                found.append(f"{member} = {value}")
        if len(theirs[name]) - ("UNSPEC" in theirs[name][0]) != len(ours):
            found.append(f"{name} has {len(theirs[name])} members")
    return found


HEADER = """
enum hwsim_medium_cmd {
	HWSIM_MEDIUM_CMD_UNSPEC,
	HWSIM_MEDIUM_CMD_NEW,	/* a, b */
	HWSIM_MEDIUM_CMD_SET_CURVE,
};
enum hwsim_medium_attr { HWSIM_MEDIUM_ATTR_UNSPEC, HWSIM_MEDIUM_ATTR_PAD,
	__HWSIM_MEDIUM_ATTR_END, HWSIM_MEDIUM_ATTR_MAX = __HWSIM_MEDIUM_ATTR_END - 1,
};
enum hwsim_medium_airtime {
	HWSIM_MEDIUM_AIRTIME_IDLE, HWSIM_MEDIUM_NUM_AIRTIMES,
};
enum hwsim_medium_count {
	HWSIM_MEDIUM_COUNT_SENT,
};
enum hwsim_medium_frame {
	HWSIM_MEDIUM_FRAME_ANY,
};
enum hwsim_medium_fault_action {
	HWSIM_MEDIUM_FAULT_DAMAGE,
};
"""


def test_a_difference_is_found() -> None:
    found = differences(HEADER)
    assert "HWSIM_MEDIUM_CMD_SET_CURVE = 2" in found and "HWSIM_MEDIUM_CMD_NEW = 1" not in found
    assert "hwsim_medium_airtime has 1 members" in found
    assert "HWSIM_MEDIUM_FAULT_DAMAGE = 0" in found


def test_the_headers_numbers_are_ours() -> None:
    for header in FOLDER.rglob("hwsim_medium_uapi.h"):
        text = header.read_text()
        assert differences(text) == []
        curves = enums(text)["hwsim_medium_curve"]
        assert [kernels_word(curve.name) for curve in CURVES] == [
            member.removeprefix("HWSIM_MEDIUM_CURVE_") for member in curves
        ]


def kernels_word(curve: str) -> str:
    """``16qam-1/2`` as the header has it: QAM16_1_2."""
    words = re.sub(r"^(\d+)qam", r"qam\1", curve)
    return re.sub(r"[-./]", "_", words).upper()


@pytest.mark.parametrize("curve", [("dsss-1", "DSSS_1"), ("cck-5.5", "CCK_5_5"), ("256qam-5/6", "QAM256_5_6")])
def test_names_of_curves(curve: tuple[str, str]) -> None:
    assert kernels_word(curve[0]) == curve[1]


def test_a_link_has_20_bytes() -> None:
    assert LINK.size == 20


def test_a_rate_has_6_bytes() -> None:
    assert RATE.size == 6


def test_what_is_only_answered_has_no_encoder() -> None:
    only_answered = {"PAD", "FREQ_MHZ", "TIME_NS", "FROM", "TO", "COUNTS", "AIRTIMES_NS", "AC_COUNTS", "ARRIVALS"}
    assert {kind.name for kind in Attr} - {kind.name for kind in ENCODERS} == only_answered


def test_access_categories_are_those_of_the_plan() -> None:
    """Written twice: tests put this module into nodes, without the plan's types."""
    assert tuple(types.ACCESS_CATEGORIES.values()) == ACCESS_CATEGORIES
