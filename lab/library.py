# SPDX-License-Identifier: MIT
"""Finds topologies, workloads and experiments: by path, or by short name in their folders.

``two-aps-handoff`` is ``topologies/two-aps-handoff.yaml``, ``http/download`` is ``workloads/http/download.yaml``, the
experiment ``handoff/outage`` is ``workloads/handoff/experiments/outage.yaml``. The current directory's folders take
precedence over the lab's own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from lab.checkout import DATA, PACKAGE
from lab.errors import InputError, suggestion
from lab.text import entries

FOLDERS = {"topology": "topologies", "workload": "workloads", "experiment": "workloads", "image": "images"}
IMAGE_FILE = "image.yaml"  # in images/<name>
BASE_IMAGE, INITRD = "base", "initrd"  # in images/, but no images of nodes
EXPERIMENTS = "experiments"  # folder next to the workloads
CODE = "Makefile"  # in workloads/<stack>: builds the code of the stack
EXERCISES = "exercises"  # in workloads/<stack>, and in grading
FIGURES = "figures"  # in workloads/<stack>: pictures of its documentation
MODULES = "modules"  # in workloads/<stack>: modules of the guest's kernel, a folder with a Makefile each
STACKS = "stacks"  # next to it: the stacks whose code this one uses
# in the lab, in workloads/<stack>, or next to a workload (lab.registry); with what messages call one of their things
NOUNS = {
    "probes": "probe",
    "metrics": "metric",
    "views": "view",
    "radio_settings": "setting of radios",
    "events": "kind of event",
    "nodes": "kind of node",
    "mobility": "mobility model",
    "phy/propagation": "propagation model",
    "phy/fading": "fading",
    "phy/error_models": "error model",
    "report_parts": "part of a report",
    "checks": "kind of check",
}
CODE_ROOMS = tuple(dict.fromkeys(room.partition("/")[0] for room in NOUNS))
ROOMS = (*CODE_ROOMS, "tests")  # in workloads/<stack>: Python for the host, no workloads
_STACK = re.compile(r"[a-z0-9][a-z0-9-]*")


def own_folder(file_type: str) -> Path:
    """Return the folder of the lab's own files of that type."""
    return DATA / FOLDERS[file_type]


def folders(file_type: str) -> list[Path]:
    """Return the folders to search for files of that type, in order of precedence."""
    own = own_folder(file_type)
    here = Path.cwd() / FOLDERS[file_type]
    return [folder for folder in dict.fromkeys([here, own]) if folder.is_dir()]


_remembered: dict[Path, None] = {}


def remember_code(folder: Path) -> None:
    """Remember a folder with code in its rooms, so that it is found: a workload there was given by its path."""
    if _has_code(folder):  # each folder is looked at again for each name
        _remembered[folder] = None


def folders_with_code() -> list[Path]:
    """Return the folders of workloads given by their paths, and the current directory, if they have rooms with code.

    Stacks are not among them, nor is a current directory without YAML files: its folders may have other purposes.
    """
    here = Path.cwd()
    found = [folder for folder in dict.fromkeys([here, *_remembered]) if _has_code(folder)]
    if not found:  # as a rule
        return []
    elsewhere = (PACKAGE, *(folder.resolve() for folder in folders("workload")))
    return [
        folder
        for folder in found
        if not any(folder.is_relative_to(other) for other in elsewhere)
        and (folder in _remembered or any(folder.glob("*.yaml")))
    ]


def _has_code(folder: Path) -> bool:
    """Return whether there is a room with code in a folder."""
    return any((folder / room).is_dir() for room in CODE_ROOMS)


def known(file_type: str) -> dict[str, Path]:
    """Return files of that type by short name, in alphabetical order."""
    found: dict[str, Path] = {}
    for folder in folders(file_type):
        for path in folder.rglob("*.yaml"):
            within = path.relative_to(folder)
            if _is_one(file_type, within):
                found.setdefault(_short(within), path)
    return dict(sorted(found.items()))


