# SPDX-License-Identifier: MIT
"""Check what this machine has and what is missing, with advice."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image import image, node_image
from lab.builders.image.namespaces import namespace_problem
from lab.builders.kernel import kernel
from lab.cache.report import LineReport
from lab.cache.store import MOVE_HINT, Store, cache_root, file_sha256, free_bytes
from lab.checkout import DATA, IS_CHECKOUT
from lab.errors import HostError
from lab.machine import cage
from lab.machine.memory import memory_directory
from lab.machine.processor import processor

PACKAGES = DATA / "scripts" / "packages"
BUILD_BYTES = 3_500_000_000  # kernel, image and source, while they are built
TRIXIE_RELEASE_S = 1_754_697_600  # 2025-08-09: with an earlier clock, all signatures of Debian 13 are in the future
TESTED_SYSTEMS = {("debian", "12"), ("debian", "13")}


@dataclass(frozen=True)
class Tool:
    """A program or file that the lab needs on the host."""

    name: str
    package: str
    why: str
    found: bool


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def host_tools(*, test: bool = False) -> list[Tool]:
    """Return what scripts/packages lists for this user, and whether it is installed.

    ``test``: what only ``make test`` needs, instead of what everything needs.
    """
    builds_as_user = os.geteuid() != 0 and not _is_built("image")
    wanted = {"all", *(["user"] if builds_as_user else []), *(["checkout"] if IS_CHECKOUT else [])}
    if test:
        wanted = {"docker", "test"}
    tools = []
    for line in PACKAGES.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, package, who, why = line.split(maxsplit=3)
        if who in wanted:
            tools.append(Tool(name, package, why, _is_there(name)))
    return tools


def packages(tools: Iterable[Tool]) -> list[str]:
    """Return the packages of tools, in alphabetical order."""
    return sorted({tool.package for tool in tools})


def _is_built(shelf: str) -> bool:
    """Return whether the cache has a kernel or an image, perhaps not the one of this checkout."""
    return any((cache_root() / shelf).glob("*/*"))


def _is_there(name: str) -> bool:
    if name.startswith("/"):
        return any(Path("/").glob(name.lstrip("/")))
    return shutil.which(name) is not None


def examine() -> list[Finding]:
    """Return all findings, each with advice where it is a problem."""
    return [
        _machine(),
        _visible(),
        _system(),
        _python(),
        _tools(),
        _clock(),
        _cache(),
        _built(),
        _memory(),
        _ptrace(),
        _cage(),
        _namespaces(),
    ]


def _machine() -> Finding:
    machine = platform.machine()
    return Finding("processor", machine == "x86_64", machine, "the guest's kernel runs on x86-64 only")


def _visible() -> Finding:
    found = processor()
    visible = f"{found.model}, features {found.features}; guests see its {', '.join(found.visible)}"
    return Finding("instructions", True, visible)


def _system() -> Finding:
    facts = platform.freedesktop_os_release()
    name = facts.get("PRETTY_NAME", "unknown")
    if (facts.get("ID"), facts.get("VERSION_ID")) in TESTED_SYSTEMS:
        return Finding("system", True, name)
    if shutil.which("apt-get"):
        return Finding("system", True, f"{name}: not tested, but has apt-get; Debian 12 and 13 are tested")
    return Finding("system", False, name, "Debian 12 or 13 is needed to build the guest; elsewhere use Docker")


def _python() -> Finding:
    return Finding("python", sys.version_info >= (3, 11), platform.python_version(), "3.11 or newer is needed")


def _tools() -> Finding:
    tools = host_tools()
    missing = [tool for tool in tools if not tool.found]
    if not missing:
        later = _listing([tool for tool in host_tools(test=True) if not tool.found]) if IS_CHECKOUT else ""
        return Finding(
            "tools", True, f"all {len(tools)} are installed" + (f"; for make test: {later}" if later else "")
        )
    listing = _listing(missing)
    names = " ".join(packages(missing))
    return Finding("tools", False, f"missing: {listing}", f"apt-get install --no-install-recommends {names}")


def _listing(tools: list[Tool]) -> str:
    return ", ".join(f"{tool.package} ({tool.why})" for tool in tools)


def _clock() -> Finding:
    now_s = time.time()
    return Finding(
        "clock",
        now_s > TRIXIE_RELEASE_S,
        time.strftime("%Y-%m-%d %H:%M", time.gmtime(now_s)),
        "set it: signatures of Debian's archive are checked against it",
    )


def _cache() -> Finding:
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        return Finding("cache", False, f"{root}: {error.strerror}", f"make it writable, or {MOVE_HINT}")
    free = free_bytes(root)
    built = _is_built("kernel") and _is_built("image")
    found = f"{root}, {free / 1e9:.1f} GB free"
    return Finding("cache", built or free > BUILD_BYTES, found, f"a build needs {BUILD_BYTES / 1e9} GB; {MOVE_HINT}")


def _built() -> Finding:
    """Remove kernels and images whose bytes are no longer those that were built: the next run builds them again."""
    count, damaged = 0, []
    for module, file in ((kernel, kernel.PROGRAM), (image, image.FILE), (node_image, node_image.FILE)):
        store = Store(module.SHELF, f"the {module.SHELF}")
        for entry in sorted(store.directory.glob("[!.]*")):
            count += 1
            if damage := store.damage(entry.name) or _difference(entry, file, module.FACTS):
                store.remove(entry.name, LineReport())
                damaged.append(f"{module.SHELF} {entry.name}: {damage}")
    if not damaged:
        return Finding("kernels and images", True, f"{count} in the cache, whole")
    return Finding(
        "kernels and images", False, "; ".join(damaged), "removed from the cache; the next run builds it again"
    )


def _difference(entry: Path, file: str, facts: str) -> str | None:
    try:
        wanted = json.loads((entry / facts).read_text())["sha256"]
        same = file_sha256(entry / file) == wanted
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{file} or {facts} cannot be read: {error}"
    return None if same else f"{file} does not have its hash"


def _memory() -> Finding:
    try:
        return Finding("guest memory", True, str(memory_directory()))
    except HostError as error:
        return Finding("guest memory", False, error.message, error.hint or "")


def _ptrace() -> Finding:
    """Try ptrace: UML traces its processes, and some sandboxes forbid that even for one's own children."""
    script = "import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) != 0)"  # 0: PTRACE_TRACEME
    works = subprocess.run([sys.executable, "-c", script], stdin=subprocess.DEVNULL, check=False).returncode == 0
    return Finding(
        "ptrace",
        works,
        "allowed" if works else "forbidden",
        "the guest's kernel needs it: `sysctl kernel.yama.ptrace_scope=1`, in a container `--cap-add SYS_PTRACE`",
    )


def _cage() -> Finding:
    """Say what confines guests; a lab without it works, with programs that are trusted."""
    gaps = cage.gaps()
    missing = f"; a program that takes a guest over could {'; '.join(gaps)}" if gaps else ""
    return Finding("cage of guests", True, cage.offers() + missing)


def _namespaces() -> Finding:
    problem = namespace_problem()
    if problem is None:
        return Finding("namespaces", True, "allowed")
    if _is_built("image"):
        return Finding("namespaces", True, f"{problem[0]}; only needed to build an image")
    return Finding("namespaces", False, *problem)
