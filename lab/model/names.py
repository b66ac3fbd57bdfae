# SPDX-License-Identifier: MIT
"""Names of nodes, links and processes."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from lab.model.base import Text, refuse

INTERFACE_LENGTH_MAX = 15  # IFNAMSIZ - 1
NODE_LENGTH_MAX = 9  # its interface adds "-wlan0"


def _node_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        refuse(f'"{name}" is not a valid node name; use letters, digits and _, starting with a letter')
    if len(name) > NODE_LENGTH_MAX:
        refuse(
            f'"{name}" is too long: interfaces are named {name}-wlan0, and Linux allows {INTERFACE_LENGTH_MAX} '
            f"characters; use at most {NODE_LENGTH_MAX}"
        )
    if name == "self":
        refuse('"self" is reserved for the current node; choose another name')
    return name


def _title(name: str) -> str:
    if not name.isprintable() or not name.strip():
        refuse(f"{name!a} is not a valid name; use printable characters")
    return name


def _process_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*", name):
        refuse(
            f'"{name}" is not a valid name for a process, file or metric; use letters, digits and _, with - only in '
            "between"
        )
    return name


def _link_name(value: Any) -> Any:
    """Name a link by its ends: ``[h1, s1]`` is the link ``h1-s1``."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(end, str) for end in value):
        return "-".join(value)
    return value


NodeName = Annotated[Text, AfterValidator(_node_name)]
Title = Annotated[Text, AfterValidator(_title)]  # of a file: also in names of folders
Identifier = Annotated[Text, AfterValidator(_process_name)]
LinkName = Annotated[Text, BeforeValidator(_link_name, json_schema_input_type=str | tuple[str, str])]