def _is_one(file_type: str, within: Path) -> bool:
    """Return whether a file of a folder is of that type, by its place there."""
    if file_type != "topology" and any(part in (*ROOMS, EXERCISES) for part in within.parts[1:-1]):
        return False
    return (EXPERIMENTS in within.parts[:-1]) == (file_type == "experiment")


def called(file_type: str, short: str) -> Path | None:
    """Return the file of a short name, if there is one; of topologies and workloads, without a look at all of them."""
    within = Path(f"{short}.yaml")
    if file_type == "experiment" or within.is_absolute() or ".." in within.parts:
        return known(file_type).get(short)
    if not _is_one(file_type, within):
        return None
    return next((path for folder in folders(file_type) if (path := folder / within).is_file()), None)


def _short(within: Path) -> str:
    """Return the short name of a file in one of the folders."""
    folders = [part for part in within.parts[:-1] if part != EXPERIMENTS]
    return "/".join([*folders, within.stem])


def name_of(experiment: Path) -> str | None:
    """Return the short name of an experiment from its path; None if it is not in a folder of workloads."""
    parts = experiment.resolve().parts
    folder = FOLDERS["experiment"]
    if EXPERIMENTS not in parts[:-1] or folder not in parts[:-1]:
        return None
    start = len(parts) - parts[::-1].index(folder)
    return _short(Path(*parts[start:])) if EXPERIMENTS in parts[start:-1] else None


def find(file_type: str, name_or_path: str) -> Path:
    """Return the file that a user means.

    Raises:
        InputError: If the file does not exist; the hint lists all names.
    """
    path = Path(name_or_path)
    if path.is_file():
        if file_type == "workload":
            remember_code(path.resolve().parent)
        return path
    short = _short(Path(name_or_path.removesuffix(".yaml").removeprefix(f"{FOLDERS[file_type]}/") + ".yaml"))
    if (found := called(file_type, short)) is not None:
        return found
    names = known(file_type)
    for other in ("topology", "workload", "experiment"):
        if other != file_type in FOLDERS and name_or_path in known(other):
            article = "an" if other[0] in "aeiou" else "a"
            raise InputError(f"{name_or_path} is {article} {other}, not a {file_type}", hint=_listing(file_type, names))
    if path.suffix in (".yaml", ".yml") or path.is_absolute() or path.is_dir():
        raise InputError(f"{name_or_path} does not exist{suggestion(short, names)}", hint=_listing(file_type, names))
    raise InputError(f'unknown {file_type} "{name_or_path}"{suggestion(short, names)}', hint=_listing(file_type, names))


def code_of(workload: str | Path, stack: str | None) -> Path | None:
    """Return the folder of the stack whose code is available in runs of a workload; None without one.

    Args:
        workload: its file, or its name or path as given by a user.
        stack: the key ``stack`` of the workload or its plan; None if it is not set.

    Raises:
        InputError: If the workload or a stack with code does not exist; the stack's name is invalid; the workload is in
            the folder of another stack with code, or of one that lists stacks but has no code.
    """
    around = code_around(workload if isinstance(workload, Path) else find("workload", workload))
    if stack is None or (around and around.name == stack):
        return around
    if around:
        raise InputError(
            f"a workload in {FOLDERS['workload']}/{around.name} has the code of {around.name}",
            hint=f"remove stack:; to use {stack} as well, write {stack} into {shown(around / STACKS)}",
        )
    return stack_called(stack)


def code_around(workload: Path) -> Path | None:
    """Return the folder of the stack that contains a workload's file: ``workloads/<stack>``, if it has a Makefile.

    A Makefile elsewhere is ignored: a workload inside another project must not build that project.
    """
    parts = workload.resolve().parts
    folder = FOLDERS["workload"]
    if folder not in parts[:-2]:
        return None
    stack = Path(*parts[: len(parts) - parts[::-1].index(folder) + 1])
    if (stack / CODE).is_file():
        return _named(stack)
    if (stack / STACKS).is_file():
        raise InputError(
            f"{stack.name} has no code that could use other stacks: no {CODE} is next to this list",
            where=shown(stack / STACKS),
            hint="remove the list, and write stack: in the workloads instead; or add the Makefile",
        )
    return None


