# SPDX-License-Identifier: MIT
"""The guest's numbers are those of the kernel's header, and the YNL specification describes both."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lab.guest.medium.uapi import (
    ACCESS_CATEGORIES,
    ENCODERS,
    FAMILY,
    LINK_BYTES,
    PART_ENCODERS,
    VERSION,
    Airtime,
    Attr,
    Command,
    FaultAction,
    FaultFrame,
    LinkAttr,
    RateAttr,
)
from lab.model.radio_setting import table
from lab.phy.curves import CURVES
from lab.shared import types
from lab.shared.frozen import fields_of
from lab.shared.medium_types import AccessCounts, FrameCounts
from tests.unit.guest.medium_source import DRIVER, SPECIFICATION, medium_source

PARTS = [setting.part for setting in table().values() if setting.part]  # of the kernel, of stacks
STACKS_FROM = 64  # attributes of the medium that a stack's part adds have numbers from there on
_ENUM = re.compile(r"^enum (?P<name>\w+) \{(?P<body>.*?)^\};", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_POLICY = re.compile(
    r"\[HWSIM_MEDIUM_(?P<set>(?:LINK_|RATE_)?)ATTR_(?P<name>\w+)\] =\s+"
    r"(?:\{ \.type = (?P<type>\w+)|NLA_POLICY_\w+\((?P<first>\w+))"
)

Members = type[IntEnum] | dict[str, int]


def fields(of: type) -> dict[str, int]:
    """What an enum with the fields of a frozen class has."""
    return {name.upper(): number for number, name in enumerate(fields_of(of) or (), 1)}


OURS: dict[str, tuple[Members, str]] = {
    "hwsim_medium_cmd": (Command, "HWSIM_MEDIUM_CMD_"),
    "hwsim_medium_attr": (Attr, "HWSIM_MEDIUM_ATTR_"),
    "hwsim_medium_link_attr": (LinkAttr, "HWSIM_MEDIUM_LINK_ATTR_"),
    "hwsim_medium_rate_attr": (RateAttr, "HWSIM_MEDIUM_RATE_ATTR_"),
    "hwsim_medium_airtime_attr": (Airtime, "HWSIM_MEDIUM_AIRTIME_ATTR_"),
    "hwsim_medium_count_attr": (fields(FrameCounts), "HWSIM_MEDIUM_COUNT_ATTR_"),
    "hwsim_medium_access_attr": (fields(AccessCounts), "HWSIM_MEDIUM_ACCESS_ATTR_"),
    "hwsim_medium_frame": (FaultFrame, "HWSIM_MEDIUM_FRAME_"),
    "hwsim_medium_fault_action": (FaultAction, "HWSIM_MEDIUM_FAULT_"),
}


def enums(header: str) -> dict[str, dict[str, int]]:
    """Members of each enum with their numbers, in order, without the count at the end."""
    found: dict[str, dict[str, int]] = {}
    for match in _ENUM.finditer(_COMMENT.sub("", header)):
        members = found[match["name"]] = {}
        value = 0
        for member in match["body"].split(","):
            name, _, number = (word.strip() for word in member.partition("="))
            if name and not re.search(r"_NUM_|__|_ATTR_MAX$", name):
                members[name] = value = int(number) if number else value
                value += 1
    return found


def differences(header: str) -> list[str]:
    """What the header has otherwise than the guest; attributes of stacks are apart."""
    theirs = enums(header)
    attributes = theirs["hwsim_medium_attr"]
    theirs["hwsim_medium_attr"] = {name: value for name, value in attributes.items() if value < STACKS_FROM}
    found = []
    for name, (ours, prefix) in OURS.items():
        for member, value in theirs[name].items():
            word = member.removeprefix(prefix)
            if word != "UNSPEC" and (ours if isinstance(ours, dict) else ours.__members__).get(word) != value:
                found.append(f"{member} = {value}")
        if len(theirs[name]) - ("UNSPEC" in next(iter(theirs[name]))) != len(ours):
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
enum hwsim_medium_airtime_attr {
	HWSIM_MEDIUM_AIRTIME_ATTR_UNSPEC, HWSIM_MEDIUM_AIRTIME_ATTR_IDLE,
};
enum hwsim_medium_count_attr { HWSIM_MEDIUM_COUNT_ATTR_UNSPEC, HWSIM_MEDIUM_COUNT_ATTR_SENT,
};
enum hwsim_medium_link_attr { HWSIM_MEDIUM_LINK_ATTR_UNSPEC, HWSIM_MEDIUM_LINK_ATTR_TO,
};
enum hwsim_medium_rate_attr { HWSIM_MEDIUM_RATE_ATTR_UNSPEC,
};
enum hwsim_medium_access_attr { HWSIM_MEDIUM_ACCESS_ATTR_UNSPEC,
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
    assert "hwsim_medium_airtime_attr has 2 members" in found
    assert "HWSIM_MEDIUM_LINK_ATTR_TO = 1" in found
    assert "HWSIM_MEDIUM_FAULT_DAMAGE = 0" in found


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The medium's files in a tree."""
    return medium_source(tmp_path_factory.mktemp("medium"))


