# SPDX-License-Identifier: MIT
"""Docker images of nodes: what their configuration says, as the plan has it (OCI image specification, "config")."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from lab.docker.reference import LAYOUT, Reference, parse
from lab.docker.skopeo import ENGINE, configuration, layers_name
from lab.errors import InputError
from lab.model.document import NO_TEXT, label_of
from lab.model.node import Node
from lab.shared.types import Docker, Health

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # Docker's, for images that set none
_USER_MOST = (1 << 31) - 1  # of uids and gids, as in Docker
_WORD_MOST = 131_071  # bytes of an argument or a variable, MAX_ARG_STRLEN of Linux
_WORDS_MOST = 1_000_000  # bytes of all together; Linux has room for 2 MiB
_FOLDER_MOST = 1_000  # characters of a working directory, which may have to be made
_SHORTEST_NS, _LONGEST_NS = 1_000_000, 1 << 62  # of times; Docker refuses shorter ones
_INTERVAL_NS, _TIMEOUT_NS, _START_INTERVAL_NS, _RETRIES = 30_000_000_000, 30_000_000_000, 5_000_000_000, 3  # Docker's


@dataclass(frozen=True)
class DockerImage:
    """A Docker image that a topology names.

    ``layers`` is the name of its files, and empty if they have not been read. ``warning`` is what nodes ignore.
    """

    layers: str = ""
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    runs: Docker = field(default_factory=lambda: Docker([], {}, "/", ""))
    warning: str = ""

    def of(self, node: Node) -> Docker:
        """Return what runs in a node: with a new entrypoint, the image's command is dropped, as in Docker."""
        given = node.entrypoint is not None or node.command is not None
        entrypoint = self.entrypoint if node.entrypoint is None else tuple(node.entrypoint)
        command = self.command if node.entrypoint is None else ()
        argv = [*entrypoint, *(command if node.command is None else node.command)]
        return replace(self.runs, argv=argv, given=given)


def look(text: str, folder: Path, *, read: bool = True) -> DockerImage:
    """Return the Docker image of a reference.

    ``folder``: that of the topology, from which paths count. ``read``: its configuration, too; else only whether it is
    there.

    Raises:
        InputError: If the image does not exist, nodes cannot run it, or it is broken.
        HostError: If skopeo is not installed.
    """
    reference = parse(text).below(folder)
    stamp = _check_file(reference)
    return _read(reference, stamp) if read else DockerImage()


def _check_file(reference: Reference) -> tuple[object, ...]:
    """Return what changes if the file does. A Docker engine is asked once in a process, since it sends whole images.

    Raises:
        InputError: If it does not exist.
    """
    path = reference.path
    if path is None:
        return (os.environ.get(ENGINE),)
    wanted = path / "index.json" if reference.transport == LAYOUT else path
    try:
        if wanted.exists() and not wanted.is_file():  # a pipe or a device may have no end
            raise InputError(f"{label_of(wanted)} is not a regular file")
        with wanted.open("rb"):
            found = wanted.stat()
    except OSError as error:
        reason = error.strerror
        if reference.transport == LAYOUT and path.is_dir():
            reason = "it is a folder without index.json, so it is not an OCI layout"
        raise InputError(f"{label_of(path)} cannot be read: {reason}") from None
    return found.st_size, found.st_ino, found.st_mtime_ns


@lru_cache(100)
def _read(reference: Reference, _stamp: tuple[object, ...]) -> DockerImage:
    """Read an image: once in a process, where an experiment makes many plans."""
    config = configuration(reference)
    machine = (config.get("os", "linux"), config.get("architecture"))
    if machine != ("linux", "amd64"):
        raise InputError(
            f"{reference} is for {machine[0]}/{machine[1]}; nodes run programs for linux/amd64",
            hint="build or pull it with --platform linux/amd64",
        )
    try:
        return _image(config, reference)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{reference} has an invalid configuration: {error}") from None


