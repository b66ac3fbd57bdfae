# SPDX-License-Identifier: MIT
"""From a plan to a finished run directory: build what is missing, boot, watch, record.

DIR/plan.json      the plan
DIR/raw/           what tools and daemons printed, captures
DIR/guest.json     what happened, in virtual time
DIR/record.json    the record (lab.record)
DIR/wall.json      wall-clock times; with console.log all that may differ between two equal runs
DIR/console.log    the guest's kernel log
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import importlib
import json
import platform
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lab import captures
from lab.build.image.image import Image, ensure_image
from lab.build.image.initrd import ensure_initrd
from lab.build.kernel.kernel import Kernel, ensure_kernel
from lab.build.report import Report
from lab.build.stack.stack import Stack, ensure_stack
from lab.errors import BuildError, InputError, LabError, RunError
from lab.machine.doctor import memory_directory
from lab.machine.guest_code import Bundle, ensure_bundle
from lab.machine.process import MEMORY_BYTES, Guest, GuestFiles, command_line
from lab.machine.scratch import clean_stale, scratch
from lab.machine.watch import STALL_WALL_S, Progress, Walls, Watch
from lab.shared.types import Plan

if TYPE_CHECKING:
    from lab.record import Record

Tell = Callable[[Progress], None]
Meanwhile = Callable[[], None]  # done while a guest runs, which does not wait for it
_TRANSIENT = ("pulse", "started")  # of use only while a guest runs


@dataclass(frozen=True)
class Machine:
    """What every guest of this checkout is made of."""

    kernel: Kernel
    image: Image
    initrd: Path
    bundle: Bundle
    stacks: Mapping[str, Stack] = field(default_factory=dict)  # by name: code of those that plans will need


def ensure_machine(report: Report, source: Path | None = None, stacks: Iterable[Path] = ()) -> Machine:
    """Kernel, image, initrd and code, built where the cache does not have them.

    ``stacks`` are folders of stacks with code (lab.model.library.code_of), which plans will need.
    """
    kernel, image, initrd = ensure_kernel(report, source=source), ensure_image(report), ensure_initrd(report)
    return with_stacks(Machine(kernel, image, initrd, ensure_bundle(report, kernel, image, initrd)), stacks, report)


def with_stacks(machine: Machine, stacks: Iterable[Path], report: Report) -> Machine:
    """The same machine with the code of more stacks, built where the cache does not have it."""
    folders = {directory.resolve() for directory in stacks}
    by_name = {directory.name: directory for directory in folders}
    for directory in sorted(folders - set(by_name.values())):
        raise InputError(f"{by_name[directory.name]} and {directory} are two stacks of one name", hint="rename one")
    built = {name: ensure_stack(report, by_name[name], machine.image) for name in sorted(by_name)}
    return replace(machine, stacks={**machine.stacks, **built})


def _for(plan: Plan, machine: Machine) -> Machine:
    """What a plan is run with: of the stacks, its own."""
    if plan.stack is not None and plan.stack not in machine.stacks:
        raise BuildError(f"{plan.name} needs the code of the stack {plan.stack}, and nobody has built it")
    return replace(machine, stacks={name: stack for name, stack in machine.stacks.items() if name == plan.stack})


def radios(plan: Plan) -> int:
    """How many radios the plan needs."""
    return sum(1 for node in plan.nodes if node.radio)


def guest_command(plan: Plan, machine: Machine, directory: Path, scratch_directory: Path, mode: str) -> list[str]:
    """The command that boots this plan."""
    return command_line(
        guest_files(plan, machine, directory),
        scratch_directory,
        seed=plan.seed,
        radios=radios(plan),
        mode=mode,
        memory_bytes=MEMORY_BYTES,
    )


def guest_files(plan: Plan, machine: Machine, directory: Path) -> GuestFiles:
    """The files of a guest that works in ``directory``."""
    stacks = _for(plan, machine).stacks
    return GuestFiles(
        kernel=machine.kernel.path,
        initrd=machine.initrd,
        image=machine.image.path,
        bundle=machine.bundle.path,
        run=directory.resolve(),
        stack=stacks[plan.stack].path if plan.stack else None,
    )


def new_directory(name: str, out: Path | None) -> Path:
    """An empty directory for a run: ``out``, or a new one below ``runs/``.

    Raises:
        InputError: ``out`` has something in it already, or cannot be made.
    """
    directory = out or _unused(Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make {directory}: {error.strerror}", hint="--out DIR puts the run elsewhere"
        ) from None
    if any(directory.iterdir()):
        raise InputError(f"{directory} is not empty", hint="--out wants a new directory: a run overwrites nothing")
    return directory


def _unused(wanted: Path) -> Path:
    candidates = [wanted, *(wanted.with_name(f"{wanted.name}-{number}") for number in range(2, 100))]
    return next(path for path in candidates if not path.exists())


def run_plan(
    plan: Plan,
    machine: Machine,
    directory: Path,
    tell: Tell = lambda progress: None,
    stall_wall_s: float = STALL_WALL_S,
    meanwhile: Meanwhile = lambda: None,
) -> Record:
    """Run a plan in ``directory`` (empty) and record it.

    Whoever runs many plans calls this for each, with one ``machine``: what must be imported is paid for once.

    Args:
        plan: what to run.
        machine: what the guest is made of.
        directory: where; empty.
        tell: told how far it is.
        stall_wall_s: after so long without progress of virtual time the run has failed.
        meanwhile: called once the guest has been started.

    Raises:
        RunError: The guest or a process in it failed; the directory keeps what it left.
    """

    def while_it_runs() -> None:
        importlib.import_module("lab.record")
        meanwhile()

    walls = boot(plan, machine, directory, tell, stall_wall_s, while_it_runs)
    write_wall(directory, walls)
    from lab import record

    used = _for(plan, machine)
    return record.build(directory, versions=versions(used), hashes=hashes(used))


def boot(
    plan: Plan,
    machine: Machine,
    directory: Path,
    tell: Tell = lambda progress: None,
    stall_wall_s: float = STALL_WALL_S,
    meanwhile: Meanwhile = lambda: None,
) -> Walls:
    """Boot a guest for the plan and follow it to its end; see ``run_plan``."""
    (directory / "plan.json").write_text(plan.to_json())
    files = guest_files(plan, machine, directory)
    with scratch(files.links()) as place, (directory / "console.log").open("wb") as console:
        arguments = guest_command(plan, machine, directory, place, "run")
        guest = Guest(arguments, files.run, memory_directory(), console)
        try:
            watch = Watch(guest, place, plan.duration_ns, stall_wall_s)
            meanwhile()
            walls = watch.follow(tell)
        except LabError:
            guest.kill()
            with contextlib.suppress(RunError):  # what made the run fail is worth telling
                _split_air(plan, directory)
            raise
        finally:
            guest.kill()
    _split_air(plan, directory)
    for name in _TRANSIENT:
        (directory / name).unlink(missing_ok=True)
    return walls


def _split_air(plan: Plan, directory: Path) -> None:
    """Make of the guest's capture of the air one file a channel, up to the timeline's end.

    Raises:
        RunError: it is damaged.
    """
    if not plan.pcap:
        return
    try:
        began_ns = json.loads((directory / "guest.json").read_text())["epoch_ns"]  # 0: the timeline never did
    except FileNotFoundError:
        began_ns = 0
    try:
        captures.split(directory / "raw", began_ns + plan.duration_ns if began_ns else None)
    except captures.AirError as error:
        raise RunError(f"--pcap {plan.pcap}: {directory / 'raw'}/{error}") from None


def write_wall(directory: Path, walls: Walls) -> None:
    """Leave wall.json."""
    host = {"kernel": platform.release(), "machine": platform.machine(), "python": platform.python_version()}
    text = json.dumps({**asdict(walls), "host": host, "finished_at": time.strftime("%Y-%m-%dT%H:%M:%S%z")}, indent=2)
    (directory / "wall.json").write_text(text + "\n")


@cache
def _lab_version() -> str:
    from importlib.metadata import version

    return version("hwsim-lab")


def versions(machine: Machine) -> dict[str, object]:
    """Versions for the record."""
    return {
        "lab": _lab_version(),
        "kernel": machine.kernel.release,
        "kernel_package": machine.kernel.package_version,
        "packages": machine.image.packages,
        **{stack_entry(name): stack_version(stack) for name, stack in machine.stacks.items()},
    }


def hashes(machine: Machine) -> dict[str, str | None]:
    """Hashes for the record: equal ones mean equal bytes to be expected."""
    return {
        "kernel": machine.kernel.sha256,
        "kernel_source": machine.kernel.package_sha256,
        "image": machine.image.sha256,
        "series": machine.kernel.series_sha256,
        "code": machine.bundle.key,
        **{stack_entry(name): stack.sha256 for name, stack in machine.stacks.items()},
    }


STACK_ENTRY = "stack "  # begins what is said of a stack's code among versions and hashes


def stack_entry(name: str) -> str:
    """How hashes and versions call the code of a stack."""
    return STACK_ENTRY + name


def stack_version(stack: Stack) -> str:
    """What the code of a stack was built with, for people."""
    sources = [f"source of {package} {version}" for package, version in stack.sources.items()]
    return "; ".join([stack.compiler, *sources])


def run_all(
    plans: Iterable[tuple[Plan, Path]],
    machine: Machine,
    jobs: int,
    tell: Callable[[int, Progress], None],
    meanwhile: Meanwhile = lambda: None,
) -> list[Record]:
    """Run several plans, ``jobs`` guests side by side; records in the order of the plans.

    The first failure ends the others.
    """
    work = list(plans)
    stop = threading.Event()

    def one(number: int, plan: Plan, directory: Path) -> Record:
        def heed(progress: Progress) -> None:
            if stop.is_set():
                raise Cancelled
            tell(number, progress)

        return run_plan(plan, machine, directory, heed, meanwhile=meanwhile)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, number, plan, directory) for number, (plan, directory) in enumerate(work)]
        try:
            concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_EXCEPTION)
            for future in futures:
                if future.done() and (error := future.exception()):
                    raise error
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            for future in futures:
                future.cancel()
            raise


class Cancelled(LabError):
    """Another run of the same command failed, or the user interrupted."""

    def __init__(self) -> None:
        super().__init__("ended because another run failed")


def prepare() -> None:
    """What every command that boots does first: remove what killed labs left, see that a guest can have memory.

    Raises:
        HostError: No directory for the guest's memory; told before anything is built.
    """
    clean_stale()
    memory_directory()


def discard(directory: Path) -> None:
    """Remove a run that was interrupted."""
    shutil.rmtree(directory, ignore_errors=True)
