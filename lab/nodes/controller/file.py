# SPDX-License-Identifier: MIT
"""An OpenFlow controller."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from lab.errors import unknown
from lab.model.base import Text, refuse
from lab.model.node import Node

APPS = Path(__file__).parent / "apps"  # the lab's own applications
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def own_apps() -> dict[str, str]:
    """Return the text of the lab's own applications, by file name; one may import another."""
    return {file.name: file.read_text() for file in sorted(APPS.glob("*.py"))}


def _app(text: str) -> str:
    known = [name.removesuffix(".py") for name in own_apps()]
    if text.endswith(".py") or text in known or _MODULE.fullmatch(text):
        return text
    refuse(f"{unknown('application', text, known)}; or a file FILE.py, or a Python module in its image")


class Controller(Node):
    """A computer that programs switches and access points by OpenFlow (os-ken)."""

    addressed: ClassVar[bool] = False
    controls: ClassVar[bool] = True

    kind: Literal["controller"] = Field(
        description="controller: an OpenFlow controller (os-ken) of the switches and access points that name it."
    )
    image: Text | None = Field("controller", description="Its image. Default: controller.")
    app: Annotated[Text, AfterValidator(_app)] = Field(
        "learning",
        description="Its application: learning (it learns addresses, and its flows stay), roaming (it also removes "
        "flows to stations that have moved to another access point), a file, as a path from the folder of this file: "
        "mine.py, or a Python module of its image: os_ken.app.ofctl_rest.",
    )

    def files(self) -> list[str]:
        """Return the names of its text files."""
        return [self.app] if self.app.endswith(".py") else []
