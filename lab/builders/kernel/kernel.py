# SPDX-License-Identifier: MIT
"""The guest kernel: User Mode Linux from a source and the parts of our series, built once per content.

The same source, series and compiler give the same bytes, regardless of user, place, time, and of what was built before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.builders.kernel.config import check_survived, read_options
from lab.builders.kernel.edited import EditedTree, is_edited
from lab.builders.kernel.modules import PLACE, WithModules
from lab.builders.kernel.series import DEBUG, PatchSeries, TestedKernel
from lab.builders.kernel.source import KernelSource, all_files, ensure_source, given_source
from lab.builders.kernel.tree import SHELF as KEPT
from lab.builders.kernel.tree import kernel_tree
from lab.builders.step import BuildLog, CommandFailedError
from lab.builders.toolchain import toolchain_versions
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256
from lab.errors import BuildError

SHELF, PROGRAM, FACTS = "kernel", "linux", "kernel.json"  # the cache's name for kernels, and files of an entry
RECIPE = 1  # increment when the code below changes the result
NEEDED_BYTES = 2_000_000_000
MOST = 50  # kernels in the cache, 12 MB each: every change makes one
MAKE_VARIABLES = {  # what would otherwise depend on machine and time
    "ARCH": "um",
    "KBUILD_BUILD_TIMESTAMP": "1970-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "lab",
    "KBUILD_BUILD_HOST": "lab",
    "KBUILD_BUILD_VERSION": "1",
}
# "  CC      net/core/dev.o": a unit of progress
_UNIT = re.compile(r"^  (?P<how>CC|AS|AR) +(?P<object>\S+)")
_MADE = re.compile(r"/\.|^\.")  # .tmp_vmlinux0.kallsyms.o: its source is made, too, with every kernel
FEW = 20  # files: the report names each


@dataclass(frozen=True)
class Kernel:
    """A kernel, ready to start as a process, and what it was built from."""

    path: Path
    sha256: str
    release: str  # 6.12.117-hwsim-lab
    package_version: str  # 6.12.117-1
    package_sha256: str | None  # None: not built by the lab
    series_sha256: str | None
    compiler: str
    tested: bool  # whether the test suite last passed with this source and this series
    key: str
    parts: tuple[str, ...] = ()  # of the series; of a kernel that the lab has not built, they are unknown


def ensure_kernel(
    report: Report,
    *,
    source: Path | None = None,
    refresh: bool = False,
    modules: Mapping[str, Path] | None = None,
    series: PatchSeries | None = None,
) -> Kernel:
    """Return the kernel; build it unless it is cached.

    Args:
        report: Also learns whether the source is not the one last tested.
        source: A kernel tree or archive, or a tree of `make kernel-edit`, whose changes then replace the series;
            default: Debian's package.
        refresh: Fetch the package again, to use a newer version.
        modules: Folders of kernel modules that it has in addition, by name.
        series: Default: hwsim-patches of this checkout, and what stacks add, without the part ``debug``.

    Raises:
        BuildError: If a step failed; with its name and the last lines of its log.
        HostError: If a tool, space or permission is missing.
        InputError: If ``source`` is not a kernel source.
    """
    changed = series = series or PatchSeries()
    store = Store(shelf(SHELF, series.debug), "the kernel", most=MOST)
    if source and is_edited(source):
        changed = edited = EditedTree(source, series)
        origin = edited.linux(report)
    else:
        origin = given_source(source) if source else ensure_source(report, refresh=refresh)
    if modules:
        changed = WithModules(changed, modules)
    compiler = toolchain_versions()
    series_sha256 = changed.sha256()
    key = content_key(series_sha256, origin.sha256, compiler, json.dumps(MAKE_VARIABLES), str(RECIPE))

    def make_it(directory: Path) -> None:
        _make(directory, changed, series_sha256, origin, compiler, store, report)

    try:
        return load_kernel(store.build(key, make_it, report, needed_bytes=NEEDED_BYTES), series)
    except CommandFailedError as error:
        raise CommandFailedError(with_own_paths(error.message, store.root, modules or {}), hint=error.hint) from None


def shelf(name: str, debug: bool) -> str:
    """Return the cache's name for kernels, or what they are made of; builds of one shelf wait for each other."""
    return f"{name}-{DEBUG}" if debug else name


def with_own_paths(message: str, root: Path, modules: Mapping[str, Path]) -> str:
    """Return a compiler's message with the paths of the files that a user can change, not of their copies."""
    message = re.sub(rf"{re.escape(str(root / KEPT))}(?:-{DEBUG})?/\w+/source/", "", message)
    for name, folder in modules.items():
        message = message.replace(f"{PLACE / name}/", f"{folder}/")
    return message


def load_kernel(directory: Path, series: PatchSeries) -> Kernel:
    """Read a finished entry of the cache."""
    facts = json.loads((directory / FACTS).read_text())
    tested = series.tested.names(facts["package_sha256"], facts["series_sha256"])
    parts = tuple(facts.pop("parts", ()))
    return Kernel(path=directory / PROGRAM, tested=tested, key=directory.name, parts=parts, **facts)


