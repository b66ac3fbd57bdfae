# SPDX-License-Identifier: MIT
"""Processes and probes of a workload, one for each node of their role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_core import PydanticCustomError

from lab import library, units
from lab.errors import InputError, suggestion
from lab.model import workload as model
from lab.model.document import Keys
from lab.model.topology import Topology
from lab.model.varied import calculated, is_varied, time_for
from lab.model.workload import Workload
from lab.numbers import count
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.workload import params as probe_params
from lab.plan.workload.placeholders import Names
from lab.plan.workload.roles import listed
from lab.probes import base as probes
from lab.probes.base import Probe, Target
from lab.shared.paths import RAW_IN_NODE
from lab.shared.types import Health, Node, Prints, Process, Ready

BEFORE_NS = -1  # starts before the timeline, in file order


@dataclass(frozen=True)
class _Entry:
    """An entry of ``processes`` or ``probes``, in a common form."""

    keys: Keys
    run_keys: Keys  # location of its argv or of the probe's keys
    on: str
    name: str
    stop: int | None
    argv: list[str]
    probe_name: str | None
    probe: Probe | None
    params: dict[str, Any]
    max_output_bytes: int
    at: int | None = None
    ready: model.Ready | None = None
    required: bool = False
    may_run_on: bool = False
    prints: Prints | None = None
    user: int | None = None
    starts: tuple[int, ...] | str | None = None  # instead of ``at``, if nodes start it at different times
    for_each: str | None = None  # whose nodes decide how often it runs, instead of those of ``on``
    written: dict[str, Any] | None = None  # the parameters, if nodes have different ones

    @property
    def at_ns(self) -> int:
        """Start time; an active probe without ``ready`` starts with the timeline."""
        if self.at is not None:
            return self.at
        acts = self.probe is not None and self.probe.acts
        return 0 if acts and self.ready is None else BEFORE_NS


@dataclass
class PlannedProcesses:
    """Resolves the processes of a plan: passive probes first, then processes, each in file order."""

    source: ValidatedFile[Workload]
    names: Names
    problems: Problems
    medium: bool = True  # whether the topology has an 802.11 medium
    topology: ValidatedFile[Topology] | None = None  # of the nodes, if there are any
    seed: int = 1
    entries: list[_Entry] = field(default_factory=list)
    doubtful: set[str] = field(default_factory=set)  # names of processes whose name or role is wrong

    def resolve(self) -> list[Process]:
        """Return all processes."""
        self.collect()
        probes = len(self.source.model.probes)
        watching, doing = (
            [process for entry in entries for process in self._instances(entry)]
            for entries in (self.entries[:probes], self.entries[probes:])
        )
        return [*watching, *self._of_images(doing), *doing]

    def _of_images(self, doing: list[Process]) -> Iterator[Process]:
        """Yield what Docker images of nodes start, unless the workload runs something else there."""
        taken = {process.node for process in doing if process.probe is None}
        named = {entry.name: entry for entry in self.entries}
        for node in self.names.nodes.values():
            if node.docker is None or not node.docker.argv or (node.name in taken and not node.docker.given):
                continue
            if node.name in named:
                self._refuse(
                    named[node.name].keys,
                    f'another process is called "{node.name}": what the image of that node starts; give this one a '
                    "name with as:",
                )
            yield _of_image(node, self._started(node, node.docker.argv), node.docker.health)

    def _started(self, node: Node, argv: list[str]) -> list[str]:
        """Return what an image starts, with the references replaced in the words that the topology has written."""
        if self.topology is None:
            return argv
        model = self.topology.model.nodes[node.name]
        written = {"entrypoint": model.entrypoint or [], "command": model.command or []}
        filled = [
            self.names.fill(word, node, self.problems.at(self.topology, ("nodes", node.name, key, index)))
            for key, words in written.items()
            for index, word in enumerate(words)
        ]
        return [*argv[: len(argv) - len(filled)], *filled]  # they are the last ones

    def collect(self) -> None:
        """Check every entry as far as possible without a topology."""
        workload = self.source.model
        self.entries = [self._watch(index, watch) for index, watch in enumerate(workload.probes)]
        self.entries += [self._process(index, process) for index, process in enumerate(workload.processes)]
        self._refuse_duplicate_names()
        for entry in self.entries:
            self._check_times(entry)

    def probes(self) -> dict[str, str | None]:
        """Return the probe of each process by name, without a topology; None for a plain program."""
        return {entry.name: entry.probe_name for entry in self.entries}

    def _watch(self, index: int, watch: model.Watch) -> _Entry:
        entry = self._entry(("probes", index), (), watch, watch, [])
        acts = entry.probe is not None and entry.probe.acts
        return replace(entry, at=watch.at, required=acts, may_run_on=acts)

    def _process(self, index: int, process: model.Process) -> _Entry:
        use, argv = (process.run, []) if isinstance(process.run, model.ProbeUse) else (None, process.run)
        at, starts = (process.at, None) if isinstance(process.at, int) else (None, process.at)
        return replace(
            self._entry(("processes", index), ("run",), process, use, argv),
            at=at,
            starts=starts,
            for_each=process.for_each,
            ready=process.ready,
            required=process.required,
            may_run_on=process.may_run_on,
            prints=_prints(process.prints),
            user=process.user,
        )

    def _entry(
        self, keys: Keys, run: Keys, written: model.Watch | model.Process, use: model.ProbeUse | None, argv: list[str]
    ) -> _Entry:
        """Return what both types of entries have; ``run`` leads from its keys to its argv or to the probe's keys."""
        run_keys = (*keys, *run)
        probe, params = self._probe(use, run_keys) if use is not None else (None, {})
        probe_name = use.probe if use is not None else None
        return _Entry(
            keys=keys,
            run_keys=run_keys,
            on=written.on,
            name=written.as_ or probe_name or _program(argv),
            stop=written.stop,
            argv=argv,
            probe_name=probe_name,
            probe=probe,
            params=params,
            max_output_bytes=written.max_output,
            written=use.params if use is not None and is_varied(use.params) else None,
        )

    def _probe(self, use: model.ProbeUse, keys: Keys) -> tuple[Probe | None, dict[str, Any]]:
        complain = self._complain(keys)
        probe = probe_params.load(use.probe, complain)
        if probe is None:
            return None, {}
        params = probe_params.read(probe, use.params, complain)
        for stack in probe.stacks(params):
            if stack not in self.source.stacks:
                complain("probe", self._without_program(use.probe, stack))
        return probe, params

    def _refuse(self, keys: Keys, message: str) -> None:
        self.problems.add(self.source, keys, message)

    def _complain(self, keys: Keys) -> probe_params.Complain:
        return lambda key, message: self._refuse((*keys, key), message)

    def _without_program(self, probe: str, stack: str) -> str:
        """Explain why nodes lack the program of a probe, which is part of that stack."""
        own = next(iter(self.source.stacks), None)
        has, write = "has no stack", f"write stack: {stack}"
        if own is not None:
            use = f"write {stack} into {library.FOLDERS['workload']}/{own}/{library.STACKS}"
            has = f"has the stack {own}"
            write = f"{write} instead of {own}, or {use}" if self.source.model.stack else use
        return f"the program of {probe} is part of the stack {stack}, but this workload {has}; {write}"

    def _refuse_duplicate_names(self) -> None:
        """Report processes of the same name: checks and raw files use these names."""
        first: dict[str, Keys] = {}
        for entry in self.entries:
            other = first.setdefault(entry.name, entry.keys)
            if other != entry.keys:
                self.doubtful.add(entry.name)
                where = self.source.document.where(other)
                self._refuse(
                    entry.keys, f'another process is called "{entry.name}" ({where}); give this one a name with as:'
                )

    def _instances(self, entry: _Entry) -> list[Process]:
        """Return one process for each node of the role, or for the node."""
        network = self.names.network(entry.on) if entry.probe is not None else []
        if not network and self.names.nodes_of(entry.on) is None:
            self.doubtful.add(entry.name)
        nodes = network or self.nodes_of(entry.on, (*entry.keys, "on"))
        for node in nodes:
            self._check_place(entry, node)
        counted = nodes
        if entry.for_each is not None:
            counted = self.nodes_of(entry.for_each, (*entry.keys, "for_each"))
            if len(nodes) > 1:
                message = f"for_each: needs a single node here, but {entry.on} stands for {listed(nodes)}"
                self._refuse((*entry.keys, "on"), message)
            counted = counted if nodes else []
            nodes = nodes[:1] * len(counted)
        numbered = self._entries_by_node(entry, counted)
        return [
            self._instance(own, node, other, number, len(nodes))
            for number, (own, node, other) in enumerate(zip(numbered, nodes, counted, strict=True), 1)
        ]

    def _entries_by_node(self, entry: _Entry, nodes: list[Node]) -> list[_Entry]:
        """Return the entry of each node, with the parameters and the start that it has there."""
        entries = self._entries_by_start(entry, nodes)
        if entry.written is None or entry.probe is None:
            return entries
        complain = self._complain(entry.run_keys)
        return [
            replace(own, params=probe_params.read(entry.probe, entry.written, complain, index, len(nodes)))
            for index, own in enumerate(entries, 1)
        ]

    def _entries_by_start(self, entry: _Entry, nodes: list[Node]) -> list[_Entry]:
        if entry.starts is None:
            return [entry] * len(nodes)
        keys: Keys = (*entry.keys, "at")
        if isinstance(entry.starts, tuple) and len(entry.starts) != len(nodes):
            message = f"has {count(len(entry.starts), 'time')}, but {entry.on} stands for {count(len(nodes), 'node')}"
            self._refuse(keys, message)
            return [entry] * len(nodes)
        found = []
        for index in range(1, len(nodes) + 1):
            try:
                found.append(replace(entry, at=time_for(entry.starts, index, len(nodes))))
            except PydanticCustomError as error:
                self._refuse(keys, f"{error.message()}, for index {index}")
                return [entry] * len(nodes)
            self._check_times(found[-1])
        return found

    def nodes_of(self, name: str, keys: Keys) -> list[Node]:
        """Return the nodes of a role, group or kind, or the node of that name; report an unknown name."""
        roles, nodes = self.names.roles, self.names.nodes
        if name in roles and name in nodes and roles[name] != [nodes[name]]:
            other = listed(roles[name]) or "no node"
            message = f'"{name}" is a node of the topology, but also the role of {other}; give the role another name'
            self._refuse(keys, message)
        found = self.names.nodes_of(name)
        if found is None and not self._may_be_node(name):
            message = f'unknown role or node "{name}"{self.names.suggestion(name)}'
            places = {
                "roles": list(roles),
                "nodes": [*self.names.groups, *nodes],
            }
            known = "; ".join(f"{what}: {', '.join(names)}" for what, names in places.items() if names)
            self._refuse(keys, f"{message}; {known or 'the workload has no roles'}")
        return found or []

    def _may_be_node(self, name: str) -> bool:
        """Return whether a name may be that of a node if the topology is not known: it resembles no role."""
        if self.names.nodes:
            return False
        return not suggestion(name, self.names.roles) or name.rstrip("0123456789") in self.names.roles

    def _check_times(self, entry: _Entry) -> None:
        """Report start and stop times that are never reached."""
        end = self.source.model.duration
        shown = units.DURATION.format
        if entry.at is not None and entry.at >= end:
            self._refuse(
                (*entry.keys, "at"), f"{shown(entry.at)} is not before the end of the run (duration: {shown(end)})"
            )
        if entry.stop is not None and entry.stop > end:
            self._refuse(
                (*entry.keys, "stop"), f"{shown(entry.stop)} is after the end of the run (duration: {shown(end)})"
            )
        if entry.stop is not None and entry.stop <= max(entry.at_ns, 0):
            self._refuse(
                (*entry.keys, "stop"), f"{shown(entry.stop)} is not after its start at {shown(max(entry.at_ns, 0))}"
            )

    def _check_place(self, entry: _Entry, node: Node) -> None:
        """Report a probe on a node where it cannot work."""
        if entry.probe is not None and node.kind not in entry.probe.kinds:
            *rest, last = entry.probe.kinds
            self._refuse(
                (*entry.keys, "on"),
                f"{entry.probe_name} works on {' and '.join(filter(None, (', '.join(rest), last)))}; "
                f"{node.name}, which has the role {entry.on}, is a {node.kind}",
            )
        elif entry.probe is not None and not node.interfaces and node.radio is None:
            self._refuse((*entry.keys, "on"), f"{node.name} has no interface; give it a link")

    def _target(self, node: Node) -> Target:
        """Return the node as probes see it; it has an interface."""
        radio = node.radio.interface if node.radio else None
        wired = [interface.name for interface in node.interfaces]
        first = radio if radio and (node.kind != "ap" or not wired) else wired[0]
        ipv6 = self.source.model.family == "ipv6"
        return Target(node.name, first, radio, node.ip, medium=self.medium, seed=self.seed, ipv6=ipv6)

    def _instance(self, entry: _Entry, node: Node, counted: Node, number: int, count: int) -> Process:
        """Return the process on a node; it is the one of so many that the node ``counted`` has."""

        def fill(key: str | int, text: str) -> str:
            """Replace the references and calculations in a text of ``run:``."""
            refuse = self.problems.at(self.source, (*entry.run_keys, key))
            return self.names.fill(calculated(text, number, count), node, refuse)

        params = probe_params.fill(entry.params, fill)
        process = Process(
            id=f"{entry.name}@{counted.name}" if count > 1 else entry.name,
            name=entry.name,
            node=node.name,
            at_ns=entry.at_ns,
            argv=[fill(place, word) for place, word in enumerate(entry.argv)],
            probe=entry.probe_name,
            params=params,
            ready=_ready(entry.ready),
            stop_ns=entry.stop,
            required=entry.required,
            may_run_on=entry.may_run_on,
            max_output_bytes=entry.max_output_bytes,
            source=self.source.document.where(entry.keys),
            prints=entry.prints,
            user=entry.user,
        )
        if entry.probe is None or not self._can_run(entry, params, node):
            return process
        return _of_probe(process, entry.probe, self._target(node))

    def _can_run(self, entry: _Entry, params: dict[str, Any], node: Node) -> bool:
        assert entry.probe is not None
        if params.keys() != entry.probe.params.keys():
            return False  # already reported
        placed = bool(node.interfaces) or node.radio is not None  # if not, that is already reported
        try:
            entry.probe.check(params)
            if placed:
                entry.probe.check_target(self._target(node), params)
        except ValueError as error:
            self.problems.add_parameter(self.source, entry.run_keys, error)
            return False
        return placed


