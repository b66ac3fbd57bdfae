# SPDX-License-Identifier: MIT
"""Workload files: what runs on a topology, by role instead of by node."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from lab.model.base import INCLUDE, Choice, Flag, Model, Moment, Size, Text, Texts, refuse
from lab.model.names import Identifier
from lab.model.timeline import AnyEvent

_COUNT = re.compile(r"(?P<least>\d{1,6})(?P<more>\.\.(?P<most>\d{1,6})?)?\Z")
_LISTENING = re.compile(r"(tcp|udp|udplite)/(?P<port>\d{1,5})\Z")


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
            match = _LISTENING.match(self.listening)
            if match is None or not 1 <= int(match["port"]) <= 65535:
                refuse(
                    f'"{self.listening}" is not a valid port; write tcp/80, udp/5001 or udplite/5001', key="listening"
                )
        if self.log is not None:
            try:
                re.compile(self.log)
            except (re.error, OverflowError) as error:
                refuse(f'"{self.log}" is not a valid regular expression: {error}', key="log")
        return self


class ProbeUse(Model):
    """A probe and its parameters, given as keys beside ``probe:``."""

    model_config = ConfigDict(extra="allow")

    probe: Text = Field(description="Name of the probe. Its parameters are keys beside it.")

    @property
    def params(self) -> dict[str, Any]:
        """The parameters as written."""
        return dict(self.model_extra or {})


def _argv_or_probe(value: Any) -> str:
    if isinstance(value, list):
        return "argv"
    if isinstance(value, dict):
        return "probe"
    import shlex

    words = str(value).split() if "'" in str(value) or '"' in str(value) else shlex.split(str(value))
    refuse(f"must be a list of words: run: [{', '.join(words)}]")


Argv = Annotated[list[Text], Field(min_length=1)]
Run = Annotated[list[str] | ProbeUse, Choice(_argv_or_probe, lambda: {"argv": Argv, "probe": ProbeUse})]

_ON = Field(description="The role whose nodes run it.")
_AS = Field(None, alias="as", description="Name for checks and metrics. Default: that of the program or probe.")
_STOP = Field(None, description="When it is stopped (SIGINT). Default: at the end of the run.")


class Process(Model):
    """A program, or an active probe (curl, ping, iperf3)."""

    on: Text = _ON
    run: Run = Field(description="The command as a list, or a probe: {probe: curl, url: …}.")
    as_: Identifier | None = _AS
    at: Moment | None = Field(
        None,
        description="When it starts. Default: before the run starts, in file order; an active probe without ready: "
        "starts at 0 s.",
    )
    stop: Moment | None = _STOP
    ready: Ready | None = Field(None, description="When it counts as ready.")
    required: Flag = Field(True, description="Whether its failure fails the run.")


class Watch(ProbeUse):
    """A passive probe that observes while the processes run."""

    on: Text = _ON
    as_: Identifier | None = _AS
    at: Moment | None = Field(None, description="When it starts. Default: before everything else.")
    stop: Moment | None = _STOP


class FileEntry(Model):
    """A file copied into a node before anything starts there. Give one of random, from and text."""

    on: Texts = Field(min_length=1, description="The role whose nodes get it, or several: [server, client].")
    path: Text = Field(description="Absolute path in the node.")
    random: Size | None = Field(
        None, description="Fill it with this many random bytes, derived from the seed and the file's name."
    )
    from_: Text | None = Field(
        None,
        alias="from",
        description='Copy a text file beside the workload. References such as "{server.ip}" are replaced.',
    )
    text: Text | None = Field(None, description='Its content. References such as "{server.ip}" are replaced.')

    @model_validator(mode="after")
    def _one(self) -> FileEntry:
        given = [key for key in ("random", "from_", "text") if getattr(self, key) is not None]
        if len(given) != 1:
            refuse("needs exactly one of random (a size), from (a file beside the workload) and text (the content)")
        if not self.path.startswith("/") or "/../" in f"{self.path}/" or self.path.endswith("/"):
            refuse(f'"{self.path}" is not the absolute path of a file; write one such as /srv/www/file.bin', key="path")
        return self


class Metric(Model):
    """A number computed from what processes and probes recorded."""

    of: Texts = Field(
        min_length=1,
        description="The processes or probes it is computed from, by name. For a metric of the medium: roles, or the "
        "words listed with the metric.",
    )
    unit: Text = Field(description="The unit it is reported in, such as Mbit/s or ms.")
    per: Text | None = Field(None, description="What each value is for, such as handoff.")
    kind: Text | None = Field(None, description="Kind of metric. Default: its name.")


class Check(Model):
    """A condition that must hold at the end."""

    that: Text = Field(description="A comparison, such as outage.max < 500 ms.")

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, data: Any) -> Any:
        if isinstance(data, str):
            refuse(f"must be a mapping; write {{that: {data}}}")
        return data


class Workload(Model):
    """What runs on a topology, what is recorded and which conditions must hold."""

    name: Text = Field(description="Name.")
    about: Text = Field("", description="What it does, in one sentence.")
    include: Texts = Field([], description=INCLUDE)
    roles: dict[Text, Annotated[tuple[int, int | None], Count()]] = Field(
        {}, description="The roles it needs, with the number of nodes in each: 1, 1.. (all available) or 2..4."
    )
    duration: Moment = Field(description="Length of the run, in virtual time.")
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
    probes: list[Watch] = Field([], description="Passive probes, started before the processes.")
    metrics: dict[Identifier, Metric] = Field({}, description="Metrics of the result, by name.")
    checks: list[Check] = Field([], description="Conditions at the end of the run; the run fails unless all hold.")
    timeline: list[AnyEvent] = Field([], description="Events, in addition to those of the topology.")

    @model_validator(mode="after")
    def _lasts(self) -> Workload:
        if self.duration == 0:
            refuse("must be longer than 0; write for example 30 s", key="duration")
        return self
