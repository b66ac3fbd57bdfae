# SPDX-License-Identifier: MIT
"""What an analysis beyond the means adds to the results of an experiment: a section of the report, and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lab.drawing.shapes import Scene
from lab.tables import Table


@dataclass(frozen=True)
class More:
    """An analysis of an experiment, ready to be shown and written."""

    key: str  # its entry in results.json
    title: str  # of its section of the report
    about: str  # what it is, below the title
    document: dict[str, Any]  # its entry in results.json
    tables: list[Table]
    scenes: dict[str, Scene] = field(default_factory=dict)  # figures, by the name of their files
    files: dict[str, str] = field(default_factory=dict)  # texts, by file name

    @property
    def written(self) -> list[str]:
        """The names of its files, one of each figure."""
        return [*self.files, *(f"{name}.svg" for name in self.scenes)]
