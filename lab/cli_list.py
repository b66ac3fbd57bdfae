# SPDX-License-Identifier: MIT
"""The verbs that tell: list, doctor, and what kernel and image are."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from lab.terminal import console


def print_list(as_json: bool) -> None:
    """Topologies, workloads and probes, with what they are about."""
    from rich.table import Table

    from lab.model import library
    from lab.model.document import read
    from lab.probes import base as probes

    found: dict[str, dict[str, str]] = {}
    for kind, heading in (("topology", "topologies"), ("workload", "workloads")):
        data = {name: read(path).data for name, path in library.known(kind).items()}
        found[heading] = {
            name: str(value.get("about", "")) if isinstance(value, dict) else "" for name, value in sorted(data.items())
        }
    found["probes"] = {name: probes.load(name).about for name in probes.known()}
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for heading, entries in found.items():
        table = Table(title=heading, title_justify="left", show_header=False, box=None)
        for name, about in entries.items():
            table.add_row(name, about)
        console().print(table)
        console().print()


def print_doctor(as_json: bool) -> int:
    """What the machine has and lacks; exit status 1 if a run would not work."""
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


def print_facts(built: Any, as_json: bool) -> None:
    """The fields of what was built, one a line."""
    facts = {
        key: str(value) if not isinstance(value, dict) else value for key, value in dataclasses.asdict(built).items()
    }
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    for key, value in facts.items():
        print(f"{key}: {len(value)} packages" if isinstance(value, dict) else f"{key}: {value}")
