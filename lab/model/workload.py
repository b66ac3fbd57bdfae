# SPDX-License-Identifier: MIT
"""Workload files: what runs on a topology, on roles rather than nodes."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from lab.model.base import Choice, Flag, Model, Moment, Size, Text, Texts, refuse
from lab.model.names import Identifier
from lab.model.timeline import AnyEvent

_COUNT = re.compile(r"(?P<least>\d{1,6})(?P<more>\.\.(?P<most>\d{1,6})?)?\Z")
_LISTENING = re.compile(r"(tcp|udp|udplite)/(?P<port>\d{1,5})\Z")


class Count:
    """Annotation: ``1``, ``1..`` or ``2..4`` as (least, most); most is None for any number."""

    def parse(self, value: object) -> tuple[int, int | None]:
        """Least and most."""
        match = _COUNT.match(str(value).strip())
        if match is None or isinstance(value, bool):
            refuse(f'"{value}" is no number of nodes; write 1, 1.. (one or more) or 2..4')
        least = int(match["least"])
        most = least if not match["more"] else int(match["most"]) if match["most"] else None
        if (most is not None and most < max(least, 1)) or (least == 0 and not match["more"]):
            refuse(f'"{value}" lets no node have the role; write 1, 1.. (one or more) or 2..4')
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
    """When a process counts as up; what is listed after it waits for that. Give one of listening and log."""

    listening: Text | None = Field(None, description="A port that it listens on: tcp/80, udp/5001 or udplite/5001.")
    log: Text | None = Field(None, description="A regular expression found in what it prints.")
    within: Moment = Field(10_000_000_000, description="How long that may take.")

    @model_validator(mode="after")
    def _one(self) -> Ready:
        if (self.listening is None) == (self.log is None):
            refuse("wants one of listening (tcp/80) and log (a regular expression)")
        if self.listening is not None:
            match = _LISTENING.match(self.listening)
            if match is None or not 1 <= int(match["port"]) <= 65535:
                refuse(f'"{self.listening}" is no port; write tcp/80, udp/5001 or udplite/5001', key="listening")
        if self.log is not None:
            try:
                re.compile(self.log)
            except (re.error, OverflowError) as error:
                refuse(f'"{self.log}" is no regular expression: {error}', key="log")
        return self


class ProbeUse(Model):
    """A probe and its parameters, which are keys beside ``probe:``."""

    model_config = ConfigDict(extra="allow")

    probe: Text = Field(description="Name of the probe. Its parameters are further keys.")

    @property
    def params(self) -> dict[str, Any]:
        """The further keys as written."""
        return dict(self.model_extra or {})


def _argv_or_probe(value: Any) -> str:
    if isinstance(value, list):
        return "argv"
    if isinstance(value, dict):
        return "probe"
    import shlex

    words = str(value).split() if "'" in str(value) or '"' in str(value) else shlex.split(str(value))
    refuse(f"wants a list of words: run: [{', '.join(words)}]")


Argv = Annotated[list[Text], Field(min_length=1)]
Run = Annotated[list[str] | ProbeUse, Choice(_argv_or_probe, lambda: {"argv": Argv, "probe": ProbeUse})]

_ON = Field(description="The role whose nodes run it.")
_AS = Field(None, alias="as", description="What checks and metrics call it. If nothing is said: the program or probe.")
_STOP = Field(None, description="When it is ended (SIGINT). If nothing is said: at the end of the run.")


class Process(Model):
    """A program, or a probe that acts (curl, ping, iperf3)."""

    on: Text = _ON
    run: Run = Field(description="The command as a list, or a probe: {probe: curl, url: …}.")
    as_: Identifier | None = _AS
    at: Moment | None = Field(
        None,
        description="When it starts. If nothing is said: before the run starts, in order of listing; "
        "but a probe that acts and is not waited for (ready:) starts at 0 s.",
    )
    stop: Moment | None = _STOP
    ready: Ready | None = Field(None, description="When it counts as up.")
    required: Flag = Field(True, description="Whether the run fails if it fails.")


class Watch(ProbeUse):
    """A probe that watches while the processes act."""

    on: Text = _ON
    as_: Identifier | None = _AS
    at: Moment | None = Field(None, description="When it starts. If nothing is said: before everything else.")
    stop: Moment | None = _STOP


class FileEntry(Model):
    """A file that is put into a node before anything starts there. Give one of random, from and text."""

    on: Text = Field(description="The role whose nodes get it.")
    path: Text = Field(description="Where it is put: an absolute path in the node.")
    random: Size | None = Field(None, description="That many random bytes, from the seed and the file's name.")
    from_: Text | None = Field(
        None, alias="from", description='A text file beside the workload. "{server.ip}" is filled in.'
    )
    text: Text | None = Field(None, description='The content itself. "{server.ip}" is filled in.')

    @model_validator(mode="after")
    def _one(self) -> FileEntry:
        given = [key for key in ("random", "from_", "text") if getattr(self, key) is not None]
        if len(given) != 1:
            refuse("wants one of random (a size), from (a file beside the workload) and text (the content)")
        if not self.path.startswith("/") or "/../" in f"{self.path}/" or self.path.endswith("/"):
            refuse(f'"{self.path}" is no absolute path of a file; write one like /srv/www/file.bin', key="path")
        return self


class Metric(Model):
    """A figure computed from what processes and probes recorded."""

    of: Texts = Field(
        min_length=1,
        description="The processes or probes it is computed from, by name. For a metric of the medium: roles, or words "
        "that its line names.",
    )
    unit: Text = Field(description="The unit it is told in, such as Mbit/s or ms.")
    per: Text | None = Field(None, description="What there is one figure of, such as handoff.")
    kind: Text | None = Field(None, description="How it is computed. If nothing is said: as its name says.")


class Check(Model):
    """What must hold at the end."""

    that: Text = Field(description="A comparison, such as outage.max < 500 ms.")


class Workload(Model):
    """What runs on a topology, what is recorded and what must hold."""

    name: Text = Field(description="Its name.")
    about: Text = Field("", description="One sentence on what it does.")
    roles: dict[Text, Annotated[tuple[int, int | None], Count()]] = Field(
        {}, description="The roles it needs and how many nodes of each: 1, 1.. (all there are) or 2..4."
    )
    duration: Moment = Field(description="How long the run takes, in virtual time.")
    stack: Text | None = Field(
        None,
        description="The stack with code whose programs, libraries and Python modules nodes have. If "
        "nothing is said: that of the folder `workloads/<stack>` around the file, if that has code.",
    )
    files: dict[Identifier, FileEntry] = Field({}, description="Files put into nodes, by the name that checks use.")
    processes: list[Process] = Field([], description="What is run, in order.")
    probes: list[Watch] = Field([], description="What watches; started before the processes.")
    metrics: dict[Identifier, Metric] = Field({}, description="The figures of the result, by name.")
    checks: list[Check] = Field([], description="What must hold at the end; else the run fails.")
    timeline: list[AnyEvent] = Field([], description="What happens, besides what the topology says.")

    @model_validator(mode="after")
    def _lasts(self) -> Workload:
        if self.duration == 0:
            refuse("a run takes some time; write for example 30 s", key="duration")
        return self