def _image(config: Mapping[str, Any], reference: Reference) -> DockerImage:
    runs = config.get("config") or {}
    environment = dict(_variable(text) for text in _words(runs.get("Env"), "Env"))
    environment.setdefault("PATH", PATH)
    health, warning = _health(runs.get("Healthcheck") or {})
    return DockerImage(
        layers_name(config),
        tuple(_words(runs.get("Entrypoint"), "Entrypoint")),
        tuple(_words(runs.get("Cmd"), "Cmd")),
        Docker(
            argv=[],
            environment=environment,
            cwd=_folder(_text(runs.get("WorkingDir") or "", "WorkingDir")),
            user=_user(_text(runs.get("User") or "", "User")),
            health=health,
            source=str(reference),
        ),
        f"{reference} {warning}" if warning else "",
    )


def _variable(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name:
        raise ValueError(f'"{text}" in Env has no name')
    return name, value


def _folder(text: str) -> str:
    if len(text) > _FOLDER_MOST:
        raise ValueError(f"WorkingDir has {len(text)} characters; at most {_FOLDER_MOST} are possible")
    return str(Path("/", text))


def _text(value: Any, key: str) -> str:
    """Check a text that programs get."""
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a text")
    if NO_TEXT.search(value):
        raise ValueError(f"{key} has a zero byte, or half of a character")
    if len(value.encode()) > _WORD_MOST:
        raise ValueError(f"{key} has a text of {len(value.encode())} bytes; Linux takes at most {_WORD_MOST}")
    return value


def _words(value: Any, key: str) -> list[str]:
    """Return a list of words; old images have a text, for a shell."""
    if isinstance(value, str):
        return ["/bin/sh", "-c", value]
    words = list(value or [])
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"{key} is not a list of words")
    if sum(len(_text(word, key).encode()) + 9 for word in words) > _WORDS_MOST:  # 9: its end, and a pointer to it
        raise ValueError(f"{key} is longer than {_WORDS_MOST:,} bytes")
    return words


def _user(text: str) -> str:
    """Check the numbers of a user, ``UID`` or ``NAME:GID``; names are looked up in the guest."""
    for part in text.split(":", 1):
        if part.isdecimal() and int(part) > _USER_MOST:
            raise ValueError(f"User is {text}, but numbers of users and groups are at most {_USER_MOST}")
    return text


def _health(check: Mapping[str, Any]) -> tuple[Health | None, str]:
    """Return the health check and a warning; no check: it is missing, switched off or unknown."""
    test, *words = _words(check.get("Test"), "Test") or ["NONE"]
    if test == "NONE":
        return None, ""
    if test not in ("CMD", "CMD-SHELL"):
        return None, (
            f'has a health check of the type "{test}", which is ignored, as in Docker: nothing waits for its health; '
            "its first word must be CMD, CMD-SHELL or NONE"
        )
    if not words:
        raise ValueError(f"its health check {test} has no command")
    health = Health(
        argv=["/bin/sh", "-c", *words] if test == "CMD-SHELL" else words,
        interval_ns=_time_ns(check, "Interval", _INTERVAL_NS),
        timeout_ns=_time_ns(check, "Timeout", _TIMEOUT_NS),
        start_period_ns=_time_ns(check, "StartPeriod", 0),
        start_interval_ns=_time_ns(check, "StartInterval", _START_INTERVAL_NS),
        retries=int(check.get("Retries") or _RETRIES),
    )
    if health.retries < 0:
        raise ValueError(f"Retries of its health check is {health.retries}")
    return health, ""


def _time_ns(check: Mapping[str, Any], key: str, default_ns: int) -> int:
    """Return a time of a health check; as in Docker, 0 stands for the default."""
    found = int(check.get(key) or 0)
    if found and not _SHORTEST_NS <= found <= _LONGEST_NS:
        raise ValueError(f"{key} of its health check is {found} ns; it must be 0, or 1 ms to 146 years")
    return found or default_ns
