# SPDX-License-Identifier: MIT
"""Draw mutants of the code, one changed line each, and find out which of them no test notices.

    python -m bench.mutants --count 20 --seed 1

They come in turn from the lab, the medium and the stacks' C, as universalmutator makes them. Each is tried in a copy of
the last commit, on the tests next to it first, then on wider ones. A mutant that does not compile, or compiles to the
same program, is replaced by the next draw. A test that kills a mutant must pass without it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from bench.options import whole

HERE = Path(__file__).parents[1]
AREAS = {
    "lab": "lab/**/*.py",
    "medium": "hwsim-patches/medium/files/**/*.c",
    "stacks": "workloads/*/*/**/*.c",
}
RULES = {".py": ["universal.rules", "python.rules"], ".c": ["universal.rules", "c_like.rules", "c.rules"]}
KUNIT = "tests/kernel/test_kunit.py"
LIMIT_S = 900  # for the tests of a stage, on a machine without other work
SILENT = "import sys; from pathlib import Path; from lab.cache.report import SilentReport as Silent; "
KERNEL = SILENT + "from lab.builders.kernel.kernel import ensure_kernel; print(ensure_kernel(Silent()).sha256)"
STACK = (
    SILENT
    + "from lab.builders.stack.stack import ensure_stack; from lab.builders.image.image import ensure_image; "
    + "print(ensure_stack(Silent(), Path(sys.argv[1]), ensure_image(Silent())).sha256)"
)
_FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+)", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A file, below the project, with one line changed."""

    path: Path
    line: int
    old: str
    new: str

    def put(self, text: str) -> str:
        """Return the file with the change."""
        lines = text.splitlines(keepends=True)
        lines[self.line - 1] = self.new
        return "".join(lines)


def files(area: str) -> list[Path]:
    """Return the files of an area that are not tests, below the project."""
    found = (path.relative_to(HERE) for path in HERE.glob(AREAS[area]))
    return sorted(path for path in found if "tests" not in path.parts and not path.stem.endswith("_test"))


@cache
def mutants_of(path: Path) -> list[Mutant]:
    """Return all mutants of a file, whether they compile or not."""
    from universalmutator.mutator import mutants_regexp  # only make mutants installs it

    lines = (HERE / path).read_text().splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(lines, RULES[path.suffix], ignorePatterns=[r"^\s*(from|import) "])
    return [Mutant(path, number, lines[number - 1], new) for number, new, *_ in made]


