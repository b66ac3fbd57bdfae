# SPDX-License-Identifier: MIT
"""What a script has said of its network, in the words of a topology file, each entry with the line that said it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Entry = tuple[str, Any, str]  # a key of a topology with dots, its value, FILE:LINE


@dataclass
class Collected:
    """The keys of a topology."""

    nodes: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    links: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    mobility: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    others: dict[str, tuple[Any, str]] = field(default_factory=dict)

    def entries(self, where: str) -> list[Entry]:
        """Return all of it, those that hold others first; ``where``: the line that builds the network."""
        found: list[Entry] = [(key, value, line) for key, (value, line) in self.others.items()]
        found.append(("nodes", {}, where))
        found += [(f"nodes.{name}", keys, line) for name, (keys, line) in self.nodes.items()]
        for key, listed in (("links", self.links), ("mobility", self.mobility)):
            if listed:
                found.append((key, [None] * len(listed), where))
                found += [(f"{key}.{number}", keys, line) for number, (keys, line) in enumerate(listed)]
        return found
