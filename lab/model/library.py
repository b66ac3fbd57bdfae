# SPDX-License-Identifier: MIT
"""Finding topologies, workloads and experiments: by path, or by short name in the folders that hold them.

``two-aps-handoff`` is ``topologies/two-aps-handoff.yaml``, ``http/download`` is ``workloads/http/download.yaml``, the
experiment ``handoff/outage`` is ``workloads/handoff/experiments/outage.yaml``; the current directory's folders come
before the lab's own.
"""

from __future__ import annotations

from pathlib import Path

import lab
from lab.errors import InputError, near

FOLDERS = {"topology": "topologies", "workload": "workloads", "experiment": "workloads"}
EXPERIMENTS = "experiments"  # folder beside the workloads that they use


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
            within = path.relative_to(folder)
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
        raise InputError(f"there is no file {name_or_path}{near(short, names)}", hint=_listing(kind, names))
    raise InputError(f'no {kind} is called "{name_or_path}"{near(short, names)}', hint=_listing(kind, names))


def _listing(kind: str, names: dict[str, Path]) -> str:
    """What there is to choose from."""
    if not names:
        return f"there are none: no folder {FOLDERS[kind]}/ here or beside the lab"
    return f"known: {', '.join(names)}"