def _of_image(node: Node, argv: list[str], health: Health | None) -> Process:
    return Process(
        id=node.name,
        name=node.name,
        node=node.name,
        at_ns=BEFORE_NS,
        argv=argv,
        probe=None,
        params={},
        ready=None,
        stop_ns=None,
        required=True,
        may_run_on=True,
        source=node.source,
        of_image=True,
        health=health,
    )


def _of_probe(process: Process, probe: Probe, node: Target) -> Process:
    """Add what the probe derives from its parameters; raise InputError if the probe of a stack fails."""
    assert process.probe is not None
    prefix = f"{RAW_IN_NODE}/{process.id}"  # of the tool's own files, as the node sees them
    with probes.PROBES.blaming(process.probe, "argv"):
        argv = [] if probe.mode == "control" else probe.argv(node, process.params, prefix)
    _check_words(argv, process.probe)
    with probes.PROBES.blaming(process.probe, "watched_file"):
        watched_file = probe.watched_file(process.params, prefix)
    found = replace(
        process,
        argv=argv,
        mode=probe.mode,
        acts=probe.acts,
        every_ns=process.params.get("every"),
        watched_file=watched_file,
    )
    if not found.must_end():
        return found
    with probes.PROBES.blaming(process.probe, "runs_on"):
        return replace(found, may_run_on=bool(probe.runs_on(process.params)))


