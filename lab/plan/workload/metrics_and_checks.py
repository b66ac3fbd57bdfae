# SPDX-License-Identifier: MIT
"""Resolves the names in metrics and checks of a workload before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from lab.errors import InputError, suggestion
from lab.expressions import expression
from lab.metrics import base as kinds
from lab.model.document import Keys
from lab.model.workload import Workload
from lab.plan.problems import Problems, Source
from lab.plan.workload.placeholders import Names
from lab.probes import base as probes
from lab.shared.types import Check, File, Metric, Prints, Process
from lab.units import dimension_of


def metrics(
    source: Source[Workload],
    processes: list[Process],
    names: Names,
    medium: bool,
    problems: Problems,
    doubtful: Collection[str] = (),
) -> list[Metric]:
    """Return every metric, in file order.

    Args:
        source: the workload.
        processes: its processes.
        names: names of roles and nodes.
        medium: whether the topology has an 802.11 medium.
        problems: collects the errors.
        doubtful: names of processes with a mistake; what names them is not checked.
    """
    runs: dict[str, list[Process]] = {}
    for process in processes:
        runs.setdefault(process.name, []).append(process)
    taken = set(runs)
    for process in processes:
        runs.setdefault(process.id, [process])
    found = []
    for name in source.model.metrics:
        keys: Keys = ("metrics", name)
        if name in taken:
            message = f'a process has the same name, "{name}", so checks could not tell them apart; rename one of them'
            problems.add(source, keys, message)
        found.append(_metric(source, keys, name, runs, names, medium, problems, doubtful))
    return found


def _metric(
    source: Source[Workload],
    keys: Keys,
    name: str,
    runs: dict[str, list[Process]],
    names: Names,
    medium: bool,
    problems: Problems,
    doubtful: Collection[str],
) -> Metric:
    model, where = source.model.metrics[name], source.document.where(keys)
    kind = _kind(source, keys, model.kind_called(name), problems)
    if kind is not None and kinds.MEDIUM in kinds.load(kind).takes:
        of_medium = _of_medium(source, keys, kind, names, medium, problems)
        return Metric(name, kind, of_medium, model.unit, model.per, where)
    if kind is not None and kinds.PRINTED in kinds.load(kind).takes:
        of_prints = _of_prints(source, keys, kind, runs, problems, doubtful)
        return Metric(name, kind, of_prints, model.unit, model.per, where)
    certain = [one for one in model.of if one.partition("@")[0] not in doubtful]
    unknown = [one for one in certain if one not in runs]
    for one in unknown:
        problems.add(
            source, (*keys, "of"), f'there is no process "{one}"{suggestion(one, runs)}; known: {", ".join(runs)}'
        )
    of = [process for one in model.of for process in runs.get(one, [])]
    if kind is not None and not unknown and certain == model.of and all(_is_known(process.probe) for process in of):
        _check_metric(source, keys, kind, {process.name: process.probe for process in of}, problems)
    return Metric(name, kind or name, [process.id for process in of], model.unit, model.per, where)


def _is_known(probe: str | None) -> bool:
    """Return whether there is that probe; if not, the process that names it has reported it."""
    return probe is None or probe in probes.known()


def _kind(source: Source[Workload], keys: Keys, written: str, problems: Problems) -> str | None:
    """Return a kind; report an unknown one and return None."""
    if written in kinds.known():
        return written
    problems.add(source, _blamed(source, keys), kinds.METRICS.unknown(written))
    return None


def _blamed(source: Source[Workload], keys: Keys) -> Keys:
    return (*keys, "kind") if source.model.metrics[str(keys[-1])].kind else keys


def _of_medium(
    source: Source[Workload], keys: Keys, kind: str, names: Names, medium: bool, problems: Problems
) -> list[str]:
    """Return what a metric of the medium is computed from: nodes of the named roles, or words of the metric."""
    words = kinds.load(kind).words
    model = source.model.metrics[str(keys[-1])]
    if not medium:
        problems.add(
            source,
            keys,
            "is computed from an 802.11 medium, and the topology has none",
            "write medium: {} in the topology, or add --set medium={} to the command",
        )
    found: list[str] = []
    for one in model.of:
        nodes = names.nodes_of(one)
        if one in words:
            found.append(one)
        elif nodes is None:
            known = [*words, *names.known()]
            message = f'there is no role "{one}"{suggestion(one, known)}; known: {", ".join(known)}'
            problems.add(source, (*keys, "of"), message)
        else:
            wired = [node.name for node in nodes if node.radio is None]
            if wired:
                message = f'"{one}" includes nodes without a radio: {", ".join(wired)}; name stations or access points'
                problems.add(source, (*keys, "of"), message)
            found += [node.name for node in nodes]
    _check_metric(source, keys, kind, dict.fromkeys(model.of, kinds.MEDIUM), problems)
    return found


def _of_prints(
    source: Source[Workload],
    keys: Keys,
    kind: str,
    runs: Mapping[str, list[Process]],
    problems: Problems,
    doubtful: Collection[str],
) -> list[str]:
    """Return the values that a metric of what programs print is computed from: ``cli@sta1.rtt``."""
    found = []
    for one in source.model.metrics[str(keys[-1])].of:
        process, _, value = one.rpartition(".")
        if process.partition("@")[0] in doubtful:
            continue
        if process not in runs:
            _refuse_unknown(source, keys, process or one, value if process else "", runs, problems)
            continue
        prints = runs[process][0].prints
        _check_print(source, keys, one, prints, problems)
        found += [f"{run.id}.{value}" for run in runs[process]]
    _check_metric(source, keys, kind, dict.fromkeys(found, kinds.PRINTED), problems)
    return found


def _refuse_unknown(
    source: Source[Workload], keys: Keys, process: str, value: str, known: Collection[str], problems: Problems
) -> None:
    """Report a metric of a value of an unknown process, or of a process without a value."""
    message = f'there is no process "{process}"{suggestion(process, known)}; known: {", ".join(known)}'
    if not value and process in known:
        message = f"{process} alone is not a value; add the name of one that it prints, such as {process}.rtt"
    problems.add(source, (*keys, "of"), message)


def _check_print(source: Source[Workload], keys: Keys, one: str, prints: Prints | None, problems: Problems) -> None:
    """Report a value that a process does not print, or prints in a unit that the metric cannot have."""
    process, _, value = one.rpartition(".")
    if prints is None:
        message = f"{process} has no prints:, so its output is not read; write prints: json, or a mapping"
        problems.add(source, (*keys, "of"), message)
        return
    known = groups_of(prints)
    if known is not None and value not in known:
        message = f"{process} prints no {value}{suggestion(value, known)}; it prints {', '.join(known)}"
        problems.add(source, (*keys, "of"), message)
        return
    wanted, printed = source.model.metrics[str(keys[-1])].unit, prints.units.get(value, "")
    if dimension_of(wanted) is dimension_of(printed) and (dimension_of(wanted) or printed in ("", wanted)):
        return
    if printed:
        problems.add(source, (*keys, "unit"), f'"{wanted}" is not a unit for {one}, which is printed in {printed}')
    else:
        write = f"write units: {{{value}: {wanted}}} in prints: of {process}, or the unit in which it prints it"
        problems.add(source, (*keys, "unit"), f"{one} has no unit; {write}")


def _unprinted(prints: Prints) -> Mapping[str, Any]:
    """Return what is known of values before they are printed: some names, some units."""
    values = expression.Unmeasured(prints.units)
    known = groups_of(prints)
    return values if known is None else {name: values[name] for name in [*known, "exit"]}


def groups_of(prints: Prints) -> list[str] | None:
    """Return the names of all values that can be printed; None if a JSON object may have any."""
    if prints.json:
        return None
    return list(dict.fromkeys(name for pattern in prints.match for name in re.compile(pattern).groupindex))


def _check_metric(
    source: Source[Workload], keys: Keys, kind: str, of: Mapping[str, str | None], problems: Problems
) -> None:
    model = source.model.metrics[str(keys[-1])]
    try:
        kinds.load(kind).check(of, model.unit, model.per)
    except ValueError as error:
        problems.add_parameter(source, keys, error)


def check_metrics(
    source: Source[Workload], probe_of: Mapping[str, str | None], problems: Problems, doubtful: Collection[str] = ()
) -> None:
    """Report the mistakes of metrics on any topology: unknown kinds and processes, units and keys that do not fit.

    Args:
        source: the workload.
        probe_of: the probe of each process by name.
        problems: collects the errors.
        doubtful: names of processes with a mistake; what names them is not checked.
    """
    for name, model in source.model.metrics.items():
        keys: Keys = ("metrics", name)
        kind = _kind(source, keys, model.kind_called(name), problems)
        if kind is None:
            continue
        if kinds.MEDIUM in kinds.load(kind).takes:
            _check_metric(source, keys, kind, dict.fromkeys(model.of, kinds.MEDIUM), problems)
            continue
        if kinds.PRINTED in kinds.load(kind).takes:
            _check_prints(source, keys, kind, probe_of, problems)
            continue
        named = {one: one.partition("@")[0] for one in model.of}  # ping@sta1 is a process of the topology's
        for one, process in named.items():
            if process not in probe_of:
                message = f'there is no process "{one}"{suggestion(one, probe_of)}; known: {", ".join(probe_of)}'
                problems.add(source, (*keys, "of"), message)
        probes_of = {one: probe_of[process] for one, process in named.items() if process in probe_of}
        if (
            len(probes_of) == len(named)
            and not {*named.values()} & {*doubtful}
            and all(map(_is_known, probes_of.values()))
        ):
            _check_metric(source, keys, kind, probes_of, problems)


def _check_prints(source: Source[Workload], keys: Keys, kind: str, known: Collection[str], problems: Problems) -> None:
    """Report what is wrong on any topology with a metric of what programs print."""
    of = source.model.metrics[str(keys[-1])].of
    for one in of:
        process, _, value = one.rpartition(".")
        if process.partition("@")[0] not in known:
            _refuse_unknown(source, keys, process or one, value if process else "", known, problems)
    _check_metric(source, keys, kind, dict.fromkeys(of, kinds.PRINTED), problems)


def check_syntax(source: Source[Workload], problems: Problems) -> None:
    """Report every check with a syntax error."""
    for index, model in enumerate(source.model.checks):
        try:
            expression.names(model.that)
        except InputError as error:
            problems.add(source, ("checks", index, "that"), error.message, error.hint)


def checks(
    source: Source[Workload],
    processes: list[Process],
    files: list[File],
    problems: Problems,
    doubtful: Collection[str] = (),
) -> list[Check]:
    """Return every check, in file order; ``doubtful`` as in ``metrics``."""
    known = [*doubtful, *(name for process in processes for name in (process.name, process.id))]
    context: dict[str, Any] = {name: expression.Unmeasured() for name in known}
    for process in processes:
        if process.prints is not None:
            context |= dict.fromkeys((process.name, process.id), _unprinted(process.prints))
    for name, metric in source.model.metrics.items():
        context[name] = {
            figure: 1 if figure == "count" else expression.Quantity(1, metric.unit) for figure in kinds.summary([1.0])
        }
    for file in files:
        if not file.in_folder:
            context[file.name] = {"sha256": file.sha256, "size": 1, "path": file.path}
    for name in source.model.files:
        if name in source.model.metrics or any(process.name == name for process in processes):
            problems.add(
                source,
                ("files", name),
                "a process or metric has the same name, so checks could not tell them apart; rename one of them",
            )
    found = []
    for index, model in enumerate(source.model.checks):
        keys: Keys = ("checks", index, "that")
        try:
            expression.check(model.that, context)
        except InputError as error:
            problems.add(source, keys, error.message, error.hint)
        found.append(Check(model.that, source.document.where(keys)))
    return found
