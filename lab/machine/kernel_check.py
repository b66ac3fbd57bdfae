# SPDX-License-Identifier: MIT
"""The kernel's own judges over hwsim-patches: checkpatch --strict on patches and files, sparse on the files.

What passed once, in this very state, is remembered in the cache.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from lab.errors import BuildError, LabError
from lab.machine.build_report import LineReport, Report
from lab.machine.build_step import BuildLog
from lab.machine.cache import Store, content_key
from lab.machine.kernel import configure, make
from lab.machine.kernel_series import Series
from lab.machine.source import Source, ensure_source, given_source, unpack
from lab.machine.toolchain import toolchain_versions

RECIPE = 1  # count up when the judges get stricter
NEEDED_BYTES = 1_000_000_000
# new files are in files/, so a patch never needs MAINTAINERS
CHECKPATCH = ["--strict", "--no-tree", "--quiet", "--color=never", "--show-types", "--ignore=FILE_PATH_CHANGES"]
_SPARSE_LINE = re.compile(r"^(?P<file>\S+?):\d+:\d+: (?:warning|error): ")


def check_series(source: Source, series: Series, report: Report, store: Store | None = None) -> None:
    """Check the series against the source it applies to.

    Raises:
        BuildError: checkpatch or sparse complain; with what they say.
    """
    store = store or Store("kernel-check", "the check of the kernel patches")
    key = content_key(series.sha256(), source.sha256, toolchain_versions(), str(RECIPE))
    if not store.has(key):
        store.build(
            key, lambda directory: _check(directory, source, series, store, report), report, needed_bytes=NEEDED_BYTES
        )


def _check(directory: Path, source: Source, series: Series, store: Store, report: Report) -> None:
    log = BuildLog(store.log, directory)
    tree, objects = directory / "source", directory / "objects"
    report.step(f"kernel patches: unpacking Linux {source.version}")
    unpack(source, tree, log)
    checkpatch(tree, series, log, report)
    series.apply(tree, source.version, log)
    configure(tree, objects, series, log)
    report.step("kernel patches: sparse")
    sparse(tree, objects, series, log)
    for path in (tree, objects):
        log.run("cleaning up", ["rm", "-rf", str(path)])


def checkpatch(tree: Path, series: Series, log: BuildLog, report: Report) -> None:
    """Run the tree's checkpatch over every patch and every C file.

    Raises:
        BuildError: It complains.
    """
    base = series.directory / "files"
    code = [base / name for name in series.files if name.suffix in (".c", ".h", ".S")]
    report.step(f"kernel patches: checkpatch over {len(series.patches)} patches and {len(code)} files")
    script = ["perl", str(tree / "scripts" / "checkpatch.pl"), *CHECKPATCH]
    for patch in series.patches:
        log.run(f"checkpatch of {patch.name}", [*script, str(patch)])
    for path in code:
        log.run(f"checkpatch of {path.relative_to(base)}", [*script, "--file", str(path)])


def sparse(tree: Path, objects: Path, series: Series, log: BuildLog) -> None:
    """Compile the new files with sparse looking on.

    Raises:
        BuildError: It complains about one of them.
    """
    log.run("preparing the kernel's headers", make(tree, objects, "prepare"))
    names = {str(name) for name in series.files}
    complaints: list[str] = []

    def on_line(line: str) -> None:
        found = _SPARSE_LINE.match(line)
        if found and any(found["file"].endswith(name) for name in names):
            complaints.append(line.removeprefix(f"{tree}/"))

    targets = [str(name.with_suffix(".o")) for name in series.files if name.suffix == ".c"]
    if targets:
        log.run("sparse", make(tree, objects, "C=2", "CHECK=sparse", *targets), on_line=on_line)
    if complaints:
        raise BuildError("sparse complains:\n" + "\n".join(f"    {line}" for line in complaints))


def main(arguments: list[str] | None = None) -> int:
    """What scripts/check-patches calls."""
    parser = argparse.ArgumentParser(prog="check-patches", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("source", nargs="?", type=Path, help="a kernel tree or archive; default: Debian's package")
    options = parser.parse_args(arguments)
    report = LineReport()
    try:
        check_series(given_source(options.source) if options.source else ensure_source(report), Series(), report)
    except LabError as error:
        report.step(f"lab: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
