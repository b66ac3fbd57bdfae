# SPDX-License-Identifier: MIT
"""``make site`` with small documents: dead links fail, links to folders and the navigation follow the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from lab.reference.keys import _STACKS

CONF = Path(__file__).resolve().parents[2] / "docs"
README = """\
# Lab

See [parts](parts), [more parts](parts/inner/) and [the script](run.sh).

## Documentation

**Start**: the [guide](docs/guide.md#second-step).

**Teach.** [Reference](docs/reference.md).
"""


def build(folder: Path, readme: str = README, reference: str = "# Keys\n") -> subprocess.CompletedProcess[str]:
    """Build a site of two documents, a folder with and one without README.md, and a script."""
    (folder / "docs").mkdir()
    (folder / "parts" / "inner").mkdir(parents=True)
    (folder / "README.md").write_text(readme)
    (folder / "run.sh").write_text("true\n")
    (folder / "docs" / "guide.md").write_text("# Guide\n\n## Second step\n\nBack to [the start](../README.md).\n")
    (folder / "docs" / "reference").mkdir()
    (folder / "docs" / "reference.md").write_text("# Reference\n")
    (folder / "docs" / "reference" / "files.md").write_text(reference)
    command = ("sphinx.cmd.build", "--quiet", "--fail-on-warning", "--keep-going", "--conf-dir", str(CONF))
    words = [sys.executable, "-m", *command, str(folder), str(folder / "build")]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_the_site_follows_the_repository(tmp_path: Path) -> None:
    ended = build(tmp_path)
    assert ended.returncode == 0, ended.stderr
    page = (tmp_path / "build" / "README.html").read_text()
    assert 'href="docs/guide.html#second-step"' in page
    for caption in ("Start", "Teach"):
        assert f'caption-text">{caption}<' in page
    assert "run.sh" in page and 'href="parts' not in page, "folders without README.md are plain text"
    assert "README.html" in (tmp_path / "build" / "index.html").read_text()
    assert "guide" in (tmp_path / "build" / "searchindex.js").read_text()


def test_dead_links_and_anchors_fail(tmp_path: Path) -> None:
    broken = README.replace("#second-step", "#third-step").replace("run.sh", "stop.sh")
    ended = build(tmp_path, broken)
    assert ended.returncode != 0
    assert "third-step" in ended.stderr and "stop.sh" in ended.stderr


def test_a_link_to_a_stack_that_was_removed_is_plain_text(tmp_path: Path) -> None:
    readme = README.replace("[Reference](docs/reference.md)", "[A stack](workloads/gone/README.md#use)")
    ended = build(tmp_path, readme, f"# Keys\n\n{_STACKS.format('gone')}")
    assert ended.returncode == 0, ended.stderr
    page = (tmp_path / "build" / "README.html").read_text()
    assert "A stack" in page and "workloads/gone" not in page


def test_a_link_to_another_stack_that_is_not_here_fails(tmp_path: Path) -> None:
    ended = build(tmp_path, f"{README}\n[A stack](workloads/gnoe/README.md)\n", f"# Keys\n\n{_STACKS.format('gone')}")
    assert ended.returncode != 0 and "workloads/gnoe/README.md" in ended.stderr


def test_a_site_that_is_made_of_the_same_files_is_not_built_again(tmp_path: Path) -> None:
    """With another builder in Sphinx's place, which counts how often it was asked, and fails if a file is there."""
    for folder in ("scripts", ".venv/bin", "docs", "lab/reference"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(CONF.parent / "scripts" / "site", tmp_path / "scripts")
    builder = tmp_path / ".venv" / "bin" / "sphinx-build"
    builder.write_text(
        "#!/bin/sh\necho built >> .venv/built\nmkdir -p build/site build/site-parsed\ntouch build/site/index.html\n"
        "test ! -e dead-link\n"
    )
    builder.chmod(0o755)
    (tmp_path / "docs" / "guide.md").write_text("# Guide\n")
    (tmp_path / "run.sh").write_text("true\n")

    def built(fails: bool = False) -> bool:
        count = tmp_path / ".venv" / "built"
        before = count.read_text() if count.exists() else ""
        ended = subprocess.run([tmp_path / "scripts" / "site"], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == ((1, "") if fails else (0, "build/site/index.html\n")), ended.stderr
        return count.read_text() != before

    assert built() and not built()
    (tmp_path / "docs" / "guide.md").write_text("# Guides\n")
    assert built() and not built()
    (tmp_path / "run.sh").rename(tmp_path / "start.sh")  # a link to it is dead now
    assert built() and not built()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "report.md").write_text("# Report\n")
    assert not built()
    (tmp_path / "build" / "site" / "index.html").unlink()
    assert built() and not built()
    (tmp_path / "dead-link").touch()
    assert built(fails=True) and built(fails=True)
    (tmp_path / "dead-link").unlink()
    assert built() and not built()
