# SPDX-License-Identifier: MIT
"""Workload files: what runs on a topology, by role instead of by node."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from lab import units
from lab.errors import suggestion
from lab.model.base import (
    INCLUDE,
    Argv,
    Choice,
    Flag,
    Integer,
    Model,
    Moment,
    Overrides,
    Quantity,
    Size,
    Text,
    Texts,
    argv_mistake,
    refuse,
)
from lab.model.event import AnyEvent
from lab.model.names import Identifier, Title
from lab.model.ports import port_mistake
from lab.model.varied import StartTimes, Times
from lab.shared.types import MAX_OUTPUT_BYTES, MAX_OUTPUT_OF_ALL_BYTES
from lab.units import dimension_of, known_units

_COUNT = re.compile(r"(?P<least>\d{1,6})(?P<more>\.\.(?P<most>\d{1,6})?)?\Z")
PRINTED = "printed"  # the kind of metrics of what programs print
_WORDS = re.compile(r"[A-Za-z]+( [A-Za-z]+)*", re.ASCII)
MAX_USER = 65534  # nobody; the next one means "no user" to the kernel's 16-bit calls
_NOT_KEPT = ("proc", "sys", "dev")  # of the kernel: some of their files never end
_WILD = re.compile(r"[*?\[]")
_MODE = re.compile(r"(0o?)?[0-7]{3,4}", re.ASCII)


class Count:
    """Annotation: ``1``, ``1..`` or ``2..4`` as (least, most); most is None if unlimited."""

    def parse(self, value: object) -> tuple[int, int | None]:
        """Parse into (least, most)."""
        match = _COUNT.match(str(value).strip())
        if match is None or isinstance(value, bool):
            refuse(f'"{value}" is not a valid number of nodes; write 1, 1.. (one or more) or 2..4')
        least = int(match["least"])
        most = least if not match["more"] else int(match["most"]) if match["most"] else None
        if (most is not None and most < max(least, 1)) or (least == 0 and not match["more"]):
            refuse(f'"{value}" allows no node in the role; write 1, 1.. (one or more) or 2..4')
        return least, most

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.parse)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "string", "pattern": r"^[0-9]+(\.\.([0-9]+)?)?$", "examples": ["1", "1..", "2..4"]},
            ]
        }


class Ready(Model):
    """When a process is ready; processes listed after it wait for that. Give either listening or log."""

    listening: Text | None = Field(None, description="A port it listens on: tcp/80, udp/5001 or udplite/5001.")
    log: Text | None = Field(None, description="A regular expression that its output matches.")
    within: Moment = Field(10_000_000_000, description="Timeout for becoming ready.")

    @model_validator(mode="after")
    def _one(self) -> Ready:
        if (self.listening is None) == (self.log is None):
            refuse("needs either listening (tcp/80) or log (a regular expression)")
        if self.listening is not None:
            mistake = port_mistake(self.listening)
            if mistake:
                refuse(mistake, key="listening")
        if self.log is not None:
            try:
                re.compile(self.log)
            except (re.error, OverflowError) as error:
                refuse(f'"{self.log}" is not a valid regular expression: {error}', key="log")
        return self


class ProbeUse(Model):
    """A probe and its parameters, given as keys next to ``probe:``."""

    model_config = ConfigDict(extra="allow")

    probe: Text = Field(description="Name of the probe. Its parameters are keys next to it.")

    @property
    def params(self) -> dict[str, Any]:
        """The parameters as written."""
        return dict(self.model_extra or {})


def _argv_or_probe(value: Any) -> str:
    if isinstance(value, list):
        return "argv"
    if isinstance(value, dict):
        return "probe"
    refuse(argv_mistake(str(value)))


Run = Annotated[list[str] | ProbeUse, Choice(_argv_or_probe, lambda: {"argv": Argv, "probe": ProbeUse})]

OutputSize = Annotated[int, Quantity(units.SIZE, least=1, usual="MiB")]

_ON = Field(description="The role (or kind, such as sta) whose nodes run it; or a node or group (count:), by its name.")
_AS = Field(None, alias="as", description="Name for checks and metrics. Default: that of the program or probe.")
_STOP = Field(None, description="When it is stopped (SIGINT). Default: at the end of the run.")
_MAX_OUTPUT = Field(
    MAX_OUTPUT_BYTES, description="The run fails if it prints more than this, on stdout and stderr together."
)


class Prints(Model):
    """What a program prints for checks and metrics, line by line. Give json, match or both; other lines do not count.

    The last value of each name is for checks (cli.acked == 300). All numbers with their times are for metrics, which
    name them as checks do ({of: cli.rtt, unit: ms}).
    """

    json_: Flag = Field(
        False,
        alias="json",
        description="Read each line that is a JSON object: its members that are numbers, texts, true or false.",
    )
    match: Texts = Field(
        [],
        description="Regular expressions that are searched for in each line. The names of their groups are those of "
        "the values: 'rtt=(?P<rtt>[0-9.]+)'.",
    )
    units: dict[Text, Text] = Field(
        {},
        description="The unit of each number that has one, such as {rtt: ms}; of a count, what is counted.",
    )

    @model_validator(mode="after")
    def _readable(self) -> Prints:
        if not self.json_ and not self.match:
            refuse("needs json: true, or match: with a regular expression")
        names = [name for pattern in self.match for name in _groups(pattern)]
        for name, unit in self.units.items():
            if dimension_of(unit) is None and not _WORDS.fullmatch(unit):
                refuse(
                    f'{name}: "{unit}" is not a unit{suggestion(unit, known_units())}; known: '
                    f"{', '.join(known_units())}, or a word for what is counted",
                    key="units",
                )
            if name not in names and not self.json_:
                known = ", ".join(names)
                refuse(f"{name}: match lacks this group{suggestion(name, names)}; its groups: {known}", key="units")
        return self


def _groups(pattern: str) -> list[str]:
    try:
        found = list(re.compile(pattern).groupindex)
    except (re.error, OverflowError) as error:
        refuse(f'"{pattern}" is not a valid regular expression: {error}', key="match")
    if not found:
        refuse(f'"{pattern}" has no named group; write (?P<name>…) around what to read', key="match")
    return found


class Collected(Model):
    """Files to keep after the run."""

    path: Text = Field(
        description="Absolute path of a file or folder in the node; * stands for any characters of a name, ** for any "
        'folders. References such as "{self.name}" are replaced.'
    )
    optional: Flag = Field(False, description="Whether the file may be missing. If not, the run fails without it.")
    at_most: Size = Field(64 << 20, description="Their largest total size; the run fails if they are larger.")

    @model_validator(mode="after")
    def _absolute(self) -> Collected:
        first = self.path.split("/")[1:2]
        if not self.path.startswith("/") or first in ([], [""]) or "/../" in f"{self.path}/":
            refuse(f'"{self.path}" is not an absolute path; write one such as /root/out.csv', key="path")
        if first[0] in _NOT_KEPT or _WILD.search(first[0]):
            refuse(f'"{self.path}" has more than files of programs in it; name the folder, such as /root/*', key="path")
        return self


class Collect(Collected):
    """Files to copy out of nodes into the run's directory when the run has ended, below collected/."""

    on: Texts = Field(min_length=1, description="The role or node that has them, or several: [server, client].")


