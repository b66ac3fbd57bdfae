# SPDX-License-Identifier: MIT
"""The guest kernel: User Mode Linux from a source, our series and our configuration, built once per content.

The same source, series and compiler give the same bytes, regardless of user, place and time.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.build.cache import Store, content_key, file_sha256
from lab.build.kernel.config import check_survived, read_options
from lab.build.kernel.series import Series
from lab.build.kernel.source import Source, ensure_source, given_source, unpack
from lab.build.report import Report
from lab.build.step import BuildLog
from lab.build.toolchain import toolchain_versions
from lab.errors import BuildError

RECIPE = 1  # increment when the code below changes the result
NEEDED_BYTES = 2_000_000_000
MAKE_VARIABLES = {  # what would otherwise depend on machine and time
    "ARCH": "um",
    "KBUILD_BUILD_TIMESTAMP": "1970-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "lab",
    "KBUILD_BUILD_HOST": "lab",
    "KBUILD_BUILD_VERSION": "1",
}
# "  CC      net/core/dev.o": a unit of progress
_UNIT = re.compile(r"^  (?:CC|AS|AR) +(?P<object>\S+)")


@dataclass(frozen=True)
class Kernel:
    """A kernel, ready to start as a process, and what it was built from."""

    path: Path
    sha256: str
    release: str  # 6.12.117-hwsim-lab
    package_version: str  # 6.12.117-1
    package_sha256: str
    series_sha256: str
    compiler: str
    tested: bool  # whether the test suite last passed with this source
    key: str


def ensure_kernel(
    report: Report,
    *,
    source: Path | None = None,
    refresh: bool = False,
    series: Series | None = None,
    store: Store | None = None,
    source_store: Store | None = None,
) -> Kernel:
    """The kernel, built unless it is cached.

    Args:
        report: Receives progress, and a warning if the source is not the one last tested.
        source: A kernel tree or archive; default: Debian's package.
        refresh: Fetch the package again, to use a newer version.
        series: Default: hwsim-patches of this checkout.
        store: The cache of kernels; default: the user's.
        source_store: The cache of the package; default: the user's.

    Raises:
        BuildError: A step failed; gives its name and the last lines of its log.
        HostError: A tool, space or permission is missing.
        InputError: ``source`` is not a kernel source.
    """
    series = series or Series()
    store = store or Store("kernel", "the kernel")
    origin = given_source(source) if source else ensure_source(report, refresh=refresh, store=source_store)
    compiler = toolchain_versions(store.root / "toolchain.json")
    key = kernel_key(series, origin, compiler)
    if not store.has(key):
        store.build(
            key,
            lambda directory: _make(directory, series, origin, compiler, store, report),
            report,
            needed_bytes=NEEDED_BYTES,
        )
    return load_kernel(store.path(key), series)


def kernel_key(series: Series, source: Source, compiler: str) -> str:
    """What a kernel depends on."""
    return content_key(series.sha256(), source.sha256, compiler, json.dumps(MAKE_VARIABLES), str(RECIPE))


def load_kernel(directory: Path, series: Series) -> Kernel:
    """Read a finished entry of the cache."""
    facts = json.loads((directory / "kernel.json").read_text())
    tested = facts["package_sha256"] == series.tested.sha256
    return Kernel(path=directory / "linux", tested=tested, key=directory.name, **facts)


def _make(directory: Path, series: Series, source: Source, compiler: str, store: Store, report: Report) -> None:
    log = BuildLog(store.log, directory)
    tree, objects = directory / "source", directory / "objects"
    tell_if_untested(series, source, report)
    report.step(f"kernel: unpacking Linux {source.version}")
    unpack(source, tree, log)
    series.apply(tree, source.version, log)
    configure(tree, objects, series, log)
    report.step(f"kernel: compiling with {compiler.split(';')[0]}")
    compile_kernel(tree, objects, series.tested.objects, log, report)
    shutil.copyfile(objects / "linux", directory / "linux")
    (directory / "linux").chmod(0o755)
    shutil.copyfile(objects / ".config", directory / "config")
    facts = {
        "sha256": file_sha256(directory / "linux"),
        "release": (objects / "include/config/kernel.release").read_text().strip(),
        "package_version": source.version,
        "package_sha256": source.sha256,
        "series_sha256": series.sha256(),
        "compiler": compiler,
    }
    (directory / "kernel.json").write_text(json.dumps(facts, indent=2) + "\n")
    shutil.rmtree(objects)
    shutil.rmtree(tree)


def tell_if_untested(series: Series, source: Source, report: Report) -> None:
    """Warn if the test suite last passed with another source."""
    tested = series.tested
    if source.sha256 != tested.sha256:
        report.step(
            f"kernel: {source.version} is not the last tested source ({tested.package_version}); run `make test` to "
            "check it"
        )


def configure(tree: Path, objects: Path, series: Series, log: BuildLog) -> None:
    """Make ``objects/.config``: everything off except for the fragments and what they select.

    Raises:
        BuildError: Kconfig dropped an option of a fragment.
    """
    configure_what_there_is(tree, objects, series, log)
    wanted = [option for fragment in series.fragments for option in read_options(fragment)]
    check_survived(wanted, objects / ".config")


def configure_what_there_is(tree: Path, objects: Path, series: Series, log: BuildLog) -> None:
    """Make ``objects/.config`` for a tree that may lack some of our options."""
    objects.mkdir()
    together = objects / "fragments.config"
    together.write_text("".join(fragment.read_text() for fragment in series.fragments))
    log.run("configuring the kernel", make(tree, objects, f"KCONFIG_ALLCONFIG={together}", "allnoconfig"))


def compile_kernel(tree: Path, objects: Path, expected: int, log: BuildLog, report: Report) -> None:
    """Run make and report progress.

    Raises:
        BuildError: It does not compile.
    """
    done = 0

    def on_line(line: str) -> None:
        nonlocal done
        if found := _UNIT.match(line):
            done += 1
            report.progress(min(done, expected), max(done, expected), found["object"])

    jobs = len(os.sched_getaffinity(0)) + 1  # one more than cores, since jobs wait for the disk
    log.run("compiling the kernel", make(tree, objects, f"--jobs={jobs}", "linux"), on_line=on_line)
    if not (objects / "linux").is_file():
        raise BuildError("the kernel compiled, but make created no program `linux`", hint=f"the whole log: {log.path}")
    log.add(f"objects {done}")


def make(tree: Path, objects: Path, *arguments: str) -> list[str]:
    """The command line for the kernel's own make."""
    variables = [f"{name}={value}" for name, value in MAKE_VARIABLES.items()]
    return ["make", "-C", str(tree), f"O={objects}", *variables, *arguments]


def kernel_facts(kernel: Kernel) -> dict[str, object]:
    """The description of a kernel in records: everything except its path."""
    return {name: value for name, value in asdict(kernel).items() if name != "path"}
