# SPDX-License-Identifier: MIT
"""The kernel's own checks of its parts: checkpatch --strict on patches and files, sparse on their code.

sparse must find nothing in a new file. In a file of the kernel that a patch changes, it may find only what it finds
without the series, with the same options. The cache stores which states have passed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from lab.builders.kernel.kernel import configure, configure_available, make
from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import KernelSource, ensure_source, given_source
from lab.builders.kernel.tree import Changes, KernelTree, Plain
from lab.builders.step import BuildLog
from lab.builders.toolchain import toolchain_versions
from lab.cache.report import LineReport, Report
from lab.cache.store import Store, content_key
from lab.errors import BuildError, LabError
from lab.library import shown

RECIPE = 3  # increment when the checks become stricter
NEEDED_BYTES = 2_000_000_000
# new files are in files/, so a patch never needs MAINTAINERS
CHECKPATCH = ["--strict", "--no-tree", "--quiet", "--color=never", "--show-types", "--ignore=FILE_PATH_CHANGES"]
_SPARSE_LINE = re.compile(r"^(?P<file>\S+?):\d+:\d+: (?P<what>(?:warning|error): .*)")


def check_series(source: KernelSource, series: PatchSeries, report: Report) -> None:
    """Check the series against the source it applies to.

    Raises:
        BuildError: If checkpatch or sparse report problems; with their output.
    """
    store = Store("kernel-check", "the check of the kernel patches")
    key = content_key(series.sha256(), source.sha256, toolchain_versions(), str(RECIPE))
    store.build(
        key, lambda directory: _check(directory, source, series, store, report), report, needed_bytes=NEEDED_BYTES
    )


def _check(directory: Path, source: KernelSource, series: PatchSeries, store: Store, report: Report) -> None:
    log = BuildLog(store.log, directory)
    tree, objects, objects_before = KernelTree(directory / "tree"), directory / "objects", directory / "objects-before"
    tree.directory.mkdir()
    report.step(f"kernel patches: unpacking Linux {source.version}")
    tree.unpack(source, log)
    checkpatch(tree.source, series, log, report)
    patched = [name for name in series.patched if name.suffix == ".c"]  # compiled on their own
    report.step(f"kernel patches: sparse on {len(patched)} files without the series")

    def changes(plain: Plain, scratch: Path) -> Changes:
        return series.changes(plain, scratch, source.version, log)

    def choices(plain: Plain, scratch: Path) -> Changes:
        """Return only the Kconfig files: other options would compile other parts of the same files."""
        found = changes(plain, scratch).items()
        return {name: content for name, content in found if name.name.startswith("Kconfig")}

    tree.update(choices)
    configure_available(tree.source, objects_before, series.fragments, log)
    before = sparse(tree.source, objects_before, patched, series.patched, log)
    tree.update(changes)
    new = [name for name in series.files if name.suffix == ".c"]
    report.step(f"kernel patches: sparse on these and {len(new)} new files with the series")
    configure(tree.source, objects, series.fragments, log)
    after = sparse(tree.source, objects, [*new, *patched], [*series.files, *series.patched], log)
    complaints = more(before, after)
    if complaints:
        raise BuildError("sparse reports problems:\n" + "\n".join(f"    {line}" for line in complaints))
    for path in (tree.directory, objects, objects_before):
        log.run("cleaning up", ["rm", "-rf", str(path)])


def checkpatch(tree: Path, series: PatchSeries, log: BuildLog, report: Report) -> None:
    """Run the tree's checkpatch on every patch and every C file.

    Raises:
        BuildError: If it reports problems.
    """
    code = [
        part.directory / "files" / name
        for part in series.parts
        for name in part.files
        if name.suffix in (".c", ".h", ".S")
    ]
    report.step(f"kernel patches: checkpatch on {len(series.patches)} patches and {len(code)} files")
    script = ["perl", str(tree / "scripts" / "checkpatch.pl"), *CHECKPATCH]
    for patch in series.patches:
        log.run(f"checkpatch of {shown(patch)}", [*script, str(patch)])
    for path in code:
        log.run(f"checkpatch of {shown(path)}", [*script, "--file", str(path)])


def sparse(tree: Path, objects: Path, sources: list[Path], of_interest: list[Path], log: BuildLog) -> set[str]:
    """Compile sources with sparse.

    ``of_interest``: files, including headers, whose problems are returned.

    Returns:
        The problems, each ``file:line:column: warning: what``. (Several sources may include one header.)
    """
    log.run("preparing the kernel's headers", make(tree, objects, "prepare"))
    complaints: set[str] = set()

    def on_line(line: str) -> None:
        found = _SPARSE_LINE.match(line)
        name = next((str(name) for name in of_interest if found and Path(found["file"]).match(str(name))), None)
        if found and name:
            complaints.add(name + line.removeprefix(found["file"]))

    if sources:
        targets = [str(name.with_suffix(".o")) for name in sources]
        log.run("sparse", make(tree, objects, "C=2", "CHECK=sparse", *targets), on_line=on_line)
    return complaints


def more(before: set[str], after: set[str]) -> list[str]:
    """Return the complaints that the series adds: those more often in a file than before, on whatever line."""
    known = Counter(_without_line(line) for line in before)
    found = Counter(_without_line(line) for line in after)
    complaints = []
    for line in sorted(after):
        complaint = _without_line(line)
        if found[complaint] > known[complaint]:
            old = f" ({found[complaint]} times, {known[complaint]} without the series)" if known[complaint] else ""
            complaints.append(line + old)
    return complaints


def _without_line(complaint: str) -> tuple[str, str]:
    """Return file and text without the line number, since patches move lines."""
    found = _SPARSE_LINE.match(complaint)
    assert found
    return found["file"], found["what"]


def main(arguments: list[str] | None = None) -> int:
    """Run scripts/check-patches."""
    parser = argparse.ArgumentParser(prog="check-patches", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("source", nargs="?", type=Path, help="a kernel tree or archive; default: Debian's package")
    options = parser.parse_args(arguments)
    report = LineReport()
    try:
        check_series(given_source(options.source) if options.source else ensure_source(report), PatchSeries(), report)
    except LabError as error:
        report.step(f"lab: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
