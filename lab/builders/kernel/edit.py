# SPDX-License-Identifier: MIT
"""Changing the kernel: from its parts to a git repository, and back.

``edit`` unpacks the source as a repository: one commit for Linux, one for the new files of each part, one per patch.
Their messages end with the part: ``Part: medium``. The user commits on top, or amends. ``write_back`` first moves each
commit behind the others of its part, as ``git rebase`` does. Then it writes ``files/``, ``patches/`` and ``series`` of
each part: a commit's changes of files that its part adds go to ``files/``, the rest becomes a patch. Without changes,
it reproduces every byte.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lab.builders.kernel.series import PatchSeries, SeriesPart
from lab.builders.kernel.source import KernelSource, ensure_source, given_source, unpack
from lab.builders.step import BuildLog
from lab.cache.report import LineReport, Report
from lab.checkout import checkout
from lab.errors import BuildError, HostError, InputError, LabError
from lab.library import shown

TREE = Path("build", "kernel")  # in the checkout
BASE = "lab-base"  # tag: Linux as it was unpacked
FILES = "lab-files"  # tag: with the new files
SOURCE_SHA256, SOURCE_PATH = "lab.sourceSha256", "lab.sourcePath"  # in git's configuration: of what
_PART = re.compile(r"^Part: (\S+)$", re.MULTILINE)  # at the end of a commit's message
SERIES_HEAD = (
    "# SPDX-License-Identifier: GPL-2.0-only\n# The order in which patches/ apply; written by `make kernel-patches`.\n"
)
# Patches must not depend on the configuration of a user or machine.
PLAIN_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
NAME, EMAIL = "hwsim-lab", "hwsim-lab@localhost"  # of whom commits and their Signed-off-by are, also the user's
COMMITTED = {"GIT_COMMITTER_DATE": "1970-01-01T00:00:00Z"}
AUTHORED = {"GIT_AUTHOR_DATE": COMMITTED["GIT_COMMITTER_DATE"], **COMMITTED}
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


def edit(source: KernelSource, series: PatchSeries, tree: Path, report: Report) -> None:
    """Unpack the source with the series as commits.

    Raises:
        InputError: If the tree already exists.
        BuildError: If a patch no longer applies; the tree stays, so that the user can resolve the conflict.
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


def _base_commits(tree: Path, source: KernelSource, series: PatchSeries, report: Report) -> None:
    report.step("making a git repository of it")
    _forget_packaging(tree)
    git(tree, "init", "--quiet", "--initial-branch=lab")
    git(tree, "config", "gc.auto", "0")
    git(tree, "config", "user.name", NAME)
    git(tree, "config", "user.email", EMAIL)
    git(tree, "config", SOURCE_SHA256, source.sha256)
    git(tree, "config", SOURCE_PATH, "" if source.debian else str(source.path.resolve()))
    git(tree, "add", "--all", "--force")
    git(tree, "commit", "--quiet", f"--message=Linux {source.version}", env=AUTHORED)
    git(tree, "tag", BASE)
    for part in series.parts:
        if part.files:
            part.copy_files(tree)
            git(tree, "add", "--all", "--force")
            git(tree, "commit", "--quiet", f"--message=New files\n\nPart: {part.name}", env=AUTHORED)
    git(tree, "tag", FILES)


def _forget_packaging(tree: Path) -> None:
    """Remove from .gitignore what Debian added, which hides every new file; Linux's own does not."""
    ignore = tree / ".gitignore"
    if ignore.is_file():
        lines = ignore.read_text().splitlines(keepends=True)
        ignore.write_text("".join(line for line in lines if line.strip() not in ("/*", "!/debian/")))