@pytest.fixture(scope="module")
def header(source: Path) -> str:
    """The header that programs see."""
    return (source / DRIVER / "hwsim_medium_uapi.h").read_text()


def test_the_headers_numbers_are_ours(header: str) -> None:
    text = header
    assert differences(text) == []
    curves = enums(text)["hwsim_medium_curve"]
    assert [kernels_word(curve.name) for curve in CURVES] == [
        member.removeprefix("HWSIM_MEDIUM_CURVE_") for member in curves
    ]


def test_the_headers_numbers_of_stacks_are_those_of_their_settings(header: str) -> None:
    theirs = enums(header)
    ours: dict[str, int] = {}
    for part in PARTS:
        nests = {f"{part.key}_{name}": number for name, number in part.counters.items()}
        ours |= nests | {name: number for numbers in part.attributes.values() for name, number in numbers.items()}
        counts = theirs[f"hwsim_medium_{part.key}_attr"]
        names = {f"HWSIM_MEDIUM_{part.key}_ATTR_{name}".upper(): n for n, name in enumerate(part.counts, 1)}
        assert {name: n for name, n in counts.items() if n} == names
    found = {name: value for name, value in theirs["hwsim_medium_attr"].items() if value >= STACKS_FROM}
    assert found == {f"HWSIM_MEDIUM_ATTR_{name.upper()}": value for name, value in ours.items()}


def kernels_word(curve: str) -> str:
    """``16qam-1/2`` as the header has it: QAM16_1_2."""
    words = re.sub(r"^(\d+)qam", r"qam\1", curve)
    return re.sub(r"[-./]", "_", words).upper()


@pytest.mark.parametrize("curve", [("dsss-1", "DSSS_1"), ("cck-5.5", "CCK_5_5"), ("256qam-5/6", "QAM256_5_6")])
def test_names_of_curves(curve: tuple[str, str]) -> None:
    assert kernels_word(curve[0]) == curve[1]


@pytest.fixture(scope="module")
def specification(source: Path) -> dict[str, Any]:
    """The YNL specification, which tools of the kernel read."""
    found: dict[str, Any] = YAML(typ="safe").load((source / SPECIFICATION).read_text())
    return found


def c_word(name: str) -> str:
    """``snr-mb`` as C has it."""
    return name.replace("-", "_").upper()


def entry_name(entry: str | dict[str, str]) -> str:
    return entry if isinstance(entry, str) else entry["name"]


