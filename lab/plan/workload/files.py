# SPDX-License-Identifier: MIT
"""Files that a workload copies into nodes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

from lab.model.document import Keys
from lab.model.workload import FileEntry, Workload
from lab.plan.contents import Content
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.workload.processes import PlannedProcesses
from lab.shared.random_files import random_sha256
from lab.shared.types import File, Node

_MODE, _MODE_OF_PROGRAM = 0o644, 0o755


def resolve(source: ValidatedFile[Workload], processes: PlannedProcesses, seed: int, problems: Problems) -> list[File]:
    """Return every file for every node of its roles, in file order."""
    found = []
    places: dict[tuple[str, str], str] = {}
    for name, entry in source.model.files.items():
        keys: Keys = ("files", name)
        nodes = {node.name: node for role in entry.on for node in processes.nodes_of(role, (*keys, "on"))}
        for node in nodes.values():
            for file in _files(source, processes, name, entry, node, seed):
                other = places.setdefault((node.name, file.path), name)
                if other != name:
                    problems.add(
                        source,
                        (*keys, "path"),
                        f"{file.path} on {node.name} is already the path of file {other}; write another path",
                    )
                found.append(file)
    return found


def packed(source: ValidatedFile[Workload], files: list[File]) -> dict[str, str]:
    """Return the contents that are not text, in base64, by their SHA-256."""
    wanted = {file.sha256 for file in files if file.packed_bytes is not None}
    data = {_sha256(one.data): one.data for contents in source.contents.values() for one in contents}
    return {sha256: base64.b64encode(data[sha256]).decode() for sha256 in sorted(wanted)}


def _files(
    source: ValidatedFile[Workload], processes: PlannedProcesses, name: str, entry: FileEntry, node: Node, seed: int
) -> Iterator[File]:
    """Resolve an entry for a node: a file, or those of a folder."""
    if entry.random is not None:
        sha256 = random_sha256(seed, name, entry.random)
        yield File(name, node.name, entry.path, entry.random, None, sha256, _mode(entry, executable=False))
        return
    if entry.from_ is None:
        contents: tuple[Content, ...] = (Content("", (entry.text or "").encode(), executable=False),)
    else:
        contents = source.contents[entry.from_]
    key = "from" if entry.from_ is not None else "text"
    refuse = processes.problems.at(source, ("files", name, key))
    for content in contents:
        text = _text(content.data)
        if entry.substitute and text is None:
            what = content.within or entry.from_
            refuse(f"{what} is not UTF-8 text, so nothing can be replaced in it; remove substitute:")
        elif entry.substitute and text is not None:
            text = processes.names.fill(text, node, refuse)
        yield File(
            name=f"{name}/{content.within}" if content.within else name,
            node=node.name,
            path=f"{entry.path}/{content.within}" if content.within else entry.path,
            random_bytes=None,
            text=text,
            sha256=_sha256(content.data if text is None else text.encode()),
            mode=_mode(entry, content.executable),
            packed_bytes=len(content.data) if text is None else None,
        )


def _mode(entry: FileEntry, executable: bool) -> int:
    if entry.mode is not None:
        return entry.mode
    return _MODE_OF_PROGRAM if executable else _MODE


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _text(data: bytes) -> str | None:
    """Return the text of a file; None if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