def _make(
    directory: Path,
    changed: PatchSeries,
    series_sha256: str,
    source: KernelSource,
    compiler: str,
    store: Store,
    report: Report,
) -> None:
    log = BuildLog(store.log, directory)
    report_untested(changed.tested, source, series_sha256, report)
    with kernel_tree(source, f"{MAKE_VARIABLES} {RECIPE}", directory, log, report, shelf(KEPT, changed.debug)) as tree:
        differing = tree.update(lambda plain, scratch: changed.changes(plain, scratch, source.version, log))
        again = tree.has_built()
        if again and differing:
            report.step(f"kernel: {_listing(differing)} changed since the last build")
        with tree.making():
            configure(tree.source, tree.objects, changed.fragments, log)
            if changed.sha256() != series_sha256:  # the cache must not have another kernel under this key
                hint = "it may have waited for another build; run the command again"
                raise BuildError(
                    "the kernel's patches, files or options changed since the command was given", hint=hint
                )
            report.step(f"kernel: compiling with {compiler.split(';')[0]}")
            expected = None if again else changed.tested.objects
            compile_kernel(tree.source, tree.objects, expected, log, report)
        shutil.copyfile(tree.objects / "linux", directory / PROGRAM)
        (directory / PROGRAM).chmod(0o755)
        shutil.copyfile(tree.objects / ".config", directory / "config")
        release = (tree.objects / "include/config/kernel.release").read_text().strip()
    facts = {
        "sha256": file_sha256(directory / PROGRAM),
        "release": release,
        "package_version": source.version,
        "package_sha256": source.sha256,
        "series_sha256": series_sha256,
        "compiler": compiler,
        "parts": changed.names,
    }
    (directory / FACTS).write_text(json.dumps(facts, indent=2) + "\n")


def _listing(files: list[Path]) -> str:
    named = ", ".join(map(str, files[:3]))
    if len(files) > 3:
        return f"{named} and {len(files) - 3} more files have"
    return f"{named} {'has' if len(files) == 1 else 'have'}"


def report_untested(tested: TestedKernel, source: KernelSource, series_sha256: str, report: Report) -> None:
    """Say if the test suite last passed with another source or series."""
    if source.sha256 != tested.sha256:
        report.step(
            f"kernel: the source is {source.version}; the lab was last tested with {tested.package_version}. You need "
            "not do anything; `make test` tests this one"
        )
    elif not tested.names(source.sha256, series_sha256):
        report.step(
            "kernel: the lab was last tested with other patches and modules, as usual after a change or with your own. "
            "You need not do anything; `make test` tests patches"
        )


def configure(tree: Path, objects: Path, fragments: list[Path], log: BuildLog) -> None:
    """Make ``objects/.config``: everything off except for the fragments and what they select.

    Raises:
        BuildError: If Kconfig dropped an option of a fragment.
    """
    configure_available(tree, objects, fragments, log)
    wanted = [option for fragment in fragments for option in read_options(fragment)]
    check_survived(wanted, objects / ".config")


def configure_available(tree: Path, objects: Path, fragments: list[Path], log: BuildLog) -> None:
    """Make ``objects/.config`` for a tree that may lack some of our options; left alone if nothing changes."""
    objects.mkdir(exist_ok=True)
    together = objects / "fragments.config"
    together.write_text("".join(fragment.read_text() for fragment in fragments))
    log.run("configuring the kernel", make(tree, objects, f"KCONFIG_ALLCONFIG={together}", "allnoconfig"))


def compile_kernel(tree: Path, objects: Path, expected: int | None, log: BuildLog, report: Report) -> None:
    """Run make and report progress: the files that it compiles while they are few, then how many.

    ``expected``: number of objects; None: only some are made again.

    Raises:
        BuildError: If it does not compile.
    """
    done = 0 if expected is None else min(_made(objects), expected)  # of a build that was interrupted or failed

    def on_line(line: str) -> None:
        nonlocal done
        found = _UNIT.match(line)
        if not found or (expected is None and (found["how"] == "AR" or _MADE.search(found["object"]))):
            return
        done += 1
        if expected is not None:
            report.progress(done, max(done, expected), found["object"])
        elif done <= FEW:
            report.step(f"  {found['object']}")
        else:
            report.progress(done, None, f"files, now {found['object']}")

    jobs = len(os.sched_getaffinity(0)) + 1  # one more than cores, since jobs wait for the disk
    log.run("compiling the kernel", make(tree, objects, f"--jobs={jobs}", "linux"), on_line=on_line)
    if not (objects / "linux").is_file():
        raise BuildError("the kernel compiled, but make created no program `linux`", hint=f"the whole log: {log.path}")
    log.add(f"objects {done}")


def _made(objects: Path) -> int:
    """Count the objects that there are, without those of programs for the host."""
    of_host = str(objects / "scripts")
    return sum(path.endswith((".o", ".a")) and not path.startswith(of_host) for path, _ in all_files(objects))


def make(tree: Path, objects: Path, *arguments: str) -> list[str]:
    """Return the command line for the kernel's own make."""
    variables = [f"{name}={value}" for name, value in MAKE_VARIABLES.items()]
    return ["make", "-C", str(tree), f"O={objects}", *variables, *arguments]