def _named(stack: Path) -> Path:
    """Return the folder of a stack with code after a check of its name."""
    if not _STACK.fullmatch(stack.name):
        raise InputError(
            f'"{stack.name}" is not a valid name of a stack with code, which becomes /opt/{stack.name} in the guest',
            where=str(stack / CODE),
            hint="rename the folder; use lower-case letters, digits and -",
        )
    return stack


def code_called(stack: str) -> Path | None:
    """Return the folder of the stack of that name, if it has code."""
    found = _stacks().get(stack)
    return _named(found) if found else None


_settled: ContextVar[list[dict[str, Path]] | None] = ContextVar("settled", default=None)


@contextmanager
def settled() -> Iterator[None]:
    """Look for stacks with code at most once in this context."""
    before = _settled.set([])
    try:
        yield
    finally:
        _settled.reset(before)


def _stacks() -> dict[str, Path]:
    known = _settled.get()
    if known:
        return known[0]
    found = _by_name(path.parent for folder in folders("workload") for path in folder.glob(f"*/{CODE}"))
    if known is not None:
        known.append(found)
    return found


def _by_name(found: Iterable[Path]) -> dict[str, Path]:
    """Return folders by name, in alphabetical order; the first folder of a name takes precedence."""
    named: dict[str, Path] = {}
    for path in found:
        named.setdefault(path.name, path)
    return dict(sorted(named.items()))


def stack_called(stack: str) -> Path:
    """Return the folder of the stack of that name.

    Raises:
        InputError: If no stack of that name has code.
    """
    found = code_called(stack)
    if found:
        return found
    names = _stacks()
    raise InputError(
        f'"{stack}" is not a stack with code{suggestion(stack, names)}', hint=f"known: {', '.join(names) or 'none'}"
    )


def module_called(name: str) -> Path:
    """Return the folder of the kernel module of that name: ``workloads/<stack>/modules/<name>``.

    Raises:
        InputError: If the module does not exist.
    """
    found = _by_name(path.parent for folder in folders("workload") for path in folder.glob(f"*/{MODULES}/*/{CODE}"))
    if name in found:
        return found[name]
    raise InputError(
        f'unknown kernel module "{name}"{suggestion(name, found)}: no {FOLDERS["workload"]}/*/{MODULES}/{name} '
        f"with a {CODE}",
        hint=f"known: {', '.join(found) or 'none'}",
    )


def image_places(topology: Path | None = None) -> list[Path]:
    """Return the folders to search for node images, in order of precedence, whether they are there or not.

    ``topology``: the file whose nodes have them; None: only those of the current directory and the lab.
    """
    own, around = own_folder("image"), [Path.cwd()]
    if topology is not None:
        folder = topology.parent.resolve()
        around = [folder, folder.parent, *around]
    near = [folder / FOLDERS["image"] for folder in around]
    return list(dict.fromkeys([*(folder for folder in near if folder != own), own]))


def images(topology: Path | None = None) -> dict[str, Path]:
    """Return the folders of node images by name, in alphabetical order; the first folder of a name takes precedence."""
    return _by_name(path for path in _image_folders(topology) if is_image_name(path.name))


def invalid_image_folders() -> list[Path]:
    """Return the folders in images/ whose names no image can have."""
    return [
        path for path in _image_folders(None) if not is_image_name(path.name) and not path.name.startswith((".", "_"))
    ]


def is_image_name(name: str) -> bool:
    """Return whether a node image can have that name."""
    return _STACK.fullmatch(name) is not None


def _image_folders(topology: Path | None) -> Iterator[Path]:
    for place in image_places(topology):
        if place.is_dir():
            yield from (path for path in place.iterdir() if path.is_dir() and path.name not in (BASE_IMAGE, INITRD))


