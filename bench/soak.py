# SPDX-License-Identifier: MIT
"""Random pairs of shipped topologies and workloads under random faults of the host: no wrong verdict, nothing left.

Each run is ``lab run`` as a user types it. A fault comes at a random moment: a killed guest, stub or lab, one that is
stopped for a while, Ctrl-C, SIGTERM, a closed terminal, a disk or its inodes that run out, a limit of the size of
files. A run that has a verdict must have that of a run without faults, with the same bytes in raw/; any other says
why, without a traceback. Nothing of a run is left afterwards: no process, no scratch directory, no file in /dev/shm or
/tmp. What ``kill -9`` of a lab leaves, the next run removes.

The faults of disks need mount namespaces: those of root, or of a user. Without any, these faults are not drawn, and the
last line says so.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import filecmp
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.lab_runs import LAB
from bench.machine import load_average, machine
from bench.options import whole
from lab.errors import LabError
from lab.library import known
from lab.plan.load import load

LONGEST_NS = 30 * 10**9  # of a timeline: runs are to be many
PAIRS = 12  # a run without faults of each is the yardstick
SLOWEST_S = 300  # a run that takes longer hangs
GONE_WITHIN_S = 20  # what a run leaves must be gone by then
VERDICTS = (0, 1)
NOT_RESULTS = {"wall.json", "console.log"}  # they have times of the host
_PR_SET_CHILD_SUBREAPER = 36
_SMALL_DISK = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && "$@"; status=$?; cp -r "$OUT" "$KEPT"; exit $status'
_IN_SMALL_DISK = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


@dataclass
class Run:
    """A run that continues, or has ended."""

    process: subprocess.Popen[bytes]
    directory: Path  # what the lab wrote into
    output: Path
    moment_s: float  # at which the fault comes
    random: random.Random

    def tree(self) -> list[int]:
        """Return the processes below the lab: its guest, and the guest's stubs."""
        return descendants(self.process.pid)

    def send(self, number: int, pid: int) -> None:
        """Signal a process of the run, if it still exists."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


Fault = Callable[[Run], None]


def descendants(pid: int) -> list[int]:
    """Return the processes below one, by the parents that /proc names."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):  # it has just ended
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, rest = [], [pid]
    while rest:
        below = children.get(rest.pop(), [])
        found += below
        rest += below
    return found


def kill_one_of_the_guest(run: Run) -> None:
    """SIGKILL to the guest or one of its stubs."""
    if below := run.tree():
        run.send(signal.SIGKILL, run.random.choice(below))


def stop_all(run: Run) -> None:
    """SIGSTOP to lab and guest, and SIGCONT after up to 5 s, once in ten after a minute."""
    stopped = [run.process.pid, *run.tree()]
    for pid in stopped:
        run.send(signal.SIGSTOP, pid)
    time.sleep(60 if run.random.random() < 0.1 else run.random.uniform(0.1, 5))
    for pid in reversed(stopped):
        run.send(signal.SIGCONT, pid)


def stop_guest(run: Run) -> None:
    """Do the same to the guest alone, or to one of its stubs."""
    below = run.tree()
    if not below:
        return
    stopped = below if run.random.random() < 0.5 else [run.random.choice(below)]
    for pid in stopped:
        run.send(signal.SIGSTOP, pid)
    time.sleep(run.random.uniform(0.1, 5))
    for pid in stopped:
        run.send(signal.SIGCONT, pid)


def to_lab(number: signal.Signals) -> Fault:
    """Make a fault that signals the lab."""
    return lambda run: run.send(number, run.process.pid)


MOMENTS: dict[str, Fault] = {
    "no fault": lambda run: None,
    "SIGKILL of a process of the guest": kill_one_of_the_guest,
    "SIGKILL of the lab": to_lab(signal.SIGKILL),
    "SIGINT": to_lab(signal.SIGINT),
    "SIGTERM": to_lab(signal.SIGTERM),
    "SIGHUP": to_lab(signal.SIGHUP),
    "SIGSTOP of lab and guest": stop_all,
    "SIGSTOP of the guest": stop_guest,
}
DISKS = {"a full disk": ("size={}k", 64, 1500), "no inodes": ("nr_inodes={}", 5, 60)}
FILE_SIZE = "a limit of the size of files"