def is_prose(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def meaning(text: str) -> str | None:
    """Return what a Python program does, whatever its prose says; None if it is not a program."""
    try:
        tree = ast.parse(text)
        compile(tree, "mutant", "exec")  # break outside of a loop
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [one for one in body if not isinstance(one, ast.Pass) and not is_prose(one)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            node.value = " "
    return ast.dump(tree)


def is_another_program(mutant: Mutant) -> bool:
    """Return whether it can be one; of C, only the compiler knows."""
    text = (HERE / mutant.path).read_text()
    return mutant.path.suffix != ".py" or meaning(mutant.put(text)) not in (None, meaning(text))


def draws(seed: int, areas: list[str]) -> Iterator[Mutant]:
    """Yield mutants, one area after the other; a file is as likely as it is long."""
    source = random.Random(seed)
    known = {area: files(area) for area in areas}
    lengths = {path: len((HERE / path).read_text().splitlines()) for paths in known.values() for path in paths}
    while True:
        for paths in known.values():
            mutants: list[Mutant] = []
            while not mutants:
                path = source.choices(paths, [lengths[path] for path in paths])[0]
                found = mutants_of(path)
                mutants = [mutant for mutant in source.sample(found, min(1, len(found))) if is_another_program(mutant)]
            yield mutants[0]


def is_of_kernel(path: Path) -> bool:
    """Return whether a file is compiled into the guest's kernel."""
    return "files" in path.parts


def below(copy: Path, pattern: str) -> list[str]:
    """Return what there is in a copy, by names below it."""
    return sorted(str(path.relative_to(copy)) for path in copy.glob(pattern))


def stages(mutant: Mutant, copy: Path) -> list[list[str]]:
    """Return the tests of a mutant, the nearest first."""
    path = mutant.path
    if path.parts[0] == "workloads":
        tests = str(Path(*path.parts[:2], "tests"))
        near = sorted({str(Path(test).parent) for test in below(copy, f"{tests}/*/test_*.py")} - {f"{tests}/system"})
        return [[KUNIT] if is_of_kernel(path) else near, [tests]]
    if path.parts[0] == "hwsim-patches":
        return [[KUNIT], below(copy, "tests/system/test_medium*.py")]
    name, mirror = ".".join(path.with_suffix("").parts), f"tests/unit/{path.parts[1]}"
    near = [test for test in below(copy, "tests/unit/**/test_*.py") if name in (copy / test).read_text()]
    near = below(copy, mirror) + [test for test in near if not test.startswith(f"{mirror}/")]
    wide = [*path.with_suffix("").parts[1:], "flagship", "network"]
    wide += ["shell"] if "guest" in path.parts else []  # whatever runs in a node
    wide = [f"tests/system/test_{name}.py" for name in dict.fromkeys(wide)]
    return [near, ["tests/unit"], [test for test in wide if (copy / test).exists()]]


def environment_of(copy: Path) -> dict[str, str]:
    """Return the environment in which the copy's own code runs."""
    return {**os.environ, "PYTHONPATH": str(copy)}


def run(copy: Path, tests: list[str], limit_s: int) -> str:
    """Run tests up to the first that fails; return its name without parameters, "" if none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    with subprocess.Popen(
        command,
        cwd=copy,
        env=environment_of(copy),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return "(time limit)"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode in (0, 5):  # 5: no tests there
        return ""
    failed = _FAILED.search(output)
    return failed[1] if failed else "(pytest)"


def program(copy: Path, path: Path) -> str:
    """Return the hash of the program that a file in C becomes part of; "" if it does not compile."""
    code, *arguments = (KERNEL,) if is_of_kernel(path) else (STACK, str(copy / path.parts[0] / path.parts[1]))
    command = [sys.executable, "-c", code, *arguments]
    built = subprocess.run(command, cwd=copy, env=environment_of(copy), capture_output=True, text=True, check=False)
    return built.stdout


def verdict(mutant: Mutant, copy: Path, most: int, limit_s: int) -> str | None:
    """Return which test kills a mutant, "" if none does, None if it is not another program."""
    place = copy / mutant.path
    text = place.read_text()
    compiles = mutant.path.suffix == ".c"
    before = program(copy, mutant.path) if compiles else ""
    place.write_text(mutant.put(text))
    try:
        if compiles and program(copy, mutant.path) in ("", before):
            return None
        for tests in filter(None, stages(mutant, copy)[:most]):
            failed = run(copy, tests, limit_s)
            if not failed:
                continue
            place.write_text(text)
            if run(copy, [failed] if "::" in failed else tests, limit_s):
                raise SystemExit(f"{failed} fails without any mutant: {tests}")
            return failed
        return ""
    finally:
        place.write_text(text)


@contextlib.contextmanager
def working_copy() -> Iterator[Path]:
    """Yield a copy of the last commit, which goes away at the end."""
    git = ["git", "-C", str(HERE), "worktree"]
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        copy = Path(place, "copy")
        subprocess.run([*git, "add", "--quiet", "--detach", copy], check=True)
        try:
            yield copy
        finally:
            subprocess.run([*git, "remove", "--force", copy], check=True)


def main() -> None:
    """Draw, try, print."""
    parser = argparse.ArgumentParser(prog="bench.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=whole(1), default=20, help="mutants to try (default 20)")
    parser.add_argument("--seed", type=whole(0), default=1, help="which ones (default 1)")
    parser.add_argument("--stages", type=whole(1), default=3, help="1: only the nearest tests, 3: all (default 3)")
    parser.add_argument("--area", choices=AREAS, help="only these")
    parser.add_argument("--after", type=whole(0), default=0, metavar="DRAW", help="go on after this draw")
    limit = f"seconds for a stage; more than {LIMIT_S} if the machine has other work"
    parser.add_argument("--limit", type=whole(1), default=LIMIT_S, metavar="S", help=limit)
    options = parser.parse_args()
    tried = killed = 0
    with working_copy() as copy, contextlib.suppress(KeyboardInterrupt):
        areas = [options.area] if options.area else [area for area in AREAS if files(area)]
        for number, mutant in islice(enumerate(draws(options.seed, areas), 1), options.after, None):
            found = verdict(mutant, copy, options.stages, options.limit)
            if found is None:
                continue
            tried, killed = tried + 1, killed + bool(found)
            print(f"{number:3} {'killed' if found else 'LIVING'} {mutant.path}:{mutant.line}  {found}".rstrip())
            print(f"      - {mutant.old.strip()}\n      + {mutant.new.strip()}", flush=True)
            if tried == options.count:
                break
    print(f"killed {killed} of {tried}")


if __name__ == "__main__":
    main()