def image_called(name: str, topology: Path | None = None) -> Path:
    """Return the folder of the node image of that name.

    ``topology``: the file with the node, next to which it may be.

    Raises:
        InputError: If the image does not exist; names the folders that were searched.
    """
    found = images(topology)
    if name in found:
        return found[name]
    places = image_places(topology)
    unfit = next((place / name for place in places if name and (place / name).is_dir()), None)
    if unfit and not is_image_name(name):
        raise invalid_image_name(unfit)
    if name in (BASE_IMAGE, INITRD):
        raise InputError(f'"{name}" is part of every node, not an image that a node can choose', hint="remove the key")
    looked = ", ".join(shown(place) for place in places)
    raise InputError(
        f'unknown image "{name}"{suggestion(name, found)}; looked for a folder of that name in {looked}',
        hint=f"known: {', '.join(found) or 'none'}",
    )


def image_meant(name_or_folder: str) -> Path:
    """Return the folder of the node image that a user means: its name, or its path with a slash.

    Raises:
        InputError: If the image does not exist.
    """
    folder = Path(name_or_folder)
    if "/" not in name_or_folder or not folder.is_dir():
        return image_called(name_or_folder)
    folder = folder.resolve()
    if not is_image_name(folder.name):
        raise invalid_image_name(folder)
    return folder


def invalid_image_name(folder: Path) -> InputError:
    """Return an error about a folder in images/ whose name no image can have."""
    return InputError(
        f'"{folder.name}" cannot be the name of an image',
        hint=f"give its folder, {shown(folder)}, a name of lower-case letters, digits and hyphens",
    )


def used_by(code: Path) -> list[Path]:
    """Return the folders of the stacks whose code a stack uses, by its file ``stacks`` and by theirs.

    Each stack is in the list once, before those that only it uses.

    Raises:
        InputError: If a line is not the name of one other stack with code, or stacks use each other in a circle.
    """
    found: dict[str, Path] = {}
    _collect(code, [code.name], found)
    return list(found.values())


def _collect(code: Path, chain: list[str], found: dict[str, Path]) -> None:
    """Add what the last stack of a chain uses; in the chain, each stack uses the next one."""
    for where, name in _listed(code / STACKS):
        if name in chain:
            around = [*chain[chain.index(name) :], name]
            links = ", ".join(f"{one} uses {other}" for one, other in itertools.pairwise(around))
            raise InputError(f"stacks use each other in a circle: {links}", where=where, hint="remove this line")
        used = _used(where, name)
        if name not in found:
            found[name] = used
            _collect(used, [*chain, name], found)


def _listed(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (FILE:LINE, name of a stack) of a list; nothing without that file."""
    if not path.is_file():
        return
    for number, words in entries(path.read_text(encoding="utf-8", errors="replace")):
        where = f"{shown(path)}:{number}"
        if len(words) > 1:
            raise InputError(f'"{" ".join(words)}" names more than one stack', where=where, hint="write one per line")
        yield where, words[0]


def _used(where: str, name: str) -> Path:
    """Return the folder of a stack that the list at ``where`` names."""
    try:
        return stack_called(name)
    except InputError as error:
        if error.where is not None:  # its name is invalid
            raise
        if not any((folder / name).is_dir() for folder in folders("workload")):
            raise InputError(error.message, where=where, hint=error.hint) from None
    raise InputError(
        f"the stack {name} has no code: no {CODE} in {FOLDERS['workload']}/{name}",
        where=where,
        hint="remove this line: workloads may use its probes and metrics without it",
    )


def searched_here() -> list[Path]:
    """Return the folders of the current directory that are searched for code and files, whether they are there or not.

    What is in them may be executed: probes, metrics, programs of stacks.
    """
    return [Path.cwd() / name for name in (*CODE_ROOMS, *dict.fromkeys(FOLDERS.values()))]


def shown(path: Path) -> str:
    """Return a path for messages: relative to the current directory if it is inside."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def of_any_type(name: str) -> Path:
    """Return the file of a short name, whether a topology, a workload or an experiment; else ``name`` as a path."""
    return next((found for file_type in FOLDERS if (found := called(file_type, name)) is not None), Path(name))


def _listing(file_type: str, names: dict[str, Path]) -> str:
    if not names:
        return f"no folder {FOLDERS[file_type]}/ found in the current directory or next to the lab"
    return f"known: {', '.join(names)}"
