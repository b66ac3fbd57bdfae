# SPDX-License-Identifier: MIT
"""The types of results that probes of this stack yield and its metrics take, in addition to the lab's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Commands:
    """Commands of SMTP that a server has had, by name."""

    label: ClassVar[str] = "commands of SMTP"

    counts: Mapping[str, int]
