# SPDX-License-Identifier: MIT
"""Finding topologies, workloads and experiments: by path, or by short name in the folders that hold them.

``two-aps-handoff`` is ``topologies/two-aps-handoff.yaml``, ``http/download`` is ``workloads/http/download.yaml``, the
experiment ``handoff/outage`` is ``workloads/handoff/experiments/outage.yaml``; the current directory's folders come
before the lab's own.
"""

from __future__ import annotations

import re
from pathlib import Path

import lab
from lab.errors import InputError, suggestion

FOLDERS = {"topology": "topologies", "workload": "workloads", "experiment": "workloads"}
EXPERIMENTS = "experiments"  # folder beside the workloads that they use
CODE = "Makefile"  # in workloads/<stack>: the stack has code, and this builds it
ROOMS = ("probes", "metrics", "views", "tests")  # in workloads/<stack>: Python for the host; no workload lies in there
_STACK = re.compile(r"[a-z0-9][a-z0-9-]*")


def own_folder(kind: str) -> Path:
    """Where the lab's own files of that kind are."""
    return Path(lab.__file__).resolve().parent.parent / FOLDERS[kind]


def folders(kind: str) -> list[Path]:
    """Where files of that kind are looked for, nearest first."""
    own = own_folder(kind)
    here = Path.cwd() / FOLDERS[kind]
    return [folder for folder in dict.fromkeys([here, own]) if folder.is_dir()]


def known(kind: str) -> dict[str, Path]:
    """Files of that kind by short name, in alphabetical order."""
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
    """The short name of a file in one of the folders."""
    folders = [part for part in within.parts[:-1] if part != EXPERIMENTS]
    return "/".join([*folders, within.stem])


def name_of(experiment: Path) -> str | None:
    """The short name that an experiment has by its place; None where it is not in a folder of workloads."""
    parts = experiment.resolve().parts
    folder = FOLDERS["experiment"]
    if EXPERIMENTS not in parts[:-1] or folder not in parts[:-1]:
        return None
    start = len(parts) - parts[::-1].index(folder)
    return _short(Path(*parts[start:])) if EXPERIMENTS in parts[start:-1] else None


def find(kind: str, name_or_path: str) -> Path:
    """The file that a user means.

    Raises:
        InputError: there is none; lists those there are.
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
    raise InputError(f'no {kind} is called "{name_or_path}"{suggestion(short, names)}', hint=_listing(kind, names))


def code_of(workload: str | Path, stack: str | None) -> Path | None:
    """The folder of the stack whose code the runs of a workload have; None: they have none.

    Args:
        workload: its file, or what a user calls it: a name or a path.
        stack: what the workload says, or its plan, which comes to the same; None: nothing.

    Raises:
        InputError: there is no such workload; no stack with code is called that, or it cannot be called what it is; the
            workload lies in another stack with code.
    """
    around = code_around(workload if isinstance(workload, Path) else find("workload", workload))
    if stack is None or (around and around.name == stack):
        return around
    if around:
        raise InputError(
            f"a run has the code of one stack, and a workload in {FOLDERS['workload']}/{around.name} has that of "
            f"{around.name}",
            hint=f"to have that of {stack}, put the workload elsewhere; {around.name} needs no stack: here",
        )
    return stack_called(stack)


def code_around(workload: Path) -> Path | None:
    """The folder of the stack that a workload's file lies in: ``workloads/<stack>`` around it, if that has a Makefile.

    A Makefile anywhere else is none of ours: a workload that lies in somebody's project must not build that.
    """
    parts = workload.resolve().parts
    folder = FOLDERS["workload"]
    if folder not in parts[:-2]:
        return None
    stack = Path(*parts[: len(parts) - parts[::-1].index(folder) + 1])
    return _named(stack) if (stack / CODE).is_file() else None


def _named(stack: Path) -> Path:
    """The folder of a stack with code, whose name is one."""
    if not _STACK.fullmatch(stack.name):
        raise InputError(
            f'"{stack.name}" is no name of a stack with code: it becomes /opt/{stack.name} in the guest',
            where=str(stack / CODE),
            hint="call the folder by lower-case letters, digits and -",
        )
    return stack


def code_called(stack: str) -> Path | None:
    """The folder of the stack of that name in the folders of workloads, if it has code."""
    found = _stacks().get(stack)
    return _named(found) if found else None


def _stacks() -> dict[str, Path]:
    """Folders of stacks with code by name; nearer ones hide others."""
    found: dict[str, Path] = {}
    for folder in folders("workload"):
        for path in folder.glob(f"*/{CODE}"):
            found.setdefault(path.parent.name, path.parent)
    return found


def stack_called(stack: str) -> Path:
    """The same; who asks for it wants it.

    Raises:
        InputError: no stack with code is called that.
    """
    found = code_called(stack)
    if found:
        return found
    names = sorted(_stacks())
    raise InputError(
        f'no stack with code is called "{stack}"{suggestion(stack, names)}', hint=f"known: {', '.join(names) or 'none'}"
    )


def _listing(kind: str, names: dict[str, Path]) -> str:
    """What there is to choose from."""
    if not names:
        return f"there are none: no folder {FOLDERS[kind]}/ here or beside the lab"
    return f"known: {', '.join(names)}"
