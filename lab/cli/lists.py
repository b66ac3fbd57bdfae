# SPDX-License-Identifier: MIT
"""The verbs that only show something: list, doctor, and the descriptions of kernel and image."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from lab.errors import InputError
from lab.fitted import Fitted
from lab.terminal import console
from lab.text import short_hash


def print_list(as_json: bool, what: str | None = None) -> None:
    """List topologies, workloads and everything else, or only ``what``, each with its description."""
    from rich.table import Table

    found = {heading: make() for heading, make in _LISTS.items() if what in (None, heading)}
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for heading, entries in found.items():
        if not entries:
            console().print(f"{heading}: none\n")
            continue
        table = Table(title=heading, title_justify="left", show_header=False, box=None)
        for name, about in entries.items():
            table.add_row(name, about)
        console().print(Fitted(table))
        console().print()


def _described(names: Iterable[str], about: Callable[[str], str]) -> dict[str, str]:
    """Return each name with its description, or with what is wrong with it: one mistake must not hide the others."""
    found = {}
    for name in names:
        try:
            found[name] = about(name)
        except InputError as error:
            found[name] = f"cannot be used: {error}"
    return found


def _files(file_type: str) -> dict[str, str]:
    from lab import library
    from lab.model.include import read

    known = library.known(file_type)

    def about(name: str) -> str:
        data = read(known[name]).data
        return str(data.get("about", "")) if isinstance(data, dict) else ""

    return _described(known, about)


def _probes() -> dict[str, str]:
    from lab.probes import base as probes

    def about(name: str) -> str:
        probe = probes.load(name)
        return f"{probe.about} (stack {probe.stack})" if probe.stack else probe.about

    return _described(probes.known(), about)


def _metrics() -> dict[str, str]:
    from lab.metrics import base as metrics
    from lab.views.base import VIEWS

    found = _described(metrics.known(), lambda kind: metrics.load(kind).about)
    return found | {str(stray.where): f"cannot be used: {stray}" for stray in VIEWS.stray()}


def _images() -> dict[str, str]:
    from lab import library
    from lab.model.image import image_file

    known = library.images()
    found = _described(known, lambda name: image_file(known[name]).about)
    return found | {
        one.name: f"cannot be used: {library.invalid_image_name(one)}" for one in library.invalid_image_folders()
    }


_LISTS: dict[str, Callable[[], dict[str, str]]] = {
    "topologies": partial(_files, "topology"),
    "workloads": partial(_files, "workload"),
    "experiments": partial(_files, "experiment"),
    "images": _images,
    "probes": _probes,
    "metrics": _metrics,
}


def print_doctor(as_json: bool) -> int:
    """Print what the machine has and what is missing; return 1 if a run would fail."""
    from lab.machine.doctor import examine

    findings = examine()
    if as_json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = "[green]ok     [/]" if finding.ok else "[red]problem[/]"
            console().print(f"{mark} {finding.name}: {finding.found}")
            if not finding.ok:
                console().print(f"        {finding.advice}", markup=False)
    return 0 if all(finding.ok for finding in findings) else 1


def print_missing_packages(as_json: bool) -> None:
    """Print the Debian packages that are missing, one per line."""
    from lab.machine.doctor import host_tools, packages

    missing = packages(tool for tool in host_tools() if not tool.found)
    print(json.dumps(missing) if as_json else "\n".join(missing), end="\n" if missing or as_json else "")


def print_images(built: Sequence[Any], as_json: bool) -> None:
    """Print node images, with their size and what they add to the base image."""
    from rich.table import Table

    if as_json:
        print(json.dumps([{**dataclasses.asdict(image), "path": str(image.path)} for image in built], indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("image", "size", "packages", "SHA-256"):
        table.add_column(column, justify="right" if column in ("size", "packages") else "left")
    for image in built:
        size_bytes = image.path.stat().st_size
        table.add_row(
            image.name, f"{size_bytes / (1 << 20):.0f} MiB", str(len(image.packages)), short_hash(image.sha256)
        )
    console().print(Fitted(table))


def print_facts(built: Any, as_json: bool) -> None:
    """Print the fields of a build result, one per line."""
    facts = {
        key: list(value) if isinstance(value, tuple) else value if isinstance(value, dict) else str(value)
        for key, value in dataclasses.asdict(built).items()
    }
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    for key, value in facts.items():
        shown = f"{len(value)} packages" if isinstance(value, dict) else value
        print(f"{key}: {' '.join(shown) if isinstance(shown, list) else shown}")
