# SPDX-License-Identifier: MIT
"""Files ``images/<name>/image.yaml``: what an image is for, and what its nodes need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from lab import units
from lab.library import IMAGE_FILE
from lab.model.base import Model, Quantity, Text
from lab.model.build import build
from lab.model.include import read
from lab.model.node import GUEST_MOST_BYTES, MEMORY_BYTES, MEMORY_LEAST_BYTES


@dataclass(frozen=True)
class FoundImage:
    """An image that a topology's nodes have."""

    file: ImageFile
    folder: str | None = None  # if only this topology finds it there; other images are found by their names


def image_file(folder: Path) -> ImageFile:
    """Read the file of an image; without one, return what holds then.

    Raises:
        InputError, InputErrors: If it has mistakes.
    """
    about = folder / IMAGE_FILE
    return build(ImageFile, read(about)) if about.is_file() else ImageFile.model_validate({})


class ImageFile(Model):
    """What the lab needs to know about an image in addition to its files."""

    about: Text = Field("", description="What it is for, in one sentence.")
    memory: Annotated[int, Quantity(units.SIZE, least=MEMORY_LEAST_BYTES, most=GUEST_MOST_BYTES)] = Field(
        MEMORY_BYTES, description="Memory limit of nodes with this image that set no memory: themselves."
    )
