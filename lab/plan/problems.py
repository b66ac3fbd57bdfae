# SPDX-License-Identifier: MIT
"""The source files of a plan, and the mistakes found in them while it is resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from lab.errors import InputError, ParameterError, flat, raise_all
from lab.model.base import Model
from lab.model.document import Document, Keys
from lab.model.image import FoundImage
from lab.plan.contents import Content
from lab.plan.docker import DockerImage

M = TypeVar("M", bound=Model)

Refuse = Callable[[str], None]
RefuseAt = Callable[..., None]  # keys, message, and maybe a hint


@dataclass(frozen=True)
class ValidatedFile(Generic[M]):
    """A validated file: the model, and the document that knows the line of everything."""

    document: Document
    model: M
    # of a topology: the text files it names, by their names there
    texts: Mapping[str, str] = field(default_factory=dict)
    # of a workload: the files and folders it names, by their names there
    contents: Mapping[str, tuple[Content, ...]] = field(default_factory=dict)
    images: Mapping[str, FoundImage] = field(default_factory=dict)  # of a topology: those of its nodes, by name
    docker: Mapping[str, DockerImage] = field(default_factory=dict)  # the same of Docker images, by reference
    stacks: tuple[str, ...] = ()  # of a workload: the stacks whose code its runs have; the first uses the others


@dataclass
class Problems:
    """Collects mistakes, so that all of them are reported at once."""

    errors: list[InputError] = field(default_factory=list)

    def add(self, source: ValidatedFile[M], keys: Keys, message: str, hint: str | None = None) -> None:
        """Record a mistake in the value at ``keys``."""
        self.errors.append(source.document.error(keys, message, hint))

    def add_all(self, error: InputError) -> None:
        """Record one or more mistakes that already have their location."""
        self.errors += flat(error)

    def add_parameter(self, source: ValidatedFile[M], keys: Keys, error: ValueError) -> None:
        """Record what a probe or metric says of its parameters at ``keys``: of one of them, or of all."""
        if isinstance(error, ParameterError):
            self.add(source, (*keys, error.key), error.message)
        else:
            self.add(source, keys, str(error))

    def of(self, source: ValidatedFile[M]) -> RefuseAt:
        """Return a function that records a mistake in the value at some keys of that file."""
        return partial(self.add, source)

    def at(self, source: ValidatedFile[M], keys: Keys) -> Refuse:
        """Return a function that records a mistake there."""
        return lambda message: self.add(source, keys, message)

    def raise_all(self) -> None:
        """Raise all recorded mistakes, each once."""
        raise_all(list({str(error): error for error in self.errors}.values()))
