# SPDX-License-Identifier: MIT
"""A trial of a point: its plan, the command that repeats it, its key, and what workers answer about it.

Jobs and answers are plain data, passed between processes and machines.
"""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.experiments.run.store import Kept
from lab.experiments.types import Experiment, Point, Trial
from lab.plan.load import load

_WORDS = ("about", "image_folders")  # of a plan; the content of images counts by its hash


@dataclass(frozen=True)
class Job:
    """A trial for a worker."""

    key: str
    plan: str  # JSON
    hashes: dict[str, str | None]  # which the worker's must equal


def trial(experiment: Experiment, point: Point, repetition: int) -> Trial:
    """Plan the ``repetition``-th run of a point, counted from 0.

    Raises:
        InputError: If the topology, the workload or the overrides are not valid.
    """
    seed = experiment.seed + point.seed_offset + repetition
    plan = load(point.topology, point.workload, seed, point.overrides, locations=point.locations)
    return Trial(point.number, seed, plan.to_json(), command(point, seed))


def command(point: Point, seed: int) -> str:
    """Return the command, quoted for a shell, that runs only this trial."""
    overrides = [word for override in point.overrides for word in ("--set", override)]
    return shlex.join(["lab", "run", point.topology, point.workload, *overrides, "--seed", str(seed)])


def key(plan: str, hashes: Mapping[str, str | None]) -> str:
    """Return the key of a trial: SHA-256 of its plan and of what it is run with, in hexadecimal.

    Args:
        plan: JSON. The order of keys does not matter, and descriptions for people do not count.
        hashes: of the parts of a run (lab.runs.provenance.hashes).
    """
    content = {"plan": _without_words(json.loads(plan)), "machine": dict(hashes)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_words(plan: dict[str, Any]) -> dict[str, Any]:
    """Drop from a plan what is only for people: a new comment in a topology changes all later line numbers."""
    content = {name: value for name, value in plan.items() if name not in _WORDS}
    for name, value in content.items():
        if isinstance(value, list):
            content[name] = [_without_source(item) for item in value]
    for node in content.get("nodes", []):
        node |= {name: _without_source(value) for name, value in node.items() if name == "docker"}
    return content


def _without_source(item: Any) -> Any:
    return {word: item[word] for word in item if word != "source"} if isinstance(item, dict) else item


@dataclass(frozen=True)
class Finished:
    """The trial has finished."""

    kept: Kept


@dataclass(frozen=True)
class Failed:
    """The guest, a process in it, or a parser of its output failed. ``left`` is the trial's directory."""

    error: str  # with the end of its log
    directory: str  # its path on the worker: ``error`` names files in it
    left: bytes  # an archive (pack_directory)
    wall_s: float


@dataclass(frozen=True)
class Lost:
    """No worker finished the trial: each worker that ran it was killed."""

    error: str


@dataclass(frozen=True)
class Refused:
    """The worker's build differs from the caller's. It did not run the trial."""

    worker: str
    differing: dict[str, tuple[str | None, str | None]]  # kernel, image, code, …: the caller's hash, the worker's


Answer = Finished | Failed | Lost | Refused


LIMIT_BYTES = 100_000_000  # of all files: captures may be too large to send
LEFT_OUT = "left-out.txt"


def pack_directory(directory: Path, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """Archive the files below a directory, smallest first, up to the limit; list the others.

    It leaves out links to other places, and anything that is not a file.
    """
    files = [path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()]
    room_bytes = limit_bytes
    left_out = []
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
        for path in sorted(files, key=lambda path: (path.stat().st_size, path)):
            name = str(path.relative_to(directory))
            room_bytes -= path.stat().st_size
            if room_bytes >= 0:
                archive.write(path, name)
            else:
                left_out.append(f"{name}: {path.stat().st_size} bytes\n")
        if left_out:
            archive.writestr(LEFT_OUT, "".join(left_out))
    return buffer.getvalue()


def unpack_directory(left: bytes, directory: Path) -> None:
    """Extract the files to ``directory``, and replace its content.

    Raises:
        OSError: If the files cannot be written.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(left)) as archive:
        archive.extractall(directory)  # never outside of it, whatever their names