def test_the_specification_has_the_headers_enums(specification: dict[str, Any], header: str) -> None:
    theirs = enums(header)
    described = {"hwsim_medium_cmd": [operation["name"] for operation in specification["operations"]["list"]]}
    for attributes in specification["attribute-sets"]:
        described[attributes["enum-name"]] = [attribute["name"] for attribute in attributes["attributes"]]
    for definition in specification["definitions"]:
        if definition["type"] == "enum":
            name = f"hwsim_medium_{definition['name'].replace('-', '_')}"
            described[name] = [entry_name(entry) for entry in definition["entries"]]
    assert described.keys() == theirs.keys()
    for name, words in described.items():
        members = [member for member in theirs[name] if not member.endswith("_UNSPEC")]
        assert [member.endswith(f"_{c_word(word)}") for member, word in zip(members, words, strict=True)] == [
            True for _ in words
        ], name
    (medium,) = (one for one in specification["attribute-sets"] if one["name"] == "medium")
    given = {f"HWSIM_MEDIUM_ATTR_{c_word(one['name'])}": one["value"] for one in medium["attributes"] if "value" in one}
    assert given.items() <= theirs["hwsim_medium_attr"].items()
    assert (specification["name"], specification["version"]) == (FAMILY, VERSION)


def test_the_specification_has_the_headers_limits(specification: dict[str, Any], header: str) -> None:
    limits = dict(re.findall(r"#define HWSIM_MEDIUM_(\w+)\s+(\d+)", header))
    for definition in specification["definitions"]:
        if definition["type"] == "const":
            assert limits[c_word(definition["name"])] == str(definition["value"])
    assert limits["GENL_VERSION"] == str(VERSION)


def test_the_kernel_checks_the_specifications_types(specification: dict[str, Any], source: Path) -> None:
    sets = {one["name"]: {item["name"]: item for item in one["attributes"]} for one in specification["attribute-sets"]}
    policies = {"": "medium", "LINK_": "link", "RATE_": "rate"}
    found = set()
    text = "".join(path.read_text() for path in (source / DRIVER).glob("hwsim_medium_netlink*.c"))
    for policy in _POLICY.finditer(text):
        attribute = sets[policies[policy["set"]]][policy["name"].lower().replace("_", "-")]
        kernels = (policy["type"] or policy["first"]).removeprefix("NLA_").lower()
        if attribute["type"] == "nest":
            kernels = {"hwsim_nl_link_policy": "link", "hwsim_nl_rate_policy": "rate"}[kernels]
            assert attribute["nested-attributes"] == kernels
        else:
            assert {"nul_string": "string", "eth_alen": "binary"}.get(kernels, kernels) == attribute["type"]
        found.add((policies[policy["set"]], attribute["name"]))
    sent = {kind.name.lower().replace("_", "-") for kind in ENCODERS} | {"link", "rate"}
    sent |= {name.replace("_", "-") for part in PARTS for numbers in part.attributes.values() for name in numbers}
    assert {name for of, name in found if of == "medium"} == sent
    assert len(found) == len(sent) + len(LinkAttr) + len(RateAttr)


def test_what_we_send_has_the_specifications_size(specification: dict[str, Any]) -> None:
    bytes_of = {"u8": 1, "u32": 4, "s32": 4, "u64": 8}
    (medium,) = (one for one in specification["attribute-sets"] if one["name"] == "medium")
    encoders = {kind.name: encoder for kind, encoder in ENCODERS.items()} | {
        name.upper(): PART_ENCODERS[form] for part in PARTS for form, names in part.attributes.items() for name in names
    }
    for attribute in medium["attributes"]:
        kind = c_word(attribute["name"])
        if attribute["type"] in bytes_of and kind in encoders:
            assert len(encoders[kind](1)) == bytes_of[attribute["type"]], kind


def test_a_link_takes_52_bytes() -> None:
    assert LINK_BYTES == 4 + 6 * 8


def test_what_is_only_answered_has_no_encoder() -> None:
    only_answered = {"PAD", "FREQ_MHZ", "TIME_NS", "FROM", "TO", "COUNTS", "AIRTIMES", "ACCESS", "ARRIVALS", "AC"}
    nests = {"LINK", "RATE"}
    assert {kind.name for kind in Attr} - {kind.name for kind in ENCODERS} == only_answered | nests


def test_access_categories_are_those_of_the_plan() -> None:
    """Written twice: tests put this module into nodes, without the plan's types."""
    assert tuple(types.ACCESS_CATEGORIES.values()) == ACCESS_CATEGORIES
