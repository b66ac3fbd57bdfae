# SPDX-License-Identifier: MIT
"""From names on a command line to a plan: find, read, override, validate and resolve."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path

from lab import library, registry
from lab.docker.reference import is_reference
from lab.errors import InputError, InputErrors, flat, raise_all, warn
from lab.model import groups
from lab.model.base import Model
from lab.model.build import build
from lab.model.document import Document, Keys, label_of
from lab.model.image import FoundImage, image_file
from lab.model.include import read
from lab.model.overrides import apply, parse
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.plan.contents import TOGETHER_BYTES, Content
from lab.plan.contents import read as read_contents
from lab.plan.docker import DockerImage, look
from lab.plan.exchanged import refuse_exchanged
from lab.plan.problems import ValidatedFile
from lab.plan.resolve import Piece, check_topology, check_workload, resolve
from lab.shared.types import Plan

_TEXT_MOST = 64 << 20  # bytes
_MOST_IMAGES = 14  # HOSTROM_MAX of the kernel, without the base image and the code of a stack
_MODELS: dict[str, type[Model]] = {"topology": Topology, "workload": Workload}


def load(
    topology: str,
    workload: str,
    seed: int = 1,
    overrides: Collection[str] = (),
    *,
    pcap: str | None = None,
    locations: Mapping[str, str] | None = None,
    draft: bool = False,
    piece: Piece | None = None,
) -> Plan:
    """Return the plan of ``lab run TOPOLOGY WORKLOAD --seed … --set key=value … --pcap …``.

    ``locations`` maps keys of overrides that do not come from the command line to FILE:LINE. ``draft``,
    ``piece``: see ``lab.plan.resolve.resolve``.

    Raises:
        InputError, InputErrors: If there are mistakes in what the user wrote.
    """
    parsed = parse(overrides)
    try:
        found = documents(topology, workload, overrides, locations)
        with registry.settled():  # the code next to the workload is known now
            return _resolved(found, seed, parsed, pcap, draft, piece)
    except InputError:
        refuse_exchanged(topology, workload)
        raise


def code_of(
    topology: str, workload: str, overrides: Collection[str] = (), locations: Mapping[str, str] | None = None
) -> Path | None:
    """Return the folder of the stack whose code the run needs, or None, without resolving the plan.

    If there is a plan already, use ``library.code_of(workload, plan.stack)``.

    Raises:
        InputError, InputErrors: If the workload or an override has mistakes.
    """
    document = documents(topology, workload, overrides, locations)["workload"]
    return _code(document, build(Workload, document))


def modules_of(
    topology: str, workload: str, overrides: Collection[str] = (), locations: Mapping[str, str] | None = None
) -> dict[str, Path]:
    """Return the folders of the kernel modules that the run needs, by name, without resolving the plan.

    Raises:
        InputError, InputErrors: If the workload or an override has mistakes.
    """
    document = documents(topology, workload, overrides, locations)["workload"]
    return {name: library.module_called(name) for name in build(Workload, document).modules}


def documents(
    topology: str, workload: str, overrides: Collection[str] = (), locations: Mapping[str, str] | None = None
) -> dict[str, Document]:
    """Return the files ``topology`` and ``workload`` with what they include, and with the overrides, unchecked.

    Raises:
        InputError, InputErrors: If they cannot be read, or a key of an override matches nothing.
    """
    parsed = parse(overrides)
    found = {
        "topology": read(library.find("topology", topology)),
        "workload": read(library.find("workload", workload)),
    }
    for file_type, other, own, foreign in (
        ("topology", "workload", "nodes", "processes"),
        ("workload", "topology", "processes", "nodes"),
    ):
        data = found[file_type].data
        if isinstance(data, dict) and foreign in data and own not in data:
            raise InputError(f"is a {other}; write the file of a {file_type} here", where=found[file_type].label)
    document = found["workload"]
    if isinstance(document.data, dict) and _family(document.data, parsed) == "ipv6":
        changes = document.data.get("ipv6")
        given = {str(key): str(value) for key, value in changes.items()} if isinstance(changes, dict) else {}
        apply(given, found, _MODELS, {key: document.where(("ipv6", key)) for key in given})
    apply(parsed, found, _MODELS, locations)
    return found


def _family(workload: Mapping[str, object], overrides: Mapping[str, str]) -> object:
    """Return the ``family:`` of a run; its value has not been checked yet."""
    given = [overrides[key] for key in ("family", "workload.family") if key in overrides]
    return given[-1] if given else workload.get("family")


def _resolved(
    documents: Mapping[str, Document],
    seed: int,
    overrides: Mapping[str, str],
    pcap: str | None,
    draft: bool,
    piece: Piece | None,
) -> Plan:
    """Validate both documents, reporting the mistakes of both, then resolve."""
    errors: list[InputError] = []
    site = workload = None
    try:
        site = topology_source(documents["topology"])
    except InputError as error:
        errors += flat(error)
    try:
        workload = workload_source(documents["workload"])
    except InputError as error:
        errors += flat(error)
    if site is not None and workload is not None:
        return resolve(site, workload, seed, overrides, pcap=pcap, draft=draft, piece=piece)
    try:  # the one that can be read may have other mistakes
        if site is not None:
            check_topology(site)
        if workload is not None:
            check_workload(workload)
    except InputError as error:
        errors += flat(error)
    raise InputErrors(errors) if len(errors) > 1 else errors[0]


def topology_source(document: Document, *, alone: bool = False) -> ValidatedFile[Topology]:
    """Validate a topology and read the text files that it names: a table of error rates, traces.

    ``alone``: it is only checked, so no Docker engine is asked for its images.
    """
    model = build(Topology, document)
    groups.place(document, model.groups)
    texts: dict[str, str] = {}
    table = getattr(model.medium.errors, "table", None) if model.medium is not None else None
    try:
        if table is not None:
            keys: Keys = ("medium", "errors", "table")
            texts[table] = text_file(document.path.parent / table)
        for index, entry in enumerate(model.mobility):
            keys = ("mobility", index, "file")
            texts |= {name: text_file(document.path.parent / name) for name in entry.files()}
        for node_name, node in model.nodes.items():
            keys = ("nodes", node_name)
            texts |= {name: text_file(document.path.parent / name) for name in node.files()}
    except InputError as error:
        raise document.error(keys, error.message) from None
    images, docker = _images(document, model, read_docker=not alone)
    return ValidatedFile(document, model, texts, images=images, docker=docker)


def _images(
    document: Document, model: Topology, *, read_docker: bool
) -> tuple[dict[str, FoundImage], dict[str, DockerImage]]:
    """Return the images of the nodes by name, and the Docker images by reference.

    Raises:
        InputError, InputErrors: If the image does not exist, or its file has mistakes.
    """
    found: dict[str, FoundImage] = {}
    docker: dict[str, DockerImage] = {}
    errors: list[InputError] = []
    for name, node in model.nodes.items():
        if node.image is None or node.image in found or node.image in docker:
            continue
        try:
            if is_reference(node.image):
                docker[node.image] = look(node.image, document.path.parent, read=read_docker)
                if warning := docker[node.image].warning:
                    warn(warning, document.where(("nodes", name, "image")))
                continue
            found[node.image] = _image(node.image, document.path)
        except InputError as error:
            errors += (
                [document.error(("nodes", name, "image"), error.message, error.hint)]
                if not error.where
                else flat(error)
            )
    raise_all(errors)
    different = {*found, *(image.layers for image in docker.values() if image.layers)}
    if len(different) > _MOST_IMAGES:
        raise document.error(
            ("nodes",),
            f"{len(different)} different images; a topology can have {_MOST_IMAGES} at most",
            "make one image of several: the files of each node are its own",
        )
    return found, docker


def _image(name: str, topology: Path) -> FoundImage:
    folder = library.image_called(name, topology)
    return FoundImage(image_file(folder), library.shown(folder) if library.images().get(name) != folder else None)


def workload_source(document: Document) -> ValidatedFile[Workload]:
    """Validate a workload, read the files that it names, and find its stack."""
    model = build(Workload, document)
    errors: list[InputError] = []
    contents = _contents(document, model, errors)
    for number, module in enumerate(model.modules):
        try:
            library.module_called(module)
        except InputError as error:
            errors.append(document.error(("modules", number), error.message, error.hint))
    stacks: list[str] = []
    try:
        code = _code(document, model)
        if code:
            stacks = [folder.name for folder in (code, *library.used_by(code))]
    except InputError as error:
        errors += flat(error)
    raise_all(errors)
    return ValidatedFile(document, model, contents=contents, stacks=tuple(stacks))


def _contents(document: Document, model: Workload, errors: list[InputError]) -> dict[str, tuple[Content, ...]]:
    """Return the files and folders that a workload names, by their names there; add its mistakes to ``errors``."""
    found: dict[str, tuple[Content, ...]] = {}
    room_bytes = TOGETHER_BYTES
    for name, entry in model.files.items():
        if entry.from_ is None or entry.from_ in found:
            continue
        try:
            found[entry.from_] = read_contents(document.path.parent / entry.from_, room_bytes)
            room_bytes -= sum(len(content.data) for content in found[entry.from_])
        except InputError as error:
            errors.append(document.error(("files", name, "from"), error.message, error.hint))
    return found


def _code(document: Document, model: Workload) -> Path | None:
    try:
        return library.code_of(document.path, model.stack)
    except InputError as error:
        if error.where is not None:  # the mistake is in the stack's folder, not in the workload
            raise
        raise document.error(("stack",), error.message, error.hint) from None


def text_file(path: Path) -> str:
    """Read a text file of the user's, unpacked if it ends in .gz.

    Raises:
        InputError: If it cannot be read, is too long, or is not text.
    """
    packed = path.suffix == ".gz"
    try:
        if path.exists() and not path.is_file():  # a device or a pipe may have no end
            raise InputError(f"{label_of(path)} is not a regular file")
        with gzip.open(path) if packed else path.open("rb") as file:
            content = file.read(_TEXT_MOST + 1)
    except (zlib.error, gzip.BadGzipFile, EOFError):
        raise InputError(f"{label_of(path)} is not a gzip file, or is truncated") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise InputError(f"{label_of(path)} cannot be read: {reason}") from error
    if len(content) > _TEXT_MOST:
        raise InputError(f"{label_of(path)} has more than {_TEXT_MOST >> 20} MiB{' when unpacked' if packed else ''}")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise InputError(f"{label_of(path)} is not UTF-8 text") from None


def check_document(document: Document) -> str:
    """Check a topology or a workload on its own; return which of them it is.

    Raises:
        InputError, InputErrors: If it has mistakes.
    """
    if not isinstance(document.data, dict):
        raise document.error((), "must be a mapping, such as name: my-topology")
    if "nodes" in document.data or ("links" in document.data and "processes" not in document.data):
        check_topology(topology_source(document, alone=True))
        return "topology"
    if not document.data.keys() & (Workload.described().keys() - Topology.described().keys()):
        raise document.error(
            (),
            "looks neither like a topology nor like a workload; a workload needs "
            "duration:, a topology nodes:, an experiment topology: and workload:",
        )
    check_workload(workload_source(document))
    return "workload"
