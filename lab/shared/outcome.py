# SPDX-License-Identifier: MIT
"""guest.json: what happened in a run, in virtual time. The guest writes it, records are built from it."""

from __future__ import annotations

import json
from typing import Any

from lab.shared.frozen import built, data, field, frozen

MOST_OUTPUT_BYTES = 64 << 10  # of an event, in guest.json


@frozen
class Failure:
    """Why a run failed."""

    message: str
    culprit: str | None = None  # node or process
    logs: list[str] = field(default_factory=list)  # files of the run that say more


@frozen
class Ended:
    """A process of the plan that was started. Times and ends are None if the lab ended it."""

    id: str
    node: str
    started_ns: int
    ended_ns: int | None
    exit: int | None
    signal: int | None


@frozen
class Happened:
    """An event of the timeline."""

    t_ns: int
    kind: str
    target: str
    params: dict[str, Any]
    ok: bool
    output: str  # what its command printed, at most the first MOST_OUTPUT_BYTES, or the answer of a daemon
    raw: str | None = field(default=None, omitted=True)  # the file in raw/ that has the output, whole and as it came
    more_lines: int = field(default=0, omitted=True)  # of that file: those that begin after ``output``


@frozen
class Unfinished:
    """A ``roam`` of the timeline whose outcome the run did not wait for."""

    t_ns: int  # of the event
    station: str
    ap: str
    last: str  # what the station's wpa_supplicant had reported


@frozen
class Outcome:
    """A run."""

    epoch_ns: int  # time of day at the timeline's start; 0: it did not begin
    boot_ns: int  # the same as uptime
    end_ns: int  # of the timeline, from its start
    kernel: str
    processes: list[Ended]
    events: list[Happened]
    associations: dict[str, str]  # of stations at the timeline's start: BSSIDs
    error: Failure | None
    memory_kills: dict[str, int] = field(default_factory=dict, omitted=True)  # of nodes: processes that it has cost
    unfinished: list[Unfinished] = field(default_factory=list, omitted=True)

    def to_json(self) -> str:
        """Return the text of guest.json."""
        return json.dumps(data(self), sort_keys=True, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """Return the outcome of which ``to_json`` made this text.

        Raises:
            ValueError, TypeError: If it is another text.
        """
        found: Outcome = built(cls, json.loads(text))
        return found