def _apply(tree: Path, source: KernelSource, series: PatchSeries, report: Report) -> None:
    patches = series.patches
    if not patches:
        return
    report.step(f"applying {len(patches)} patches")
    with tempfile.TemporaryDirectory() as folder:
        mails = [Path(folder, f"{number:04}") for number in range(len(patches))]
        parts = [part.name for part in series.parts for _ in part.patches]
        for mail, patch, part in zip(mails, patches, parts, strict=True):
            mail.write_bytes(patch.read_bytes().replace(b"\n---\n", f"\nPart: {part}\n---\n".encode(), 1))
        try:
            git(tree, "am", "--quiet", "--keep-cr", *map(str, mails), env=COMMITTED)
        except BuildError as error:
            raise BuildError(
                f"a patch no longer applies to Linux {source.version}\n{error.message}",
                hint=f"in {tree}: `git am --show-current-patch=diff` shows it; make its change by hand, `git add` it, "
                "`git am --continue`; when all are through, `make kernel-patches`",
            ) from error


def write_back(tree: Path, series: PatchSeries) -> list[Path]:
    """Write the commits of the tree to files/, patches/ and series of their parts; return the patches.

    Raises:
        InputError: If the tree does not exist or has uncommitted changes, git is in the middle of something, or a
            commit does not name its part.
        BuildError: If a commit cannot be moved to its part: a later part changes the same lines.
    """
    if not (tree / ".git").is_dir():
        raise InputError(f"{tree} does not exist", hint="`make kernel-edit` creates it")
    if (tree / ".git" / "rebase-apply").exists():
        raise InputError(f"{tree}: the series is not applied yet", hint="finish it there with `git am --continue`")
    if (tree / ".git" / "rebase-merge").exists():
        raise InputError(f"{tree}: a rebase is not finished", hint="finish it there with `git rebase --continue`")
    if changed := git(tree, "status", "--porcelain").splitlines():
        listing = "".join(f"\n    {line}" for line in changed[:10])
        raise InputError(f"{tree} has uncommitted changes:{listing}", hint="commit them there first")
    names = series.names
    _sort(tree, names)
    ends, owners = _ends(tree, names), _owners(tree)
    start = FILES
    for number, part in enumerate(series.parts):
        end = ends[part.name]
        _check_files(tree, part, (start, end), owners, names[number + 1 :])
        _write_part(tree, part, (start, end), [name for name, owner in owners.items() if owner == part.name])
        start = end
    return series.patches


def _commits(tree: Path, since: str) -> list[tuple[str, str, str | None]]:
    """Return (id, subject, part) of the commits since one, oldest first; part is None if the message names none."""
    found = []
    for entry in git(tree, "log", "--reverse", "-z", "--format=%H%n%B", f"{since}..HEAD").split("\0"):
        commit, _, message = entry.partition("\n")
        if commit:
            parts = _PART.findall(message)
            found.append((commit, message.partition("\n")[0], parts[-1] if parts else None))
    return found


def _sort(tree: Path, names: list[str]) -> None:
    """Move each commit behind the others of its part."""
    commits = _commits(tree, FILES)
    for commit, subject, part in commits:
        if part not in names:
            raise InputError(
                f'{tree}: commit {commit[:12]} "{subject}" {f"names the part {part}" if part else "names no part"}',
                hint=f"`git commit --amend --trailer Part=NAME` (git rebase -i for an earlier commit); the parts are "
                f"{', '.join(names)}; a new one of a stack is a folder workloads/<stack>/kernel",
            )
    wanted = sorted(commits, key=lambda each: names.index(str(each[2])))
    if wanted == commits:
        return
    with tempfile.NamedTemporaryFile("w") as todo:
        todo.write("".join(f"pick {commit}\n" for commit, _, _ in wanted))
        todo.flush()
        editor = f"cp {shlex.quote(todo.name)}"
        try:
            git(tree, "-c", f"sequence.editor={editor}", "rebase", "--quiet", "--interactive", FILES, env=COMMITTED)
        except BuildError as error:
            raise BuildError(
                f"a commit cannot be moved to its part without a conflict\n{error.message}",
                hint=f"in {tree}: resolve it, `git add`, `git rebase --continue`, then `make kernel-patches` again",
            ) from error


