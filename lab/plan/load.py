# SPDX-License-Identifier: MIT
"""From names on a command line to a plan: finds, reads, overrides, validates and resolves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from lab.errors import InputError, flat, raise_all
from lab.model import groups, library, overrides
from lab.model.base import Model
from lab.model.build import build
from lab.model.document import Document, label_of, read
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.plan.problems import Source
from lab.plan.resolve import check_topology, check_workload, resolve
from lab.plan.types import Plan

_MODELS: dict[str, type[Model]] = {"topology": Topology, "workload": Workload}


def load(
    topology: str,
    workload: str,
    seed: int = 1,
    settings: Iterable[str] = (),
    *,
    pcap: str | None = None,
    places: Mapping[str, str] | None = None,
    draft: bool = False,
) -> Plan:
    """The plan of ``lab run TOPOLOGY WORKLOAD --seed … --set key=value … --pcap …``.

    ``places`` says where settings are written, by key, where that is not the command line. ``draft``: see
    ``lab.plan.resolve.resolve``.

    Raises:
        InputError, InputErrors: whatever is wrong with what the user wrote.
    """
    documents = {
        "topology": read(library.find("topology", topology)),
        "workload": read(library.find("workload", workload)),
    }
    said = overrides.parse(settings)
    overrides.apply(said, documents, _MODELS, places)
    code = library.code_beside(documents["workload"].path)
    return _resolved(documents, seed, said, pcap, code.name if code else None, draft)


def _resolved(
    documents: Mapping[str, Document],
    seed: int,
    said: Mapping[str, str],
    pcap: str | None,
    stack: str | None,
    draft: bool,
) -> Plan:
    """Validate both documents, telling the mistakes of both, then resolve."""
    errors: list[InputError] = []
    place = workload = None
    try:
        place = topology_source(documents["topology"])
    except InputError as error:
        errors += flat(error)
    try:
        workload = workload_source(documents["workload"])
    except InputError as error:
        errors += flat(error)
    raise_all(errors)
    assert place is not None and workload is not None  # else raised
    return resolve(place, workload, seed, said, pcap=pcap, stack=stack, draft=draft)


def topology_source(document: Document) -> Source[Topology]:
    """A validated topology with the table of error rates that it names."""
    model = build(Topology, document)
    groups.place(document, model.groups)
    name = getattr(model.medium.errors, "table", None) if model.medium is not None else None
    if name is None:
        return Source(document, model)
    try:
        return Source(document, model, {name: _text(document.path.parent / name)})
    except InputError as error:
        raise document.error(("medium", "errors", "table"), error.message) from None


def workload_source(document: Document) -> Source[Workload]:
    """A validated workload with the text files that it names."""
    model = build(Workload, document)
    texts: dict[str, str] = {}
    errors = []
    for name, entry in model.files.items():
        if entry.from_ is None:
            continue
        try:
            texts[entry.from_] = _text(document.path.parent / entry.from_)
        except InputError as error:
            errors.append(document.error(("files", name, "from"), error.message))
    raise_all(errors)
    return Source(document, model, texts)


def _text(path: Path) -> str:
    """A text file's content."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{label_of(path)} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise InputError(f"{label_of(path)} cannot be read: {reason}") from error


def check(path: Path) -> str:
    """Judge one file by itself; returns what it is: topology or workload.

    Raises:
        InputError, InputErrors: what is wrong with it.
    """
    return check_document(read(path))


def check_document(document: Document) -> str:
    """Judge a topology or a workload, as ``check`` does."""
    if not isinstance(document.data, dict):
        raise document.error((), "wants keys and values, such as name: my-topology")
    if "nodes" in document.data or "links" in document.data:
        check_topology(topology_source(document))
        return "topology"
    check_workload(workload_source(document))
    return "workload"
