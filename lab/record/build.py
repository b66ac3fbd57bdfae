# SPDX-License-Identifier: MIT
"""Builds a record from the raw data of a run: parses, computes, checks."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from lab import left
from lab.errors import RecordError, RunError
from lab.probes import base as probes
from lab.record import medium, metrics, printed
from lab.record.record import FILE_NAME, VERSION, Record, to_json
from lab.shared.frozen import data as shared_data
from lab.shared.names import escaped
from lab.shared.outcome import Outcome
from lab.shared.paths import DAEMON_LOGS
from lab.shared.types import Node, Plan, Process, radios

RAW = "raw"
_SWAPS = "Switch own primary and secondary channel"  # of hostapd
COLLECTED = "collected"
Thing = TypeVar("Thing")


def build(
    directory: Path,
    *,
    hashes: Mapping[str, str | None],
    versions: Mapping[str, Any] | None = None,
    between: Callable[[], None] = lambda: None,
) -> Record:
    """Build the record of the run in ``directory`` and write it there.

    Args:
        directory: contains plan.json, guest.json and raw/.
        hashes: SHA-256 of kernel, image and series of the guest; None without one.
        versions: versions that guest.json does not contain (lab, packages of the image).
        between: called between two steps of the work; an exception of it ends that.

    Raises:
        RecordError: If a file is missing or damaged.
        HostError: If the record cannot be written.
    """
    hint = "it is not the directory of a run; `lab run` prints that"
    if runs := sorted(found.parent for found in directory.glob("*/plan.json")):
        hint = f"it holds {len(runs)} runs; choose one: lab report {runs[0]}"
    plan = _read(directory / "plan.json", Plan.from_json, hint)
    outcome = _read(directory / "guest.json", Outcome.from_json, "the guest did not finish; run it again")
    sources = {}
    for process in plan.processes:
        sources[process.id] = _output(directory / RAW, process, plan, outcome)
        between()
    on_air = medium.read(directory / RAW) if plan.medium else None
    results = metrics.metrics(plan, sources, outcome, on_air)
    between()
    checks = metrics.checks(plan, sources, outcome, results)
    data: dict[str, Any] = {
        "version": VERSION,
        "plan": plan.data(),
        "versions": {"kernel": outcome.kernel, "packages": {}, **(versions or {})},
        "hashes": {**hashes, "plan": hashlib.sha256(plan.to_json().encode()).hexdigest()},
        "clock": {"epoch_ns": outcome.epoch_ns, "boot_ns": outcome.boot_ns, "end_ns": outcome.end_ns},
        **{key: shared_data(getattr(outcome, key)) for key in ("processes", "events", "error")},
        "sources": {identifier: _described(source) for identifier, source in sources.items()},
        "metrics": results,
        "checks": checks,
        "passed": outcome.error is None
        and all(check["passed"] for check in checks)
        and not any(source.error for source in sources.values()),
        "raw": _files(directory / RAW),
    }
    if on_air:
        data["medium"] = shared_data(on_air)
    if outcome.memory_kills:
        data["memory_kills"] = outcome.memory_kills
    if outcome.unfinished:
        data["unfinished"] = shared_data(outcome.unfinished)
    if swapped := _swapped(plan, directory / RAW):
        data["swapped_channels"] = swapped
    if plan.collect:
        data["collected"] = _files(directory / COLLECTED)
    # as after a load: tuples become lists
    record = Record(directory, json.loads(to_json(data)))
    record.write()
    return record


def _swapped(plan: Plan, raw: Path) -> list[str]:
    """Return the access points whose hostapd has made the secondary channel of a wide radio its primary one.

    It says so in its log only.
    """
    wide = dict.fromkeys(one.home for one in radios(plan.nodes) if one.kind == "ap" and _is_wide(one))
    logs = {name: raw / DAEMON_LOGS.name / f"{name}-hostapd.log" for name in wide}
    return [name for name, log in logs.items() if log.exists() and _SWAPS in left.text(log)]


def _is_wide(node: Node) -> bool:
    return node.radio is not None and node.radio.ht40_secondary is not None


def rebuild(directory: Path) -> Record:
    """Build the record again from raw data.

    Versions and hashes are not in the raw data: they are copied from the existing record, whatever its version. If
    there is no readable record, they stay empty.

    Raises:
        RecordError: If the raw data is missing or damaged.
    """
    try:
        before = json.loads(left.document(directory / FILE_NAME))
    except (FileNotFoundError, ValueError, RecursionError, RunError):
        before = {}
    hashes = {name: digest for name, digest in _member(before, "hashes").items() if name != "plan"}
    return build(directory, hashes=hashes, versions=_member(before, "versions"))


def _member(data: Any, key: str) -> dict[str, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _read(path: Path, parse: Callable[[str], Thing], missing: str) -> Thing:
    try:
        found = parse(left.document(path).decode("utf-8"))
        if found is None:
            raise ValueError("it is null")
        return found
    except FileNotFoundError:
        raise RecordError(f"{path.parent} has no {path.name}", hint=missing) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        damaged = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
        hint = None if damaged else "another version of the lab made this run; run it again"
        raise RecordError(f"{path} cannot be read: {error}", hint=hint) from None


def _output(raw: Path, process: Process, plan: Plan, outcome: Outcome) -> metrics.ProcessOutput:
    """Return a process of the plan, with its parsed output if it is a probe."""
    ended = next((one for one in outcome.processes if one.id == process.id), None)
    found = probes.Raw(
        directory=raw,
        id=process.id,
        params=process.params,
        epoch_ns=outcome.epoch_ns,
        started_ns=ended.started_ns if ended else max(process.at_ns, 0),
    )
    exit_code = ended.exit if ended else None
    output = metrics.ProcessOutput(process=process, node=plan.node(process.node), raw=found, exit=exit_code)
    if process.probe is not None:
        try:
            output.parsed = _parsed(process.probe, _probe(process), found)
        except _FailedParser as error:
            output.error = str(error)
    elif process.prints is not None and found.path("out").exists():
        try:
            output.parsed = printed.parse(found, process.prints, outcome.boot_ns, process.source)
        except probes.ProbeOutputError as error:
            output.error = str(error)
    output.ended_ns = outcome.end_ns if ended is None or ended.ended_ns is None else ended.ended_ns
    return output


class _FailedParser(RecordError):
    """Output that was not parsed."""


def _parsed(name: str, probe: probes.Probe, raw: probes.Raw) -> probes.Parsed:
    """Parse the output of a probe. _FailedParser: a line is invalid, or the parser of a stack fails."""
    with probes.PROBES.blaming(name, "parse", _FailedParser):
        try:
            parsed: object = probe.parse(raw)
        except probes.ProbeOutputError as error:
            raise _FailedParser(str(error)) from None
    if not isinstance(parsed, probes.Parsed):
        raise _FailedParser(f"parse gave {parsed!r}; return a Parsed", where=probes.PROBES.where(name))
    return parsed


def _probe(process: Process) -> probes.Probe:
    """Return the probe of a process; raise RecordError if its stack was not found."""
    assert process.probe is not None
    if process.probe not in probes.known():
        raise RecordError(f'unknown probe "{process.probe}", which {process.id} used', hint=metrics.OF_A_STACK)
    return probes.load(process.probe)


def _described(output: metrics.ProcessOutput) -> dict[str, Any]:
    parsed = output.parsed or probes.Parsed()
    return {
        "name": output.process.name,
        "node": output.process.node,
        "probe": output.process.probe,
        "error": output.error,
        "series": [
            {"name": series.name, "unit": series.unit, "t_ns": series.t_ns, "values": series.values}
            for series in parsed.series
        ],
        "occurrences": [{"t_ns": item.t_ns, "kind": item.kind, "fields": item.fields} for item in parsed.occurrences],
        "values": parsed.values,
    }


def _files(folder: Path) -> list[dict[str, Any]]:
    """Return path, size and hash of every file in a folder, by path."""
    listed = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            with left.opened(path) as file:
                digest, size = hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
            name = escaped(path.relative_to(folder).as_posix())
            listed.append({"path": name, "bytes": size, "sha256": digest})
    return listed
