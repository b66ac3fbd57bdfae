# SPDX-License-Identifier: MIT
"""Finds topologies, workloads and experiments: by path, or by short name in their folders.

``two-aps-handoff`` is ``topologies/two-aps-handoff.yaml``, ``http/download`` is ``workloads/http/download.yaml``, the
experiment ``handoff/outage`` is ``workloads/handoff/experiments/outage.yaml``. The current directory's folders take
precedence over the lab's own.
"""

from __future__ import annotations

import re
from pathlib import Path

import lab
from lab.errors import InputError, suggestion

FOLDERS = {"topology": "topologies", "workload": "workloads", "experiment": "workloads"}
EXPERIMENTS = "experiments"  # folder beside the workloads
CODE = "Makefile"  # in workloads/<stack>: builds the code of the stack
ROOMS = ("probes", "metrics", "views", "tests")  # in workloads/<stack>: Python for the host, no workloads
_STACK = re.compile(r"[a-z0-9][a-z0-9-]*")


def own_folder(kind: str) -> Path:
    """Return the folder of the lab's own files of that kind."""
    return Path(lab.__file__).resolve().parent.parent / FOLDERS[kind]


def folders(kind: str) -> list[Path]:
    """Return the folders to search for files of that kind, in order of precedence."""
    own = own_folder(kind)
    here = Path.cwd() / FOLDERS[kind]
    return [folder for folder in dict.fromkeys([here, own]) if folder.is_dir()]


def known(kind: str) -> dict[str, Path]:
    """Return files of that kind by short name, in alphabetical order."""
    found: dict[str, Path] = {}
    for folder in folders(kind):
        for path in folder.rglob("*.yaml"):
            within = path.relative_to(folder)
            if kind != "topology" and any(part in ROOMS for part in within.parts[1:-1]):
                continue
            if (EXPERIMENTS in within.parts[:-1]) == (kind == "experiment"):
                found.setdefault(_short(within), path)
    return dict(sorted(found.items()))


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


def find(kind: str, name_or_path: str) -> Path:
    """Return the file that a user means.

    Raises:
        InputError: there is no such file; the hint lists all names.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    names = known(kind)
    short = _short(Path(name_or_path.removesuffix(".yaml").removeprefix(f"{FOLDERS[kind]}/") + ".yaml"))
    if short in names:
        return names[short]
    if path.suffix in (".yaml", ".yml") or path.is_absolute() or path.is_dir():
        raise InputError(f"there is no file {name_or_path}{suggestion(short, names)}", hint=_listing(kind, names))
    raise InputError(f'there is no {kind} "{name_or_path}"{suggestion(short, names)}', hint=_listing(kind, names))


def code_of(workload: str | Path, stack: str | None) -> Path | None:
    """Return the folder of the stack whose code is available in runs of a workload; None if there is none.

    Args:
        workload: its file, or its name or path as given by a user.
        stack: the key ``stack`` of the workload or its plan; None if it is not set.

    Raises:
        InputError: there is no such workload or stack with code; the stack's name is invalid; the workload is in the
            folder of another stack with code.
    """
    around = code_around(workload if isinstance(workload, Path) else find("workload", workload))
    if stack is None or (around and around.name == stack):
        return around
    if around:
        raise InputError(
            f"a run has the code of one stack only, and a workload in {FOLDERS['workload']}/{around.name} has that of "
            f"{around.name}",
            hint=f"to use {stack}, move the workload to another folder; to use {around.name}, remove stack:",
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
    return _named(stack) if (stack / CODE).is_file() else None


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


def _stacks() -> dict[str, Path]:
    """Return folders of stacks with code by name; the first folder of a name takes precedence."""
    found: dict[str, Path] = {}
    for folder in folders("workload"):
        for path in folder.glob(f"*/{CODE}"):
            found.setdefault(path.parent.name, path.parent)
    return found


def stack_called(stack: str) -> Path:
    """Return the folder of the stack of that name.

    Raises:
        InputError: there is no such stack with code.
    """
    found = code_called(stack)
    if found:
        return found
    names = sorted(_stacks())
    raise InputError(
        f'there is no stack "{stack}" with code{suggestion(stack, names)}', hint=f"known: {', '.join(names) or 'none'}"
    )


def _listing(kind: str, names: dict[str, Path]) -> str:
    """Return a hint with all names."""
    if not names:
        return f"there is no folder {FOLDERS[kind]}/ in the current directory or beside the lab"
    return f"known: {', '.join(names)}"
