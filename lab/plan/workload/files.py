# SPDX-License-Identifier: MIT
"""Files that a workload copies into nodes."""

from __future__ import annotations

import hashlib

from lab.model.document import Keys
from lab.model.workload import FileEntry, Workload
from lab.plan.problems import Problems, Source
from lab.plan.workload.processes import Processes
from lab.shared.random_files import random_sha256
from lab.shared.types import File, Node


def resolve(source: Source[Workload], processes: Processes, seed: int, problems: Problems) -> list[File]:
    """Return every file for every node of its roles, in file order."""
    found = []
    places: dict[tuple[str, str], str] = {}
    for name, entry in source.model.files.items():
        keys: Keys = ("files", name)
        sha256 = random_sha256(seed, name, entry.random) if entry.random is not None else ""
        nodes = {node.name: node for role in entry.on for node in processes.nodes_of(role, (*keys, "on"))}
        for node in nodes.values():
            other = places.setdefault((node.name, entry.path), name)
            if other != name:
                problems.add(
                    source,
                    (*keys, "path"),
                    f"{entry.path} on {node.name} is already the file {other}; write another path",
                )
            found.append(_file(source, processes, name, entry, node, sha256))
    return found


def _file(source: Source[Workload], processes: Processes, name: str, entry: FileEntry, node: Node, sha256: str) -> File:
    """Resolve one file, with the references of a text file replaced."""
    text = None
    if entry.random is None:
        key = "from" if entry.from_ is not None else "text"
        raw = source.texts[entry.from_] if entry.from_ is not None else entry.text or ""
        text = processes.names.fill(raw, node, processes.problems.at(source, ("files", name, key)))
        sha256 = hashlib.sha256(text.encode()).hexdigest()
    return File(name=name, node=node.name, path=entry.path, random_bytes=entry.random, text=text, sha256=sha256)
