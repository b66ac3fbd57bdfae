# SPDX-License-Identifier: MIT
"""Finding topologies and workloads: by path, or by short name in the folders that hold them.

``two-aps-handoff`` is ``topologies/two-aps-handoff.yaml``, ``http/download`` is ``workloads/http/download.yaml``; the
current directory's folders come before the lab's own.
"""

from __future__ import annotations

from pathlib import Path

import lab
from lab.errors import InputError, near

FOLDERS = {"topology": "topologies", "workload": "workloads"}


def folders(kind: str) -> list[Path]:
    """Where files of that kind are looked for, nearest first."""
    own = Path(lab.__file__).resolve().parent.parent / FOLDERS[kind]
    here = Path.cwd() / FOLDERS[kind]
    return [folder for folder in dict.fromkeys([here, own]) if folder.is_dir()]


def known(kind: str) -> dict[str, Path]:
    """Files of that kind by short name, in alphabetical order."""
    found: dict[str, Path] = {}
    for folder in folders(kind):
        for path in folder.rglob("*.yaml"):
            if "experiments" not in path.relative_to(folder).parts:
                found.setdefault(str(path.relative_to(folder).with_suffix("")), path)
    return dict(sorted(found.items()))


def find(kind: str, name_or_path: str) -> Path:
    """The file that a user means.

    Raises:
        InputError: there is none; lists those there are.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    names = known(kind)
    short = name_or_path.removesuffix(".yaml").removeprefix(f"{FOLDERS[kind]}/")
    if short in names:
        return names[short]
    if path.suffix in (".yaml", ".yml") or path.is_absolute() or path.is_dir():
        raise InputError(f"there is no file {name_or_path}{near(short, names)}", hint=_listing(kind, names))
    raise InputError(f'no {kind} is called "{name_or_path}"{near(short, names)}', hint=_listing(kind, names))


def _listing(kind: str, names: dict[str, Path]) -> str:
    """What there is to choose from."""
    if not names:
        return f"there are none: no folder {FOLDERS[kind]}/ here or beside the lab"
    return f"known: {', '.join(names)}"