@dataclass
class Soak:
    """All runs. ``found``: what is wrong, in words."""

    root: Path
    random: random.Random
    disks: bool
    ends_s: float
    runs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    of_killed: list[str] = field(default_factory=list)  # what the last run left, if its lab was killed
    before: frozenset[int] = field(default_factory=lambda: frozenset(descendants(os.getpid())))  # no runs
    late: bool = False  # the last fault, which came after the end of its run

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield pairs that have no mistakes, a short timeline, and images that every user has."""
        places, works = sorted(known("topology")), sorted(known("workload"))
        while True:
            place, work = self.random.choice(places), self.random.choice(works)
            try:
                plan = load(place, work)
            except LabError:
                continue
            if plan.duration_ns <= LONGEST_NS and not any(node.image for node in plan.nodes):
                yield place, work

    def run(self, pair: tuple[str, str], fault: str, whole_s: float) -> tuple[int | None, Path, str]:
        """Run a pair; return the status (None: it hung), its directory, and what it printed."""
        self.runs += 1
        place = self.root / f"{self.runs}"
        place.mkdir()
        out, output = place / "run", place / "output"
        argv = [LAB, "run", *pair, "--out", str(out)]
        environment = dict(os.environ)
        limit = None
        if fault in DISKS:
            text, least, most = DISKS[fault]
            disk = place / "disk"
            disk.mkdir()
            environment |= {"OUT": str(disk / "run"), "KEPT": str(out)}
            small = [*_IN_SMALL_DISK, "sh", "-c", _SMALL_DISK, "sh", text.format(self.random.randint(least, most))]
            argv = [*small, str(disk), *argv[:-1], str(disk / "run")]
        if fault == FILE_SIZE:
            limit = self.random.randint(1_000, 3_000_000)
        with output.open("wb") as printed:
            process = subprocess.Popen(
                argv,
                env=environment,
                cwd=place,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: as_from_a_terminal(limit),
            )
            one = Run(process, out, output, self.random.uniform(0, whole_s), self.random)
            try:
                status = self._follow(one, fault)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        return status, out, output.read_text(errors="replace")

    def _follow(self, one: Run, fault: str) -> int | None:
        self.late = False
        try:
            status = one.process.wait(one.moment_s if fault in MOMENTS and fault != "no fault" else SLOWEST_S)
            self.late = fault in MOMENTS and fault != "no fault"
            return status
        except subprocess.TimeoutExpired:
            if fault not in MOMENTS or fault == "no fault":
                return None
        MOMENTS[fault](one)
        try:
            return one.process.wait(SLOWEST_S)
        except subprocess.TimeoutExpired:
            return None

    def left(self) -> list[str]:
        """Return what is left of runs, once they had time to end."""
        until_s = time.monotonic() + GONE_WITHIN_S
        while (found := self._left()) and time.monotonic() < until_s:
            time.sleep(0.1)
        return found

    def _left(self) -> list[str]:
        reap()
        found = [f"process {pid}: {command_of(pid)}" for pid in descendants(os.getpid()) if pid not in self.before]
        for place in (Path("/tmp"), Path("/dev/shm")):
            for path in place.glob("*hwsim-lab-*"):
                links = [link for link in path.glob("*") if link.is_symlink()] if path.is_dir() else []
                if any(str(self.root) in str(link.readlink()) for link in links):
                    found.append(str(path))
        return found

    def judge(self, pair: tuple[str, str], fault: str, status: int | None, out: Path, printed: str, good: Good) -> None:
        """Note what a run should not have done."""
        wrong = []
        if status is None:
            wrong.append(f"still ran after {SLOWEST_S} s")
        if "Traceback" in printed:
            wrong.append("a traceback")
        # by the signal itself: by SIGKILL always, by others before the lab's first line
        killed = fault == "SIGKILL of the lab" and status == -signal.SIGKILL
        killed |= status is not None and status < 0 and fault == signal.Signals(-status).name
        if status in VERDICTS and (out / "record.json").is_file():
            differing = different(out, good.directory)
            if status != good.status or differing:
                wrong.append(f"verdict {status} instead of {good.status}; differing: {differing}")
        elif not killed and not printed.strip():
            wrong.append("failed without a word")
        elif status == 0:
            wrong.append("passed without a record")
        if not killed:
            gone = status in VERDICTS  # a run that ended early may not have come to remove what a killed one left
            wrong += [f"left {what}" for what in self.left() if gone or what not in self.of_killed]
        self.of_killed = self._left() if killed else []
        outcome = (
            "too late"
            if self.late
            else "as without a fault"
            if status == good.status and not wrong
            else f"status {status}"
        )
        self.outcomes[f"{fault}: {outcome}"] += 1
        self.found += [f"{self.runs}: {' '.join(pair)}, {fault}: {text}" for text in wrong]
        if wrong:
            print(f"BAD  {self.found[-1]}\n{printed[-2000:]}", flush=True)
        else:
            shutil.rmtree(out.parent)


@dataclass(frozen=True)
class Good:
    """A run of a pair without faults."""

    status: int
    directory: Path
    whole_s: float


def different(run: Path, good: Path) -> list[str]:
    """Return the files of raw/ that differ."""
    names = {str(path.relative_to(place / "raw")) for place in (run, good) for path in (place / "raw").rglob("*")}
    files = [
        name
        for name in sorted(names)
        if Path(name).name not in NOT_RESULTS and not ((run / "raw" / name).is_dir() and (good / "raw" / name).is_dir())
    ]
    same, *_ = filecmp.cmpfiles(run / "raw", good / "raw", files, shallow=False)
    return [name for name in files if name not in same]


def command_of(pid: int) -> str:
    """Return the command of a process, for messages."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    except OSError:
        return "it has just ended"


