# SPDX-License-Identifier: MIT
"""One run: the plan's files, processes, probes and events, at their virtual times.

What happened goes to /lab/run/guest.json, which holds virtual times only, so that equal plans leave equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.medium.medium import Medium
from lab.guest.medium.record import MediumRecord
from lab.guest.network.links import WiredLink
from lab.guest.network.network import LabNet
from lab.guest.sampling import FileSizeSampler, Sampler
from lab.guest.tasks import Task
from lab.guest.timeline import HANDLERS
from lab.shared import random_files, types
from lab.shared.paths import RAW, RUN

GRAIN_NS = 1_000_000_000  # the timeline starts at a full second of uptime
GRACE_NS = 2_000_000_000  # between asking the last processes to end and killing them


class ScriptedRun:
    """Runs a plan on a network that is up."""

    def __init__(self, plan: types.Plan, network: LabNet, loop: Loop) -> None:
        self.plan = plan
        self.network = network
        self.loop = loop
        self.tasks: dict[str, Task] = {}
        self.samplers: list[Sampler | FileSizeSampler] = []
        self.events: list[dict[str, Any]] = []
        self.failure: GuestError | None = None
        self.start_ns = 0  # uptime at the timeline's start
        self.epoch_ns = 0  # CLOCK_REALTIME then

    # The whole

    def run(self) -> None:
        """Everything from files to the last process; GuestError where the plan fails."""
        self._place_files()
        # probes that sample begin with the timeline, to look at round times
        early = [process for process in self.plan.processes if process.at_ns < 0 and process.mode != "sample"]
        for process in early:
            self._start_and_wait(process)
        self._start_clock()
        for process in self.plan.processes:
            if process not in early:
                self._at(max(0, process.at_ns), partial(self._start, process))
        for event in self.plan.events:
            self._at(event.at_ns, partial(self._fire, event))
        record = self._follow_medium(self.network.medium) if self.network.medium else None
        self._progress()
        self.loop.run_until(self.start_ns + self.plan.duration_ns, lambda: self.failure is not None)
        if record:
            self.guard(lambda: record.look(self.elapsed_ns()))
            record.write(RAW)
        self._wind_up()
        if self.failure:
            raise self.failure

    def guard(self, callback: Callable[[], None]) -> None:
        """Run a callback of the loop; its failure ends the run."""
        try:
            callback()
        except GuestError as error:
            self.failure = self.failure or error

    def link(self, name: str) -> WiredLink:
        """The wired link of that name."""
        found: WiredLink = next(link for link in self.network.links if link.spec.name == name)
        return found

    def elapsed_ns(self) -> int:
        """Virtual time since the timeline's start."""
        return now_ns() - self.start_ns

    # Parts

    def _place_files(self) -> None:
        for file in self.plan.files:
            container = self.network.nameToNode[file.node].container
            if file.text is not None:
                container.write(file.path, file.text, file.mode)
                continue
            container.write(file.path, b"", file.mode)
            with (container.root / file.path.lstrip("/")).open("wb") as target:
                for chunk in random_files.random_chunks(self.plan.seed, file.name, file.random_bytes or 0):
                    target.write(chunk)

    def _start_clock(self) -> None:
        uptime_ns = now_ns()
        self.start_ns = (uptime_ns // GRAIN_NS + 1) * GRAIN_NS
        self.loop.run_until(self.start_ns)
        # both clocks are read at one virtual moment, apart from the cost of reading
        self.epoch_ns = time.clock_gettime_ns(time.CLOCK_REALTIME) - (now_ns() - self.start_ns)
        (RUN / "started").write_text(f"{self.start_ns}\n")

    def _at(self, at_ns: int, callback: Callable[[], None]) -> None:
        self.loop.call_at(self.start_ns + at_ns, lambda: self.guard(callback))

    def _follow_medium(self, medium: Medium) -> MediumRecord:
        """Note what was counted before the timeline, and have levels follow whoever moves."""
        record = MediumRecord(medium, self.start_ns)
        record.look(self.elapsed_ns())
        every_ns = medium.plan.statistics_ns
        if every_ns < self.plan.duration_ns:
            self._at(every_ns, partial(self._look, record, every_ns))
        for change in medium.plan.updates:
            self._at(change.at_ns, partial(medium.update, change))
        return record

    def _look(self, record: MediumRecord, every_ns: int) -> None:
        """Read the counters, and again at the next multiple of ``every_ns``, if the run's last look is not due then.

        An event that takes time (exec) delays a look, so it is stamped with the time that it is, not with its own.
        """
        now_ns = self.elapsed_ns()
        record.look(now_ns)
        next_ns = (now_ns // every_ns + 1) * every_ns
        if next_ns < self.plan.duration_ns:
            self._at(next_ns, partial(self._look, record, every_ns))

    def _progress(self) -> None:
        """Look after the daemons every 100 ms of virtual time."""
        dead = self.network.dead_daemon()
        if dead:
            self.failure = self.failure or GuestError(f"{dead.name} {dead.describe_end()}", dead.name, dead.log)
        self.loop.call_at(now_ns() + 100_000_000, self._progress)

    def _fire(self, event: types.Event) -> None:
        entry = {
            "t_ns": event.at_ns,
            "kind": event.kind,
            "target": event.target,
            "params": event.params,
            "ok": False,
            "output": "",
        }
        self.events.append(entry)
        try:
            entry["output"] = HANDLERS[event.kind](self, event)
        except GuestError as error:
            raise GuestError(
                f"{event.source}: {event.kind} {event.target}: {error.message}", error.culprit, error.log
            ) from None
        entry["ok"] = True

    # Processes

    def _start_and_wait(self, process: types.Process) -> None:
        self._start(process)
        ready = process.ready
        if ready is None:
            return
        task = self.tasks[process.id]
        condition = self._condition(process, ready)
        self.loop.wait_for(
            lambda: condition() or not task.alive,
            ready.timeout_ns,
            f"{process.id} to be ready ({ready.listening or ready.log})",
            culprit=process.id,
            log=task.log,
            where=process.source,
        )
        if self.failure:
            raise self.failure

    def _condition(self, process: types.Process, ready: types.Ready) -> Callable[[], bool]:
        from lab.guest import ready as conditions

        container = self.network.nameToNode[process.node].container
        if ready.listening is not None:
            return conditions.listening(container.pid, ready.listening)
        return conditions.logged(self.tasks[process.id], ready.log or "")

    def _start(self, process: types.Process) -> None:
        if process.mode == "control":
            self._record_control(process)
        elif process.mode == "sample":
            sampler = Sampler(self, process)
            self.samplers.append(sampler)
            sampler.tick()
        else:
            task = self._start_task(process)
            if process.watched_file:
                sampler_of_size = FileSizeSampler(self, process, process.watched_file, task)
                self.samplers.append(sampler_of_size)
                sampler_of_size.tick()
        if process.stop_ns is not None and process.id in self.tasks:
            self._at(process.stop_ns, lambda: self.tasks[process.id].send(signal.SIGINT))

    def _start_task(self, process: types.Process) -> Task:
        container = self.network.nameToNode[process.node].container
        task = Task(
            self.loop,
            process.id,
            container.command(*process.argv),
            RAW / f"{process.id}.out",
            RAW / f"{process.id}.err",
            lambda task: self._ended(process, task),
        )
        self.tasks[process.id] = task
        return task

    def _ended(self, process: types.Process, task: Task) -> None:
        for sampler in self.samplers:
            sampler.finish(task)
        if task.expected or not process.required:
            return
        if task.exit == 0 and (process.acts or process.ready is None):
            return  # a client that has done its work
        node = self.plan.node(process.node)
        short = self.network.nameToNode[node.name].container.memory_kills() and task.signal == signal.SIGKILL
        why = f": {node.name} has no more than {node.memory_bytes >> 20} MiB of memory" if short else ""
        self.failure = self.failure or GuestError(
            f"{process.source}: {process.id} {task.describe_end()}{why}", process.id, task.log
        )

    def _record_control(self, process: types.Process) -> None:
        control = self.network.controls[process.node]
        out = RAW / f"{process.id}.out"
        out.touch()

        def write(stamp_ns: int, text: str) -> None:
            with out.open("a") as file:
                file.write(f"{stamp_ns - self.start_ns} {text.rstrip()}\n")

        control.listen(write)

    # The end

    def _wind_up(self) -> None:
        for sampler in self.samplers:
            sampler.stop()
        asked: dict[str, signal.Signals] = {task.name: signal.SIGTERM for task in self.tasks.values()}
        for process in self.plan.processes:
            if process.probe is not None and process.id in asked:
                asked[process.id] = signal.SIGINT  # tools print their summary then
        for task in self.tasks.values():
            task.send(asked[task.name])
        deadline_ns = now_ns() + GRACE_NS
        self.loop.run_until(deadline_ns, lambda: not any(task.alive for task in self.tasks.values()))
        for task in self.tasks.values():
            task.send(signal.SIGKILL)
        self.loop.run_until(now_ns() + GRACE_NS, lambda: not any(task.alive for task in self.tasks.values()))

    def outcome(self) -> dict[str, Any]:
        """The content of guest.json (see lab.record)."""
        return {
            "epoch_ns": self.epoch_ns,
            "boot_ns": self.start_ns,
            "end_ns": self.elapsed_ns() if self.start_ns else 0,
            "kernel": os.uname().release,
            "processes": [
                {
                    "id": task.name,
                    "node": self._node_of(task.name),
                    "started_ns": task.started_ns - self.start_ns,
                    "ended_ns": None if task.expected or task.ended_ns is None else task.ended_ns - self.start_ns,
                    "exit": None if task.expected else task.exit,
                    "signal": None if task.expected else task.signal,
                }
                for task in self.tasks.values()
            ],
            "events": self.events,
        }

    def _node_of(self, identifier: str) -> str:
        return next(process.node for process in self.plan.processes if process.id == identifier)


def file_sha256(path: Path) -> tuple[str, int]:
    """Digest and size of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest, path.stat().st_size


def write_outcome(outcome: dict[str, Any]) -> None:
    """Leave guest.json, whole or not at all."""
    text = json.dumps(outcome, sort_keys=True, indent=2) + "\n"
    partial = RUN / "guest.json.partial"
    partial.write_text(text)
    partial.rename(RUN / "guest.json")