def _path_alone(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


def _kept(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


Kept = Annotated[
    list[Annotated[Collected, BeforeValidator(_path_alone, json_schema_input_type=str | Collected)]],
    BeforeValidator(_kept),
]


def _prints(value: Any) -> Any:
    """Accept ``json`` where its mapping is expected."""
    if isinstance(value, str) and value != "json":
        refuse(f'"{value}" does not say how to read it; write json, or a mapping, such as {{match: …}}')
    return {"json": True} if value == "json" else value


class Process(Model):
    """A program, or an active probe (curl, ping, iperf3)."""

    @classmethod
    def value_hint(cls, key: str, word: str) -> str:
        """Say how a process runs on several nodes."""
        several = key == "on" and word == "a list"
        return (
            "; write a role, a kind or a group, which stand for several nodes, or one entry for each" if several else ""
        )

    on: Text = _ON
    for_each: Text | None = Field(
        None,
        description="A role, kind or group: runs it once for each of its nodes, on the node of on:. In texts of run:, "
        '"{client[{index}].ip}" is then the address of that node.',
    )
    run: Run = Field(description="The command as a list, or a probe: {probe: curl, url: …}.")
    as_: Identifier | None = _AS
    at: Annotated[Times, StartTimes()] | None = Field(
        None,
        description="When it starts; for each node of the role, a list of times, or a text with an expression of "
        'index, the number of the node: "{2 * index} s". Default: before the run starts, in file order; an active '
        "probe without ready: starts at 0 s.",
    )
    stop: Moment | None = _STOP
    ready: Ready | None = Field(None, description="When it counts as ready.")
    user: Annotated[Integer, Field(ge=0, le=MAX_USER)] | None = Field(
        None,
        description="Number of the user, and of its group, that a program runs as: 1000 has no privileges, 0 is root. "
        "Default: 0, or the user of the node's Docker image.",
    )
    required: Flag = Field(True, description="Whether its failure fails the run.")
    may_run_on: Flag = Field(
        False,
        description="Whether it may still run at the end. Without it, a process without ready: and stop: must end by "
        "itself before that, unless it is a probe that runs until it is ended, such as ping without count:.",
    )
    max_output: OutputSize = _MAX_OUTPUT
    prints: Annotated[Prints, BeforeValidator(_prints, json_schema_input_type=Literal["json"] | Prints)] | None = Field(
        None,
        description="How to read values for checks and metrics from what a program prints to its standard output: "
        "json, or a mapping.",
    )
    collect: Kept = Field(
        [],
        description="Files that it leaves in its node, to copy into the run's directory (collected/NODE/…): paths, or "
        "mappings with more about them.",
    )

    @model_validator(mode="before")
    @classmethod
    def _probe_in_run(cls, data: Any) -> Any:
        if isinstance(data, dict) and "probe" in data and "run" not in data:
            refuse(f"belongs in run:, with its parameters; write run: {{probe: {data['probe']}, …}}", key="probe")
        return data

    @model_validator(mode="after")
    def _only_of_programs(self) -> Process:
        if self.prints is not None and isinstance(self.run, ProbeUse):
            refuse(f"is for programs; the probe {self.run.probe} reads its output by itself", key="prints")
        if self.user is not None and isinstance(self.run, ProbeUse):
            refuse(f"is for programs; the probe {self.run.probe} runs as root", key="user")
        return self


class Watch(ProbeUse):
    """A passive probe that observes while the processes run."""

    on: Text = _ON
    as_: Identifier | None = _AS
    at: Moment | None = Field(None, description="When it starts. Default: before everything else.")
    stop: Moment | None = _STOP
    max_output: OutputSize = _MAX_OUTPUT


def _mode(value: Any) -> int:
    """Read 0755 as chmod does; YAML 1.2 would read the number 755."""
    text = str(getattr(value, "written", value))
    if isinstance(value, bool) or not _MODE.fullmatch(text):
        refuse(f'"{text}" is not a valid mode; write it as for chmod, such as 0755')
    return int(text.removeprefix("0o"), 8)


FileMode = Annotated[
    int, BeforeValidator(_mode), WithJsonSchema({"type": ["string", "number"], "examples": ["0644", "0755"]})
]


class FileEntry(Model):
    """A file or folder copied into a node before anything starts there. Give one of random, from and text."""

    on: Texts = Field(min_length=1, description="The role or node that gets it, or several: [server, client].")
    path: Text = Field(description="Absolute path in the node, of the file or folder.")
    random: Size | None = Field(
        None, description="Fill it with this many random bytes, derived from the seed and the file's name."
    )
    from_: Text | None = Field(
        None,
        alias="from",
        description="Copy a file of the workload's folder, text or program, or a folder with all its content (without "
        "__pycache__). All of them together may have up to 16 MiB.",
    )
    text: Text | None = Field(None, description="Its content.")
    substitute: Flag = Field(
        False, description='Replace references such as "{server.ip}" in its text. Otherwise it is copied unchanged.'
    )
    mode: FileMode | None = Field(
        None,
        description="Its mode, as for chmod. Default: 0755 if the copied file is executable, else 0644.",
    )

    @model_validator(mode="after")
    def _one(self) -> FileEntry:
        given = [key for key in ("random", "from_", "text") if getattr(self, key) is not None]
        if len(given) != 1:
            refuse(
                "needs exactly one of random (a size), from (a file in the workload's folder) and text (the content)"
            )
        if self.substitute and self.random is not None:
            refuse("random bytes have no references to replace; remove it", key="substitute")
        if not self.path.startswith("/") or "/../" in f"{self.path}/" or self.path.endswith("/"):
            refuse(f'"{self.path}" is not the absolute path of a file; write one such as /srv/www/file.bin', key="path")
        return self


class MetricEntry(Model):
    """A number computed from what processes and probes recorded."""

    of: Texts = Field(
        min_length=1,
        description="The processes or probes it is computed from, by name. Of what a program prints: with the name of "
        "the value, such as cli.rtt. For a metric of the medium: roles, or the words listed with the metric.",
    )
    unit: Text = Field(description="The unit it is reported in, such as Mbit/s or ms.")
    per: Text | None = Field(None, description="What each value is for, such as handoff.")
    kind: Text | None = Field(
        None, description="Kind of metric. Default: its name; printed, if of names a value that a program prints."
    )

    def kind_called(self, name: str) -> str:
        """Return its kind if it is called ``name``."""
        if self.kind is not None:
            return self.kind
        return PRINTED if any("." in one for one in self.of) else name


class Check(Model):
    """A condition that must hold at the end."""

    that: Text = Field(description="A comparison, such as outage.max < 500 ms.")

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, data: Any) -> Any:
        if isinstance(data, str):
            refuse(f"must be a mapping; write {{that: {data}}}")
        return data


class Needs(Model):
    """What a workload needs of a topology in addition to roles."""

    medium: Flag = Field(False, description="Whether it needs an 802.11 medium (medium: of the topology).")
    topologies: Texts = Field(
        [],
        description="The topologies that it is written for. It runs on any that offers its roles; if one does not, the "
        "message names these.",
    )
    ipv4: Text = Field("", description="Why it cannot run with family: ipv6, in a few words.")


class Workload(Model):
    """What runs on a topology, what is recorded and which conditions must hold."""

    other_names: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("nodes", "links", "medium", "mobility"), "it belongs in a topology, which is a separate file"
    )

    name: Title = Field(description="Name.")
    about: Text = Field("", description="What it does, in one sentence.")
    include: Texts = Field([], description=INCLUDE)
    roles: dict[Text, Annotated[tuple[int, int | None], Count()]] = Field(
        {}, description="The roles it needs, with the number of nodes in each: 1, 1.. (all available) or 2..4."
    )
    needs: Needs = Field(
        cast(Any, {}), validate_default=True, description="What it needs of a topology, in addition to roles."
    )
    duration: Moment = Field(description="Length of the run, in virtual time.")
    family: Literal["ipv4", "ipv6"] = Field(
        "ipv4",
        description="With ipv6, every node has an IPv6 address as well, {server.ip} in a text is that one, in brackets "
        "where URLs need them, and receivers of probes listen on IPv6: --set family=ipv6.",
    )
    ipv6: Overrides = Field(
        {}, description="What is different with family: ipv6, as for --set: {processes.load.run.size: 1452 B}."
    )
    stack: Text | None = Field(
        None,
        description="The stack whose programs, libraries and Python modules are available in nodes, with those of the "
        "stacks that it uses. Default: that of the folder `workloads/<stack>` that contains the file, if the stack has "
        "code.",
    )
    modules: Texts = Field(
        [],
        description="Kernel modules, such as a congestion control, that the guest's kernel has in addition: folders "
        "`workloads/<stack>/modules/<name>`.",
    )
    files: dict[Identifier, FileEntry] = Field({}, description="Files to copy into nodes, by the name that checks use.")
    processes: list[Process] = Field([], description="What to run, in order.")
    collect: list[Collect] = Field(
        [], description="Files to copy out of nodes at the end, in addition to those of processes."
    )
    probes: list[Watch] = Field([], description="Passive probes, started before the processes.")
    metrics: dict[Identifier, MetricEntry] = Field({}, description="Metrics of the result, by name.")
    checks: list[Check] = Field([], description="Conditions at the end of the run; the run fails unless all hold.")
    timeline: list[AnyEvent] = Field([], description="Events, in addition to those of the topology.")
    max_output: OutputSize = Field(
        MAX_OUTPUT_OF_ALL_BYTES,
        description="The run fails if all of its files together become larger, captures included.",
    )

    @classmethod
    def value_hint(cls, key: str, word: str) -> str:
        return "; write how many nodes each role has: {server: 1}" if key == "roles" else ""

    @model_validator(mode="after")
    def _lasts(self) -> Workload:
        if self.duration == 0:
            refuse("must be longer than 0; write for example 30 s", key="duration")
        return self
