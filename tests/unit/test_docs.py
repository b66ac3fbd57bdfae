# SPDX-License-Identifier: MIT
"""What the documentation names exists: files, verbs of make and lab, topologies, workloads, probes, metrics."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from click import Group

from lab import library
from lab.cli.main import app
from lab.grading.exercise import GIVEN, TASK
from lab.metrics import base as metrics
from lab.probes import base as probes
from lab.probes.base import Raw, Target
from tests.removed import REMOVED
from tests.unit.metrics.samples import context, source, wanted

PROJECT = Path(__file__).resolve().parents[2]
README = PROJECT / "README.md"
_LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_PYTHON_FILE = re.compile(r"<!-- (?:file|new): \S+\.py -->\n```python\n(.*?)```\n", re.DOTALL)
_COMMAND = re.compile(r"(?:^|`|[$&;] |/bin/)lab (?P<words>[^`|;&#\n]*)", re.MULTILINE)
_MAKE = re.compile(r"(?:^|`|[$&;] )make (?P<verb>[a-z][a-z-]*)", re.MULTILINE)


def documents() -> list[Path]:
    """Every Markdown file of the project, but not of what is built or run in it."""
    found = [*PROJECT.glob("*.md"), *PROJECT.glob("[a-z]*/**/*.md")]
    return sorted(path for path in found if path.relative_to(PROJECT).parts[0] not in ("build", "runs"))


def code(path: Path) -> str:
    """What a document sets in a fixed-width font."""
    return "\n".join(_CODE.findall(path.read_text()))


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub and others make of a document's headings."""
    headings = _HEADING.findall(_FENCE.sub("", path.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def invocations(path: Path) -> Iterator[list[str]]:
    """The words after ``lab`` in each command that a document shows."""
    for found in _COMMAND.finditer(code(path)):
        if words := found["words"].split():
            yield words


def named(path: Path) -> Iterator[tuple[str, str]]:
    """(kind, name) of each topology and workload in the ``lab run`` and ``lab show`` of a document."""
    for words in invocations(path):
        plain = [word for word in words[1:] if re.fullmatch(r"[a-z0-9][a-z0-9/-]*", word)]
        if words[0] in ("run", "show", "shell"):
            yield from zip(("topology", "workload"), plain, strict=False)


each = pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(PROJECT)))


@each
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    for target in _LINK.findall(_CODE.sub("", path.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        if path.name == TASK and not there.exists():  # students get what is in there beside the task
            there = path.parent / GIVEN / name
        if any(there.is_relative_to(PROJECT / "workloads" / stack) for stack in REMOVED):
            continue
        assert there.exists(), f"{target} does not exist"
        assert not anchor or anchor in anchors(there), f"{target}: no such heading"


@each
def test_every_verb_of_lab_and_its_options_exist(path: Path) -> None:
    lab = typer.main.get_command(app)
    assert isinstance(lab, Group)
    for words in invocations(path):
        verb = words[0]
        if verb.startswith("-"):
            continue
        assert verb in lab.commands, f"lab {verb}"
        command, rest = lab.commands[verb], words[1:]
        if isinstance(command, Group) and rest:  # lab exercise run
            verb, rest = f"{verb} {rest[0]}", rest[1:]
            assert words[1] in command.commands, f"lab {verb}"
            command = command.commands[words[1]]
        options = {name for param in command.params for name in param.opts} | {"--help"}
        for word in rest:
            assert not word.startswith("--") or word in options, f"lab {verb} {word}"


@each
def test_every_verb_of_make_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    assert {found["verb"] for found in _MAKE.finditer(code(path))} <= targets


def test_readme_names_topologies_and_workloads_that_exist() -> None:
    found = list(named(README))
    assert found
    for kind, name in found:
        assert name in library.known(kind), f"no {kind} {name}"


def test_every_decision_is_listed_once_and_numbered_in_order() -> None:
    folder = PROJECT / "docs" / "decisions"
    files = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    assert re.findall(r"^\| \[\d{4}\]\((.*?)\)", (folder / "README.md").read_text(), re.MULTILINE) == files


QUEUE_OUT = """\
### 936704
[{"kind":"netem","handle":"8002:","root":true,"refcnt":2,"options":{"limit":1000},"bytes":1026,"packets":13,\
"drops":0,"overlimits":0,"requeues":0,"backlog":98,"qlen":1}]
"""


def test_the_probe_and_the_metric_of_the_guides_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of a stack, which are found in the same way; the stack of docs/extend/stack.md has a test of its own."""
    monkeypatch.chdir(tmp_path)
    for room, name, guide in (("probes", "queue", "probe.md"), ("metrics", "backlog", "metric.md")):
        text = (PROJECT / "docs" / "extend" / guide).read_text()
        block = re.search(rf"`lab/{room}/{name}.py`:\n\n```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert block, f"{guide} shows no {name}.py"
        file = tmp_path / "workloads" / "queues" / room / f"{name}.py"
        file.parent.mkdir(parents=True)
        file.write_text(block[1])
    (tmp_path / "queue.out").write_text(QUEUE_OUT)

    probe, metric = probes.load("queue"), metrics.load("backlog")
    argv = probe.argv(Target("ap1", "ap1-eth2", None, None), probe.defaults({}), "/lab/raw/queue")
    parsed = probe.parse(Raw(tmp_path, "queue"))
    assert argv == ["tc", "-j", "-s", "qdisc", "show", "dev", "ap1-eth2", "root"]
    assert {series.name: (series.t_ns, series.values) for series in parsed.series} == {
        "backlog": ([936704], [98]),
        "qlen": ([936704], [1]),
        "drops": ([936704], [0]),
    }
    metric.check({"queue": "queue"}, "kB", None)
    found = metric.compute(
        wanted("backlog", "queue", unit="kB"), context(source("queue", series=parsed.series, raw=tmp_path))
    )
    assert found.values == [98]


def test_python_files_of_the_guides_pass_the_checks_of_the_project(tmp_path: Path) -> None:
    """Also where they lie elsewhere: without the exceptions that pyproject.toml makes for tests."""
    (tmp_path / "lab").mkdir()  # so that imports from there are sorted apart
    for guide in PROJECT.glob("docs/extend/*.md"):
        for number, text in enumerate(_PYTHON_FILE.findall(guide.read_text())):
            (tmp_path / f"{guide.stem.replace('-', '_')}_{number}.py").write_text(text)
    assert len(list(tmp_path.glob("*.py"))) > 5
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", "."]
    done = subprocess.run(ruff, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
