# SPDX-License-Identifier: MIT
"""Resolves the names in metrics and checks of a workload before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import InputError, suggestion, unknown
from lab.expressions import expression
from lab.metrics import base as kinds
from lab.model.document import Keys
from lab.model.workload import MetricEntry, Workload
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.workload.placeholders import Names
from lab.probes import base as probes
from lab.shared.types import Check, File, PlannedMetric, Prints, Process
from lab.units import dimension_of


@dataclass(frozen=True)
class _Written:
    """A metric as the workload has it."""

    source: ValidatedFile[Workload]
    name: str
    problems: Problems
    doubtful: Collection[str]  # names of processes with a mistake: what names them is not checked

    @property
    def keys(self) -> Keys:
        return ("metrics", self.name)

    @property
    def model(self) -> MetricEntry:
        return self.source.model.metrics[self.name]

    def refuse(self, key: str, message: str) -> None:
        self.problems.add(self.source, (*self.keys, key), message)

    def kind(self) -> str | None:
        """Return its kind; report an unknown one and return None."""
        written = self.model.kind_called(self.name)
        if written in kinds.known():
            return written
        keys = (*self.keys, "kind") if self.model.kind else self.keys
        self.problems.add(self.source, keys, kinds.METRICS.unknown(written))
        return None

    def check(self, kind: str, of: Mapping[str, str | None]) -> None:
        """Let the metric check its keys."""
        try:
            kinds.load(kind).check(of, self.model.unit, self.model.per)
        except ValueError as error:
            self.problems.add_parameter(self.source, self.keys, error)

    def resolve(self, runs: Mapping[str, list[Process]], names: Names, medium: bool) -> PlannedMetric:
        model, kind = self.model, self.kind()
        takes = kinds.load(kind).takes if kind is not None else ()
        if kind is not None and kinds.MEDIUM in takes:
            of = self._of_medium(kind, names, medium)
        elif kind is not None and kinds.PRINTED in takes:
            of = self._of_prints(kind, runs)
        else:
            certain = [one for one in model.of if one.partition("@")[0] not in self.doubtful]
            missing = [one for one in certain if one not in runs]
            for one in missing:
                self.refuse("of", unknown("process", one, runs))
            named = [process for one in model.of for process in runs.get(one, [])]
            if kind is not None and not missing and certain == model.of and all(_is_known(one.probe) for one in named):
                self.check(kind, {process.name: process.probe for process in named})
            of = [process.id for process in named]
        return PlannedMetric(
            self.name, kind or self.name, of, model.unit, model.per, self.source.document.where(self.keys)
        )

    def _of_medium(self, kind: str, names: Names, medium: bool) -> list[str]:
        """Return what a metric of the medium is computed from: nodes of the named roles, or words of the metric."""
        words = kinds.load(kind).words
        if not medium:
            self.problems.add(
                self.source,
                self.keys,
                "is computed from an 802.11 medium, and the topology has none",
                "write medium: {} in the topology, or add --set medium={} to the command",
            )
        found: list[str] = []
        for one in self.model.of:
            nodes = names.nodes_of(one)
            if one in words:
                found.append(one)
            elif nodes is None:
                self.refuse("of", unknown("role", one, [*words, *names.known()]))
            else:
                wired = ", ".join(node.name for node in nodes if node.radio is None)
                if wired:
                    self.refuse(
                        "of", f'"{one}" includes nodes without a radio: {wired}; name stations or access points'
                    )
                found += [node.name for node in nodes]
        self.check(kind, dict.fromkeys(self.model.of, kinds.MEDIUM))
        return found

    def _of_prints(self, kind: str, runs: Mapping[str, list[Process]]) -> list[str]:
        """Return the values that a metric of what programs print is computed from: ``cli@sta1.rtt``."""
        found = []
        for one in self.model.of:
            process, _, value = one.rpartition(".")
            if process.partition("@")[0] in self.doubtful:
                continue
            if process not in runs:
                self._refuse_source(process, value, runs)
                continue
            self._check_print(one, runs[process][0].prints)
            found += [f"{run.id}.{value}" for run in runs[process]]
        self.check(kind, dict.fromkeys(found, kinds.PRINTED))
        return found

    def _refuse_source(self, process: str, value: str, known: Collection[str]) -> None:
        """Report a value of an unknown process, or a process without a value."""
        if not process and value in known:
            self.refuse("of", f"{value} alone is not a value; add the name of one that it prints, such as {value}.rtt")
        else:
            self.refuse("of", unknown("process", process or value, known))

    def _check_print(self, one: str, prints: Prints | None) -> None:
        """Report a value that a process does not print, or prints in a unit that the metric cannot have."""
        process, _, value = one.rpartition(".")
        if prints is None:
            self.refuse("of", f"{process} has no prints:, so its output is not read; write prints: json, or a mapping")
            return
        known = groups_of(prints)
        if known is not None and value not in known:
            self.refuse("of", f"{process} prints no {value}{suggestion(value, known)}; it prints {', '.join(known)}")
            return
        wanted, printed = self.model.unit, prints.units.get(value, "")
        if dimension_of(wanted) is dimension_of(printed) and (dimension_of(wanted) or printed in ("", wanted)):
            return
        if printed:
            self.refuse("unit", f'"{wanted}" is not a unit for {one}, which is printed in {printed}')
        else:
            write = f"write units: {{{value}: {wanted}}} in prints: of {process}, or the unit in which it prints it"
            self.refuse("unit", f"{one} has no unit; {write}")

    def check_alone(self, probe_of: Mapping[str, str | None]) -> None:
        """Report its mistakes on any topology."""
        kind, of = self.kind(), self.model.of
        if kind is None:
            return
        takes = kinds.load(kind).takes
        if kinds.MEDIUM in takes:
            self.check(kind, dict.fromkeys(of, kinds.MEDIUM))
        elif kinds.PRINTED in takes:
            for process, _, value in (one.rpartition(".") for one in of):
                if process.partition("@")[0] not in probe_of:
                    self._refuse_source(process, value, probe_of)
            self.check(kind, dict.fromkeys(of, kinds.PRINTED))
        else:
            named = {one: one.partition("@")[0] for one in of}  # ping@sta1 is a process of the topology's
            missing = [one for one, process in named.items() if process not in probe_of]
            for one in missing:
                self.refuse("of", unknown("process", one, probe_of))
            if not missing and not {*named.values()} & {*self.doubtful}:
                probes_of = {one: probe_of[process] for one, process in named.items()}
                if all(map(_is_known, probes_of.values())):
                    self.check(kind, probes_of)


def _is_known(probe: str | None) -> bool:
    """Return whether there is that probe; if not, the process that names it has reported it."""
    return probe is None or probe in probes.known()


def metrics(
    source: ValidatedFile[Workload],
    processes: list[Process],
    names: Names,
    medium: bool,
    problems: Problems,
    doubtful: Collection[str] = (),
) -> list[PlannedMetric]:
    """Return every metric, in file order.

    ``medium``: whether the topology has one; ``doubtful``: processes with a mistake; what names them is not checked.
    """
    runs: dict[str, list[Process]] = {}
    for process in processes:
        runs.setdefault(process.name, []).append(process)
    taken = set(runs)
    for process in processes:
        runs.setdefault(process.id, [process])
    found = []
    for name in source.model.metrics:
        if name in taken:
            message = f'a process has the same name, "{name}", so checks could not tell them apart; rename one of them'
            problems.add(source, ("metrics", name), message)
        found.append(_Written(source, name, problems, doubtful).resolve(runs, names, medium))
    return found


def check_metrics(
    source: ValidatedFile[Workload],
    probe_of: Mapping[str, str | None],
    problems: Problems,
    doubtful: Collection[str] = (),
) -> None:
    """Report the mistakes of metrics on any topology: unknown kinds and processes, units and keys that do not fit.

    ``probe_of`` has the probe of each process by name; ``doubtful``: as in ``metrics``.
    """
    for name in source.model.metrics:
        _Written(source, name, problems, doubtful).check_alone(probe_of)


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


def check_syntax(source: ValidatedFile[Workload], problems: Problems) -> None:
    """Report every check with a syntax error."""
    for index, model in enumerate(source.model.checks):
        try:
            expression.names(model.that)
        except InputError as error:
            problems.add(source, ("checks", index, "that"), error.message, error.hint)


def _check_names(that: str, context: Mapping[str, Any], metrics: Mapping[str, MetricEntry]) -> None:
    """Refuse the kind of a metric, or a value of one, in place of the metric's name."""
    for path in expression.names(that):
        alike = [name for name, metric in metrics.items() if metric.kind_called(name) == path[0]]
        rest = "".join(f".{word}" for word in path[1:])
        if path[0] in kinds.measures([1.0]) and metrics:
            alike, rest = list(metrics), f".{path[0]}"
        if path[0] not in context and alike:
            raise InputError(
                f'no metric has the name "{path[0]}"; write {" or ".join(f"{name}{rest}" for name in alike)}'
            )


def checks(
    source: ValidatedFile[Workload],
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
            figure: 1 if figure == "count" else expression.ValueWithUnit(1, metric.unit)
            for figure in kinds.measures([1.0])
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
            _check_names(model.that, context, source.model.metrics)
            expression.check(model.that, context)
        except InputError as error:
            problems.add(source, keys, error.message, error.hint)
        found.append(Check(model.that, source.document.where(keys)))
    return found