def as_from_a_terminal(most_bytes: int | None) -> None:
    """Have signals end this process that a shell or nohup has it ignore, and limit the size of its files."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def reap() -> None:
    """Take leave of ended orphans: this process is their parent."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def main() -> int:
    """Return the exit status: 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=whole(1), default=20, help="how long at most (default 20)")
    parser.add_argument("--runs", type=whole(1), default=200, help="how many at most (default 200)")
    parser.add_argument("--seed", type=whole(1), default=1, help="of pairs, faults and moments (default 1)")
    chosen = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # what a killed lab leaves is below this process
    print(f"{machine()}; {load_average()}", flush=True)
    probe = [*_IN_SMALL_DISK, "mount", "-t", "tmpfs", "none", "/mnt"]
    disks = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    with tempfile.TemporaryDirectory(prefix="soak-") as root:
        soak = Soak(Path(root), random.Random(chosen.seed), disks, time.monotonic() + chosen.minutes * 60)
        faults = [*MOMENTS, FILE_SIZE, *(DISKS if disks else ())]
        goods: dict[tuple[str, str], Good] = {}
        pairs = soak.pairs()
        while soak.runs < chosen.runs and time.monotonic() < soak.ends_s:
            pair = next(pairs) if len(goods) < PAIRS else soak.random.choice(sorted(goods))
            if pair not in goods:
                begun_s = time.monotonic()
                status, out, printed = soak.run(pair, "no fault", 0)
                if status not in VERDICTS:
                    soak.found.append(f"{' '.join(pair)} without a fault: status {status}\n{printed[-2000:]}")
                    continue
                goods[pair] = Good(status or 0, out, time.monotonic() - begun_s)
            fault = soak.random.choice(faults)
            soak.judge(pair, fault, *soak.run(pair, fault, goods[pair].whole_s), goods[pair])
    for outcome, number in sorted(soak.outcomes.items()):
        print(f"{number:4}  {outcome}")
    print(f"{soak.runs} runs of {len(goods)} pairs, seed {chosen.seed}; {len(soak.found)} findings")
    if not disks:
        print("no mount namespaces here: no full disks, and none without inodes")
    for text in soak.found:
        print(f"BAD  {text}")
    return int(bool(soak.found))


if __name__ == "__main__":
    sys.exit(main())