def _ends(tree: Path, names: list[str]) -> dict[str, str]:
    """Return the last commit of each part, or of the parts before it."""
    last = {part: commit for commit, _, part in _commits(tree, FILES)}
    ends, end = {}, FILES
    for name in names:
        ends[name] = end = last.get(name, end)
    return ends


def _owners(tree: Path) -> dict[str, str]:
    """Return which part adds each file that Linux does not have."""
    found: dict[str, str] = {}
    log = ["log", "--reverse", "--no-renames", "--diff-filter=A", "--name-only", "--format=%x01%B%x02"]
    for entry in git(tree, *log, "-z", f"{BASE}..HEAD").split("\x01")[1:]:
        message, _, names = entry.partition("\x02")
        found |= {name: _PART.findall(message)[-1] for name in re.split(r"[\0\n]+", names) if name}
    return found


def _check_files(
    tree: Path, part: SeriesPart, commits: tuple[str, str], owners: Mapping[str, str], later: list[str]
) -> None:
    """Raise InputError if commits of a part change files that do not exist before a later part adds them."""
    for name in git(tree, "diff", "--name-only", "--no-renames", "-z", *commits).split("\0"):
        if owners.get(name) in later:
            raise InputError(
                f"{tree}: a commit of part {part.name} changes {name}, which is a new file of part {owners[name]}",
                hint="put what belongs there into a separate commit",
            )


def _write_part(tree: Path, part: SeriesPart, commits: tuple[str, str], added: list[str]) -> None:
    """Write one part: its commits are those from one to another, its new files are ``added``, if they are there."""
    with tempfile.TemporaryDirectory(dir=part.directory, prefix=".new-") as text:
        fresh = Path(text)
        (fresh / "patches").mkdir()
        elsewhere = [f":(exclude,top,literal){name}" for name in added]
        output = f"--output-directory={fresh / 'patches'}"
        git(tree, *FORMAT_PATCH, output, "..".join(commits), "--", ":(top)", *elsewhere)
        names = sorted(path.name for path in (fresh / "patches").iterdir())
        for name in names:
            patch = fresh / "patches" / name
            message, line, changes = patch.read_bytes().partition(b"\n---\n")
            patch.write_bytes(re.sub(rb"\nPart: \S+(?=\n|$)", b"", message) + line + changes)
        there = set(git(tree, "ls-tree", "-r", "--name-only", "-z", commits[1]).split("\0"))
        if kept := sorted(there.intersection(added)):
            archive = git_bytes(tree, "-c", "tar.umask=0022", "archive", "--prefix=files/", commits[1], "--", *kept)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(fresh, filter="data")
        if names:
            (fresh / "series").write_text(SERIES_HEAD + "".join(f"{name}\n" for name in names))
        _replace(fresh, part.directory)


def _replace(fresh: Path, directory: Path) -> None:
    for name in ("patches", "files"):
        old = directory / name
        if old.exists():
            shutil.rmtree(old)
        if (fresh / name).exists() and any((fresh / name).iterdir()):
            (fresh / name).rename(old)
    (directory / "series").unlink(missing_ok=True)
    if (fresh / "series").exists():
        (fresh / "series").rename(directory / "series")


def git(tree: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """Run git as ``git_bytes`` does; return its output as text."""
    return git_bytes(tree, *arguments, env=env).decode(errors="surrogateescape")


def git_bytes(tree: Path, *arguments: str, env: dict[str, str] | None = None) -> bytes:
    """Run git in a tree, without the user's configuration; return its output.

    Raises:
        BuildError: If it failed; with its output.
        HostError: If it is not installed.
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
    return done.stdout


def main(arguments: list[str] | None = None) -> int:
    """Run ``edit [--source PATH]`` or ``patches``, for make kernel-edit and make kernel-patches."""
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
            edit(source, PatchSeries(), tree, report)
        else:
            for path in write_back(tree, PatchSeries()):
                report.step(shown(path))
    except LabError as error:
        report.step(f"lab: {error}")
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