def _check_words(argv: object, probe: str) -> None:
    """Raise an InputError if the command of a probe is not a list of words."""
    if not isinstance(argv, list):
        raise InputError(
            f"argv of the probe {probe} gave {argv!r}; a command is a list of words",
            where=probes.PROBES.where(probe),
        )
    for word in argv:
        if not isinstance(word, str):
            raise InputError(
                f"argv of the probe {probe} gave {word!r} in its list; words of a command are text: write str(…)",
                where=probes.PROBES.where(probe),
            )


def programs(processes: list[Process]) -> dict[str, str] | None:
    """Return the programs that the probes of these processes bring along, by file name, or None."""
    found: dict[str, str] = {}
    for name in {process.probe for process in processes if process.probe}:
        found |= probes.load(name).programs
    return found or None


def _program(argv: list[str]) -> str:
    """Derive a name from a command: its program, without the folder."""
    words = re.findall(r"[A-Za-z0-9_]+", argv[0].rsplit("/", 1)[-1])
    name = "-".join(words)
    return name if name and not name[0].isdigit() else f"process-{name}".rstrip("-")


def _prints(prints: model.Prints | None) -> Prints | None:
    return Prints(prints.json_, list(prints.match), dict(prints.units)) if prints is not None else None


def _ready(ready: model.Ready | None) -> Ready | None:
    return Ready(ready.listening, ready.log, ready.within) if ready is not None else None
