# SPDX-License-Identifier: MIT
"""References to Docker images: ``image: docker-daemon:NAME:TAG``, by the names of containers-transports(5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lab.errors import suggestion

DAEMON, LAYOUT, ARCHIVE = "docker-daemon", "oci", "docker-archive"
FORMS = {DAEMON: f"{DAEMON}:NAME:TAG", LAYOUT: f"{LAYOUT}:DIR", ARCHIVE: f"{ARCHIVE}:FILE"}
_KNOWN = ", ".join(FORMS.values())
_REGISTRY = "docker"


@dataclass(frozen=True)
class Reference:
    """Where a Docker image is. ``str()`` is what skopeo takes, and what a user writes."""

    transport: str  # a key of FORMS
    source: str  # a name, or a path
    tag: str | None  # which one, where there may be several

    def __str__(self) -> str:
        return ":".join([self.transport, self.source, *([self.tag] if self.tag else [])])

    @property
    def path(self) -> Path | None:
        """The file or folder; None: it is in the Docker engine."""
        return None if self.transport == DAEMON else Path(self.source)

    def below(self, folder: Path) -> Reference:
        """Return the same with a path that is relative to a folder."""
        return self if self.path is None else replace(self, source=str(folder / self.source))


def is_reference(text: str) -> bool:
    """Return whether ``image:`` names a Docker image, not a folder of images/."""
    return ":" in text


def parse(text: str) -> Reference:
    """Return the parts of a reference; raise a ValueError that says what to write if it is not valid."""
    transport, _, rest = text.partition(":")
    if transport == _REGISTRY:
        name = _tagged(rest.lstrip("/") or "NAME")
        raise ValueError(
            f'"{text}" is in a registry, from which nothing is fetched; first docker pull {name}, then write '
            f"{DAEMON}:{name}"
        )
    if transport not in FORMS:
        near = suggestion(transport, FORMS) or f"; of the Docker engine it is {DAEMON}:{_tagged(text)}"
        raise ValueError(f'"{text}" does not begin with a known transport{near}; known: {_KNOWN}')
    if transport == DAEMON:
        source, _, tag = rest.rpartition(":")
        if not source or not tag or "/" in tag:
            raise ValueError(f'"{text}" lacks the tag; write {DAEMON}:{_tagged(rest.strip(":") or "NAME")}')
    else:
        source, _, tag = rest.partition(":")
        if not source:
            raise ValueError(f'"{text}" lacks the path; write {FORMS[transport]}')
    return Reference(transport, source, tag or None)


def _tagged(name: str) -> str:
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
