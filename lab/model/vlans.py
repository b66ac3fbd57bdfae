# SPDX-License-Identifier: MIT
"""VLANs as topologies give them (IEEE 802.1Q)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from lab.model.base import Integer, refuse

_MOST = 4094  # IEEE 802.1Q-2022 Table 9-2: 0 and 4095 have other meanings


def _one(value: Any) -> Any:
    if isinstance(value, list):
        refuse(f"untagged frames are of one VLAN; write vlans: [{', '.join(map(str, value))}] for a trunk")
    return value


def _several(value: Any) -> Any:
    if value is True or value == "all":
        refuse("name the VLANs, such as [10, 20]; a link between two switches without vlan: and vlans: carries all")
    if isinstance(value, dict):
        refuse("must be a list, such as [10, 20]")
    return value if isinstance(value, list) else [value]


def _number(number: int) -> int:
    if not 1 <= number <= _MOST:
        refuse(f'"{number}" is not a valid VLAN; write a number from 1 to {_MOST}')
    return number


def _once(numbers: list[int]) -> list[int]:
    twice = next((one for one in numbers if numbers.count(one) > 1), None)
    if twice is not None:
        refuse(f"{twice} is there twice; remove one of them")
    return numbers


Vlan = Annotated[Integer, BeforeValidator(_one), AfterValidator(_number)]
VlanList = Annotated[
    list[Annotated[Integer, AfterValidator(_number)]],
    BeforeValidator(_several, json_schema_input_type=int | list[int]),
    AfterValidator(_once),
]
