# SPDX-License-Identifier: MIT
"""What guests are made of: kernel, image, initrd, the lab's code for them, and the code of stacks."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab import library
from lab.builders.image.docker import ensure_docker_image
from lab.builders.image.image import Image, ensure_image
from lab.builders.image.initrd import Initrd, ensure_initrd
from lab.builders.image.node_image import NodeImage, ensure_node_image
from lab.builders.kernel.chosen import KernelChoice
from lab.builders.kernel.kernel import Kernel
from lab.builders.stack.stack import Stack, ensure_stack
from lab.cache.report import Report
from lab.docker.reference import parse
from lab.errors import BuildError, InputError, warn
from lab.machine import cage
from lab.machine.guest import Guest
from lab.machine.guest_code import BYTECODE, GuestCode, ensure_guest_code
from lab.machine.memory import GUEST_BYTES, guest_bytes, memory_directory
from lab.machine.process import MODES, GuestFiles, Setup
from lab.machine.scratch import clean_stale
from lab.machine.uses import Uses
from lab.model.event import EVENTS
from lab.model.node import NODES
from lab.shared.types import Plan


@dataclass(frozen=True)
class Machine:
    """The components of every guest of this checkout."""

    kernel: Kernel
    image: Image
    initrd: Initrd
    code: GuestCode
    stacks: Mapping[str, Stack] = field(default_factory=dict)  # by name: code of those that plans will need
    node_images: Mapping[str, NodeImage] = field(default_factory=dict)  # by name, those that plans will need
    image_folders: Mapping[str, str] = field(default_factory=dict)  # of those of them that are next to a topology

    def stack(self, uses: Uses) -> Stack | None:
        """Return the code of a plan's stack; None if the plan has no stack with code.

        Raises:
            BuildError: If it needs a stack that was not built.
        """
        if uses.stack is None:
            return None
        if uses.stack not in self.stacks:
            raise BuildError(f"the run needs the code of the stack {uses.stack}, which was not built")
        return self.stacks[uses.stack]

    def images_of(self, uses: Uses) -> tuple[NodeImage, ...]:
        """Return the images of a plan's nodes.

        Raises:
            BuildError: If it needs one that was not built.
        """
        for name in uses.images:
            if name not in self.node_images:
                raise BuildError(f"the run needs the image {name}, which was not built")
        return tuple(self.node_images[name] for name in uses.images)

    def has_images(self, plan: Plan) -> bool:
        """Return whether the images of a plan's nodes are built.

        Raises:
            InputError: If others with the same names are.
        """
        built = [name for name in plan.images() if name in self.node_images]
        for name in built:
            folder, other = (folders.get(name) for folders in (plan.image_folders, self.image_folders))
            if folder != other:
                raise InputError(
                    f"two images have the same name: {other or library.image_called(name)} and "
                    f"{folder or library.image_called(name)}",
                    hint="rename one of the folders, and the image: of its nodes",
                )
        return len(built) == len(plan.images())

    def setup(self, plan: Plan, directory: Path, mode: str = "run") -> Setup:
        """Return the parameters of a guest's start for a plan; ``mode``: one of lab.machine.process.MODES."""
        uses = Uses.of(plan)
        if MODES[mode].any_event:
            uses = replace(uses, events=EVENTS.known())
        room = MODES[mode].room
        if room is not None:
            uses = replace(uses, nodes=NODES.known())
        stack = self.stack(uses)
        files = GuestFiles(
            kernel=self.kernel.path,
            initrd=self.initrd.path,
            image=self.image.path,
            bundle=self.code.bundle(uses, room).path,
            run=directory.resolve(),
            stack=stack.path if stack else None,
            node_images=tuple(image.path for image in self.images_of(uses)),
        )
        size = guest_bytes(plan)
        return Setup(files, plan.seed, plan.duration_ns, size, plan.console_level, plan.rate_control, plan.start_ns)


def ensure_machine(
    report: Report, stacks: Iterable[Path] = (), choice: KernelChoice | None = None, plan: Plan | None = None
) -> Machine:
    """Return kernel, image, initrd and code, built unless they are cached.

    ``stacks``: folders of those with code (lab.library.code_of) that plans will need; ``plan``: has nodes with images
    that will be needed.

    Raises:
        InputError: If no such kernel or image exists.
    """
    kernel = (choice or KernelChoice()).kernel(report)
    image, initrd = ensure_image(report), ensure_initrd(report)

    def compile_code(directory: Path) -> None:
        """Compile the code in a guest, and put the bytecode next to it."""
        run = directory / "run"
        run.mkdir()
        with Guest.started(Setup(GuestFiles(kernel.path, initrd.path, image.path, directory, run)), "compile") as guest:
            guest.follow()
        for made in sorted(run.rglob(BYTECODE)):
            made.rename(directory / made.relative_to(run))
        shutil.rmtree(run)

    code = ensure_guest_code(report, image.sha256, compile_code)
    machine = with_stacks(Machine(kernel, image, initrd, code), stacks, report)
    return with_images(machine, plan, report) if plan else machine


def with_stacks(machine: Machine, stacks: Iterable[Path], report: Report) -> Machine:
    """Return the same machine with the code of more stacks, built unless it is cached."""
    folders = {directory.resolve() for directory in stacks}
    by_name = {directory.name: directory for directory in folders}
    for directory in sorted(folders - set(by_name.values())):
        raise InputError(f"{by_name[directory.name]} and {directory} are stacks with the same name", hint="rename one")
    built = {name: ensure_stack(report, by_name[name], machine.image) for name in sorted(by_name)}
    return replace(machine, stacks={**machine.stacks, **built})


def with_images(machine: Machine, plan: Plan, report: Report) -> Machine:
    """Return the same machine with the images of a plan's nodes, built unless they are cached.

    Raises:
        InputError: If no such image exists, or another one of the same name is built.
    """
    if machine.has_images(plan):
        return machine
    docker = plan.docker_images()

    def ensure(name: str) -> NodeImage:
        if name in docker and (own := docker[name].docker):
            return ensure_docker_image(report, parse(own.source), name, docker[name].source)
        nearby = Path(plan.image_folders.get(name, ""))
        folder = nearby if name in plan.image_folders and nearby.is_dir() else library.image_called(name)
        return ensure_node_image(report, folder, machine.image)

    built = {name: ensure(name) for name in plan.images() if name not in machine.node_images}
    folders = {**machine.image_folders, **plan.image_folders}
    return replace(machine, node_images={**machine.node_images, **built}, image_folders=folders)


def prepare(*, memory_bytes: int = GUEST_BYTES, memory_keys: str | None = None) -> None:
    """Prepare a command that boots: remove what killed labs left behind; check that there is memory for a guest.

    It warns if this host cannot confine guests.

    ``memory_keys``: where the guest's memory is written.

    Raises:
        HostError: If no directory suits the guest's memory; reported before anything is built.
    """
    clean_stale()
    if gaps := cage.gaps():
        warn(f"a program that takes its guest over could {'; '.join(gaps)}: docs/security.md", where="this host:")
    memory_directory(needed_bytes=memory_bytes, keys=memory_keys)
