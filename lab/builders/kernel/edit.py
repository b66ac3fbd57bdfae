# SPDX-License-Identifier: MIT
"""Changing the kernel: from hwsim-patches to a git repository, and back.

``edit`` unpacks the source as a repository: one commit for Linux, one for the new files, one per patch. The user
commits on top, or amends. ``write_back`` turns that into ``files/``, ``patches/`` and ``series``: a commit's changes of
new files go to ``files/``, the rest becomes a patch. Without changes, it reproduces every byte.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.builders.kernel.series import Series
from lab.builders.kernel.source import Source, ensure_source, given_source, unpack
from lab.builders.step import BuildLog
from lab.cache.report import LineReport, Report
from lab.checkout import checkout
from lab.errors import BuildError, HostError, InputError, LabError

TREE = Path("build", "kernel")  # in the checkout
BASE = "lab-base"  # tag: Linux as it was unpacked
FILES = "lab-files"  # tag: with the new files
SOURCE_SHA256, SOURCE_PATH = "lab.sourceSha256", "lab.sourcePath"  # in git's configuration: of what
FILES_SUBJECT = "hwsim-patches/files"
SERIES_HEAD = (
    "# SPDX-License-Identifier: GPL-2.0-only\n# The order in which patches/ apply; written by `make kernel-patches`.\n"
)
# Patches must not depend on the configuration of a user or machine.
PLAIN_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
US = {
    "GIT_AUTHOR_NAME": "hwsim-lab",
    "GIT_AUTHOR_EMAIL": "hwsim-lab@localhost",
    "GIT_COMMITTER_NAME": "hwsim-lab",
    "GIT_COMMITTER_EMAIL": "hwsim-lab@localhost",
    "GIT_AUTHOR_DATE": "1970-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "1970-01-01T00:00:00Z",
}
FORMAT_PATCH = [
    "format-patch",
    "--quiet",
    "--zero-commit",
    "--no-signature",
    "--no-numbered",
    "--no-renames",
    "--no-thread",
    "--full-index",
    "--diff-algorithm=histogram",
    "--subject-prefix=PATCH",
]


def edit(source: Source, series: Series, tree: Path, report: Report) -> None:
    """Unpack the source with the series as commits.

    Args:
        source: The kernel source to start from.
        series: The patches and files.
        tree: The folder to create; must not exist.
        report: Receives progress.

    Raises:
        InputError: The tree is there already.
        BuildError: A patch no longer applies; the tree stays, so that the user can resolve the conflict.
    """
    if tree.exists():
        raise InputError(
            f"{tree} exists already",
            hint="commit there and run `make kernel-patches`, or remove the tree to start again from hwsim-patches",
        )
    tree.parent.mkdir(parents=True, exist_ok=True)
    log = BuildLog(tree.parent / "kernel-edit.log", tree.parent)
    report.step(f"unpacking Linux {source.version} in {tree}")
    try:
        unpack(source, tree, log)
        _base_commits(tree, source, series, report)
    except BaseException:
        shutil.rmtree(tree, ignore_errors=True)
        raise
    _apply(tree, source, series, report)
    report.step(f"change it, and run it: lab run … --kernel-source {tree}")
    report.step("commit your changes there, then run `make kernel-patches`")


def _base_commits(tree: Path, source: Source, series: Series, report: Report) -> None:
    report.step("making a git repository of it")
    _forget_packaging(tree)
    git(tree, "init", "--quiet", "--initial-branch=lab")
    git(tree, "config", "gc.auto", "0")
    git(tree, "config", SOURCE_SHA256, source.sha256)
    git(tree, "config", SOURCE_PATH, "" if source.debian else str(source.path.resolve()))
    git(tree, "add", "--all", "--force")
    git(tree, "commit", "--quiet", f"--message=Linux {source.version}", env=US)
    git(tree, "tag", BASE)
    series.copy_files(tree)
    git(tree, "add", "--all", "--force")
    git(tree, "commit", "--quiet", "--allow-empty", f"--message={FILES_SUBJECT}", env=US)
    git(tree, "tag", FILES)


def _forget_packaging(tree: Path) -> None:
    """Debian's .gitignore hides every new file; Linux's own does not."""
    ignore = tree / ".gitignore"
    if ignore.is_file():
        lines = ignore.read_text().splitlines(keepends=True)
        ignore.write_text("".join(line for line in lines if line.strip() not in ("/*", "!/debian/")))


def _apply(tree: Path, source: Source, series: Series, report: Report) -> None:
    patches = series.patches
    if not patches:
        return
    report.step(f"applying {len(patches)} patches")
    committer = {name: value for name, value in US.items() if "COMMITTER" in name}
    try:
        git(tree, "am", "--quiet", "--keep-cr", *map(str, patches), env=committer)
    except BuildError as error:
        raise BuildError(
            f"a patch no longer applies to Linux {source.version}\n{error.message}",
            hint=f"in {tree}: `git am --show-current-patch=diff` shows it; make its change by hand, `git add` it, "
            "`git am --continue`; when all are through, `make kernel-patches`",
        ) from error


def write_back(tree: Path, series: Series) -> list[str]:
    """Write the commits of the tree to files/, patches/ and series; returns the patches' names.

    Raises:
        InputError: There is no such tree, `git am` is in progress, or there are uncommitted changes.
    """
    if not (tree / ".git").is_dir():
        raise InputError(f"{tree} does not exist", hint="`make kernel-edit` creates it")
    if (tree / ".git" / "rebase-apply").exists():
        raise InputError(f"{tree}: the series is not applied yet", hint="finish it there with `git am --continue`")
    if changed := git(tree, "status", "--porcelain").splitlines():
        listing = "".join(f"\n    {line}" for line in changed[:10])
        raise InputError(f"{tree} has uncommitted changes:{listing}", hint="commit them there first")
    added = _paths(git(tree, "diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", BASE, "HEAD"))
    with tempfile.TemporaryDirectory(dir=series.directory, prefix=".new-") as text:
        fresh = Path(text)
        names = _write_patches(tree, fresh, added)
        _write_files(tree, fresh, added)
        (fresh / "series").write_text(SERIES_HEAD + "".join(f"{name}\n" for name in names))
        _replace(fresh, series.directory)
    return names


def _write_patches(tree: Path, fresh: Path, added: list[str]) -> list[str]:
    (fresh / "patches").mkdir()
    elsewhere = [f":(exclude,top,literal){path}" for path in added]
    directory = f"--output-directory={fresh / 'patches'}"
    git(tree, *FORMAT_PATCH, directory, f"{FILES}..HEAD", "--", ":(top)", *elsewhere)
    return sorted(path.name for path in (fresh / "patches").iterdir())


def _write_files(tree: Path, fresh: Path, added: list[str]) -> None:
    for name in added:
        target = fresh / "files" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree / name, target)


def _replace(fresh: Path, directory: Path) -> None:
    for name in ("patches", "files"):
        old = directory / name
        if old.exists():
            shutil.rmtree(old)
        if (fresh / name).exists() and any((fresh / name).iterdir()):
            (fresh / name).rename(old)
    (fresh / "series").replace(directory / "series")


def _paths(listing: str) -> list[str]:
    return sorted(name for name in listing.split("\0") if name)


def git(tree: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """Run git in a tree, without the user's configuration; returns its output.

    Raises:
        BuildError: It failed; gives its output.
        HostError: It is not installed.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(tree), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env={**clean, **PLAIN_GIT, "LC_ALL": "C", **(env or {})},
        )
    except FileNotFoundError as error:
        raise HostError("git is not installed", hint="`make lab` installs what is missing") from error
    if done.returncode:
        output = (done.stderr + done.stdout).decode(errors="replace").strip()
        raise BuildError(f"git {arguments[0]} failed in {tree}:\n{output}")
    return done.stdout.decode(errors="surrogateescape")


def main(arguments: list[str] | None = None) -> int:
    """``edit [--source PATH]`` or ``patches``: the entry point of make kernel-edit and make kernel-patches."""
    parser = argparse.ArgumentParser(prog="kernel-edit", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("verb", choices=["edit", "patches"])
    parser.add_argument("--source", type=Path, help="a kernel tree or archive; default: Debian's package")
    parser.add_argument("--tree", type=Path, help=f"where the repository is (default: {TREE})")
    options = parser.parse_args(arguments)
    report = LineReport()
    try:
        tree = checkout(f"make kernel-{options.verb}") / (options.tree or TREE)
        if options.verb == "edit":
            source = given_source(options.source) if options.source else ensure_source(report)
            edit(source, Series(), tree, report)
        else:
            for name in write_back(tree, Series()):
                report.step(f"hwsim-patches/patches/{name}")
    except LabError as error:
        report.step(f"lab: {error}")
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
