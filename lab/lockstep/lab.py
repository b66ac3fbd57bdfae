# SPDX-License-Identifier: MIT
"""The lab as an object: from topology and workload to a plan, a guest that is driven, and a record."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lab.cache.report import LineReport
from lab.errors import InputError, LabError, writing
from lab.lockstep.agent import Agent
from lab.lockstep.captures import Capture, captures_of
from lab.lockstep.conditions import Condition, Holds
from lab.lockstep.counters import Counters
from lab.lockstep.errors import CallError, WaitError
from lab.lockstep.events import Event
from lab.lockstep.forks import close_only_here
from lab.lockstep.forward import Forward, Forwarder
from lab.lockstep.node import Node
from lab.lockstep.words import Time, caller, longer_duration, override, time_ns
from lab.machine.channel import Channel
from lab.machine.machine import Machine
from lab.machine.run_directory import PLAN, new_directory
from lab.named import Named
from lab.plan.load import load
from lab.runs import booted, machine_for, recorded, run_plan
from lab.runs.added_events import AddedEvents
from lab.runs.limits import Limits
from lab.shared.paths import DAEMON_LOGS, EXCHANGED, LOCKSTEP_LOGS, RAW
from lab.shared.types import Plan, names_by_mac

if TYPE_CHECKING:
    from lab.record import Record
    from lab.record.record import RecordedMetric

__tracebackhide__ = True  # pytest shows the line of the caller
_POLL_S = 0.01
_AUTO = "auto"
_LOGS = (".out", ".err", ".log")
_MEDIUM_HINT = "write medium={} for Lab, or for the marker lab"


class Lab:
    """A topology with a workload. Start it with ``with``, or with ``start()`` and later ``close()``.

    Between two calls virtual time stands still; ``run_until``, ``wait_for`` and programs in nodes let it pass. It
    begins at 0, when the network is up and all stations are associated, and ends with the workload's ``duration``.

    Args:
        topology: its name, or the path of its file.
        workload: its name or path; default: nothing runs.
        seed: of all random numbers.
        medium: as the topology's key: "perfect", or keys of the medium, ``{}`` for the defaults.
        duration: of the timeline: ``"2 min"``; default: that of the workload.
        set: other keys of both files, by their dotted names: ``{"links.0.delay": "20 ms"}``.
        pcap: "air": capture every frame on the medium; "auto": if there are radios on one.
        directory: of the run, new or empty; default: a new one in runs/.
        location: FILE:LINE of these parameters, for messages; default: that of the caller.

    Raises:
        InputError, InputErrors: If they, or the files, have a mistake.
    """

    def __init__(
        self,
        topology: str | Path,
        workload: str | Path = "idle",
        *,
        seed: int = 1,
        medium: str | Mapping[str, Any] | None = None,
        duration: str | None = None,
        set: Mapping[str, Any] | None = None,
        pcap: str | None = None,
        directory: str | Path | None = None,
        location: str | None = None,
    ) -> None:
        """Plan it; nothing is started yet."""
        self._names = (str(topology), str(workload))
        self._seed = seed
        self._overrides = [
            *([override("medium", medium if isinstance(medium, str) else dict(medium))] if medium is not None else []),
            *([override("workload.duration", duration)] if duration is not None else []),
            *(override(key, value) for key, value in (set or {}).items()),
        ]
        where = caller() if location is None else location
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InputError(f"seed: {seed!r} is not a whole number; write one, such as 7", where=where)
        self._locations = {text.partition("=")[0]: where for text in self._overrides}
        self._plan = load(
            *self._names, seed, self._overrides, pcap=None if pcap == _AUTO else pcap, locations=self._locations
        )
        if pcap == _AUTO and self._plan.medium and any(node.radio for node in self._plan.nodes):
            self._plan = replace(self._plan, pcap="air")
        self._out = None if directory is None else Path(directory)
        self._directory: Path | None = None
        self._closing = contextlib.ExitStack()
        self._process = os.getpid()
        self._agent: Agent | None = None
        self._forwarder: Forwarder | None = None
        self._machine: Machine | None = None
        self._ended: str | None = None  # why nothing more can be done
        self._record: Record | None = None
        self._added = AddedEvents(
            *self._names, seed, self._overrides, self._locations, pcap=self._plan.pcap, medium_hint=_MEDIUM_HINT
        )
        nodes = {spec.name: Node(self, spec) for spec in self._plan.nodes}
        self._nodes: Named[Node] = Named("node", nodes, CallError)

    def __repr__(self) -> str:
        return f"<Lab {self._plan.name}, seed {self._seed}, at {self.now_s:g} s>"

    @property
    def plan(self) -> Plan:
        """What runs, with the events that were added."""
        return self._added.plan or self._plan

    def run(self) -> Record:
        """Run the plan to its end, as ``lab run`` does, without driving it; return its record.

        Raises:
            RunError: If it failed.
        """
        machine, directory = self._prepare()
        self._record = run_plan(self._plan, machine, directory)
        self._ended = "the lab has run to its end"
        return self._record

    # Start and end

    def start(self) -> Self:
        """Boot; return once the timeline begins.

        Raises:
            RunError: If the network did not come up.
            HostError: If the host lacks something.
        """
        machine, directory = self._prepare()
        self.exchanged.mkdir()
        close_only_here(self._closing)
        self._closing.callback(shutil.rmtree, self.exchanged, ignore_errors=True)
        channel = self._closing.enter_context(Channel())
        try:
            guest = self._closing.enter_context(
                booted(self._plan, machine, directory, mode="lockstep", channel=channel)
            )
            self._agent = Agent(guest, channel, Limits(self._plan, directory))
            self._agent.await_timeline()
        except BaseException as error:
            raise self._failed(error) from None
        return self

    def _prepare(self) -> tuple[Machine, Path]:
        if self._directory is not None:
            raise CallError(self._ended or "the lab has started already", hint="make another Lab to start again")
        self._machine = machine_for(self._plan, self._names[1], LineReport())
        name = f"{self._plan.topology}--{self._plan.workload}-seed{self._seed}".replace("/", "-")
        self._directory = new_directory(name, self._out)
        return self._machine, self._directory

    def finish(self) -> Record:
        """Advance to the end of the timeline, and end the lab: its checks hold or not; return its record.

        A lab that does nothing else leaves the same bytes as ``lab run``, except for console.log, wall.json and what
        ``lab report`` draws.

        Raises:
            RunError: If the run failed.
        """
        return self._end("finish", self.plan)

    def stop(self) -> Record:
        """End the lab now; return its record, with the metrics of the time until now.

        Programs of the workload need not have ended. Nothing happens if the lab has ended.

        Raises:
            RunError: If the run failed.
        """
        if self._record is not None:
            return self._record
        return self._end("end", replace(self.plan, duration_ns=max(self.now_ns, 1)))

    def _end(self, do: str, plan: Plan) -> Record:
        agent = self._running()
        assert self._directory is not None and self._machine is not None  # it runs
        if self._forwarder is not None:
            self._forwarder.end()
            self._forwarder.join()
        try:
            walls = agent.end(do)
            if do == "finish":
                agent.now_ns = plan.duration_ns
            with writing(self._directory / PLAN):
                (self._directory / PLAN).write_text(plan.to_json())
            self._ended = f"the lab has ended, at {self.now_s:g} s"
            self._closing.close()
        except BaseException as error:
            raise self._failed(error) from None
        self._record = recorded(plan, self._machine, self._directory, walls)
        return self._record

    def close(self) -> None:
        """End the guest at once, if it still runs. Its files stay unchanged."""
        if self._is_forked():  # the guest is that of the other process, and stays
            return
        self._ended = self._ended or "the lab has been closed"
        self._closing.close()
        if self._forwarder is not None:
            self._forwarder.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, what: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self._ended is None and (what is None or issubclass(what, Exception)):
                self.stop()
        except LabError:
            if what is None:  # otherwise the caller's own error says more
                raise
        finally:
            self.close()

    def _failed(self, error: BaseException) -> BaseException:
        """End a run that has failed, and remember why for later calls; return what to raise."""
        if isinstance(error, LabError):
            error.directory = self._directory
            error = error.with_traceback(None)  # its traceback does not help the caller
        if isinstance(error, CallError):
            return error
        self._ended = f"the lab has ended: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        with contextlib.suppress(type(error)):
            self._closing.__exit__(type(error), error, error.__traceback__)
        return error.with_traceback(None) if isinstance(error, LabError) else error

    def _running(self) -> Agent:
        if self._ended is not None:
            raise CallError(self._ended, hint="make another Lab to start again")
        if self._is_forked():
            raise CallError("this process is a fork of the one that has the lab; use the lab there")
        if self._agent is None:
            raise CallError("the lab has not started", hint="write with Lab(…) as net:, or call start()")
        return self._agent

    def _is_forked(self) -> bool:
        return os.getpid() != self._process

    # Time

    @property
    def now_ns(self) -> int:
        """Virtual time since the start of the timeline, ns."""
        return self._agent.now_ns if self._agent else 0

    @property
    def now_s(self) -> float:
        """Virtual time since the start of the timeline, s."""
        return self.now_ns / 1e9

    @property
    def end_ns(self) -> int:
        """When the timeline ends, in ns of virtual time."""
        return self._plan.duration_ns

    def run_until(self, time_s: Time) -> None:
        """Advance to a time of the timeline: ``net.run_until(12.5)``, ``net.run_until("12.5 s")``.

        Raises:
            CallError: If it has passed, or is beyond the end.
            RunError: If the run failed meanwhile.
        """
        self._running()
        at_ns = self._future_ns(time_ns(time_s, "time_s"))
        if at_ns > self.end_ns:
            raise self._beyond(at_ns)
        self.ask("run_until", at_ns=at_ns)

    def run_for(self, time_s: Time) -> None:
        """Advance by some time.

        Raises:
            CallError: If that is beyond the end.
            RunError: If the run failed meanwhile.
        """
        self.run_until((self.now_ns + time_ns(time_s, "time_s")) / 1e9)

    def _future_ns(self, at_ns: int) -> int:
        if at_ns < self.now_ns:
            raise CallError(f"{at_ns / 1e9:g} s has passed: the time is {self.now_s:g} s")
        return at_ns

    def _beyond(self, at_ns: int) -> CallError:
        return CallError(
            f"{at_ns / 1e9:g} s is beyond the end of the timeline, {self.end_ns / 1e9:g} s",
            hint=f'for a longer one, write duration="{at_ns / 1e9:.0f} s"',
        )

    def wait_for(
        self, condition: Condition | Callable[[], object], timeout_s: Time = 10.0, poll_s: Time = _POLL_S
    ) -> None:
        """Let time pass until a condition holds.

        Args:
            condition: of lab.lockstep.conditions; or a function that returns something true once it holds.
            timeout_s: of virtual time.
            poll_s: how often it is checked, in virtual time; also whenever hostapd or wpa_supplicant reports
                something and a program ends.

        Raises:
            WaitError: If it does not hold in time, or cannot hold any more since a program has ended; shows the last
                state.
            RunError: If the run failed meanwhile.
        """
        waited: Condition = Holds(condition) if callable(condition) else condition
        if not hasattr(waited, "holds"):
            raise CallError(f"{condition!r} is not a condition; write associated(…), or lambda: …")
        self._running()
        timeout_ns, poll_ns = time_ns(timeout_s, "timeout_s"), max(1, time_ns(poll_s, "poll_s"))
        begun_ns = self.now_ns
        until_ns = min(begun_ns + timeout_ns, self.end_ns)
        never = getattr(waited, "never", lambda _net: "")
        while not waited.holds(self):
            if why := never(self):
                raise WaitError(f"{waited!r} cannot come: it {why} by {self.now_s:g} s; last seen: {waited.seen(self)}")
            if self.now_ns >= until_ns:
                short = until_ns < begun_ns + timeout_ns
                end = f", where the timeline ends; {longer_duration(self.end_ns)}" if short else ""
                raise WaitError(
                    f"waited {(self.now_ns - begun_ns) / 1e9:g} s for {waited!r}, until {self.now_s:g} s{end}; "
                    f"last seen: {waited.seen(self)}"
                )
            self.ask("run_until", at_ns=min(self.now_ns + poll_ns, until_ns), news=True)

    # Events

    def at(self, time_s: Time, event: Event) -> None:
        """Have an event happen at a time of the timeline: ``net.at(12.5, roam("sta1", "ap2"))``.

        Raises:
            InputError, InputErrors: If it has a mistake.
            CallError: If the time has passed, or is beyond the end.
        """
        self._add(time_ns(time_s, "time_s"), event, caller())

    def do(self, event: Event) -> None:
        """Have an event happen now.

        Raises:
            InputError, InputErrors: If it has a mistake.
            RunError: If it failed.
        """
        self._add(self.now_ns, event, caller())

    def _add(self, at_ns: int, event: Event, location: str) -> None:
        self._running()
        if not isinstance(event, Event):
            raise CallError(
                f'{event!r} is not an event; write roam("sta1", "ap2"), or event("netem", "h1-s1", loss="5%")'
            )
        if self._future_ns(at_ns) > self.end_ns:
            raise self._beyond(at_ns)
        try:
            added = self._added.add(at_ns, event.written, location, self.now_ns)
        except InputError as error:
            raise error.with_traceback(None) from None
        self.ask(
            "events",
            events=[asdict(one) for one in added.events],
            updates=[[update.at_ns, update.links] for update in added.updates],
        )

    # Nodes and what happened

    def __getitem__(self, name: str) -> Node:
        """Return the node of that name.

        Raises:
            CallError: If no node has it; lists the names that exist.
        """
        return self._nodes[name]

    @property
    def nodes(self) -> dict[str, Node]:
        """All nodes, by name."""
        return Named("node", self._nodes, CallError)

    def ap_with(self, bssid: str) -> str | None:
        """Return the name of the access point with this BSSID; None without one."""
        return names_by_mac(self._plan.nodes, "ap").get(bssid)

    def listens(self, node: str, socket: str) -> tuple[bool, str]:
        """Return whether a socket ("tcp/80") listens in a node, and what else does, in words."""
        answer = self.ask("listens", node=node, socket=socket)
        return bool(answer["listens"]), str(answer["seen"])

    def counters(self) -> Counters:
        """Return the counters of the medium now; the difference of two is what happened between them.

        Raises:
            CallError: If the medium is perfect, and counts nothing.
        """
        answer = self.ask("counters")
        return Counters(self.now_s, answer["links"], answer["radios"], answer["channels"])

    def ask(self, do: str, **parameters: Any) -> dict[str, Any]:
        """Have the agent do something (lab.guest.calls); for what has no method here.

        Raises:
            CallError: If it cannot be done.
            RunError: If the run failed meanwhile, and has ended.
        """
        agent = self._running()
        try:
            with agent.alone():
                self._running()  # it may have ended meanwhile, with a forwarded port
                return agent.ask(do, **parameters)
        except BaseException as error:
            raise self._failed(error) from None

    def forward(self, node: str, port: int, quiet_ns: int) -> Forward:
        """Forward a port of a node, as ``Node.forward`` does."""
        agent = self._running()
        if self._forwarder is None:
            self._forwarder = Forwarder(agent, self.ask, self.end_ns)
            self._closing.callback(self._forwarder.end)
        return self._forwarder.add(node, port, quiet_ns)

    # Files

    @property
    def has_directory(self) -> bool:
        """Whether it has one yet."""
        return self._directory is not None

    @property
    def directory(self) -> Path:
        """The directory of the run; docs/reference lists its files.

        Raises:
            CallError: If the lab has not started.
        """
        if self._directory is None:
            raise CallError("the lab has not started, and has no directory yet")
        return self._directory

    @property
    def exchanged(self) -> Path:
        """The directory of files on their way to and from nodes."""
        return self.directory / EXCHANGED.name

    @property
    def logs(self) -> Path:
        """The directory of what programs print that ``run`` and ``popen`` have started."""
        return self.directory / RAW.name / LOCKSTEP_LOGS.name

    @property
    def record(self) -> Record:
        """The record of a lab that has ended: ``net.record.metrics["goodput"].values["mean"]``.

        Raises:
            CallError: If it has not ended, or has failed.
        """
        if self._record is None:
            raise CallError("there is no record yet", hint="finish() and stop() end the lab and return its record")
        return self._record

    @property
    def metrics(self) -> dict[str, RecordedMetric]:
        """The metrics of the workload, by name, of a lab that has ended: ``net.metrics["goodput"].values["mean"]``.

        Raises:
            CallError: If it has not ended, or no metric has a name; lists the names that exist.
        """
        return Named("metric", self.record.metrics, CallError)

    @property
    def epoch_ns(self) -> int | None:
        """Second 0 of the timeline as logs and captures have it, in ns since the Unix epoch; None before the end."""
        return None if self._record is None else int(self._record.data["clock"]["epoch_ns"])

    @property
    def captures(self) -> list[Capture]:
        """The captures of the air, one for each channel, of a lab that has ended."""
        return captures_of(self.directory / RAW.name, self.epoch_ns or 0)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What events have done, of a lab that has ended: ``t_ns``, ``kind``, ``target``, ``params``, ``output``."""
        found: list[dict[str, Any]] = self._record.data["events"] if self._record is not None else []
        return found

    @property
    def remarks(self) -> list[str]:
        """What may be behind a failure, of a lab that has ended: nodes that ran out of memory, a sentence each."""
        from lab.report.remarks import remarks

        return [] if self._record is None else remarks(self._record.data)

    def all_logs(self) -> list[Path]:
        """Return the files of what programs and daemons have written; that of the kernel is console.log."""
        raw = self.directory / RAW.name
        found = [path for folder in (self.logs, raw, raw / DAEMON_LOGS.name) for path in sorted(folder.glob("*.*"))]
        return [path for path in found if path.suffix in _LOGS and path.is_file()]
