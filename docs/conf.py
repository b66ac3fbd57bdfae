# SPDX-License-Identifier: MIT
"""Sphinx's settings for ``make site``: the Markdown files of the repository as a site with search.

The files stay unchanged. What the site needs is derived from them: the navigation from the index in README,
and a link to a folder leads to its README.md, or is plain text if it has none. So is a link to a stack that was
removed: docs/reference/files.md still names it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lab.reference.keys import removed

project = "hwsim-lab"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "hwsim-lab"
html_copy_source = False
root_doc = "README"
include_patterns = ["*.md", *(f"{folder}/**.md" for folder in ("bench", "ci", "docs", "hwsim-patches", "images"))]
include_patterns += ["workloads/**.md"]
exclude_patterns = ["workloads/*/exercises/**"]  # for students, who get pictures beside the text
myst_heading_anchors = 6  # as on the repository's own pages
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure", "myst.header", "toc.not_included"]

_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^()\s#:]+)(?:#[^()\s]*)?\)")
_SUBJECT = re.compile(r"^\*\*(?P<name>\w+)\W*\*\*(?P<links>.*?)(?=^\*\*|^## |\Z)", re.MULTILINE | re.DOTALL)
_INDEX = "## Documentation"
_REDIRECT = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=README.html">\n'


def _read(app: Any, name: str, source: list[str]) -> None:
    """Change the text of a document before it is parsed."""
    root = Path(app.srcdir)
    folder = (root / name).parent
    gone = [root / "workloads" / stack for stack in removed(root / "docs" / "reference" / "files.md")]

    def link(found: re.Match[str]) -> str:
        target = folder / found["target"]
        if any(target.resolve().is_relative_to(stack) for stack in gone):
            return found["text"]
        if not target.is_dir():
            return found[0]
        readme = target / "README.md"
        return f"[{found['text']}]({found['target'].rstrip('/')}/README.md)" if readme.is_file() else found["text"]

    source[0] = _LINK.sub(link, source[0])
    if name == root_doc:
        source[0] += _navigation(source[0].partition(_INDEX)[2])


def _navigation(index: str) -> str:
    """Return a table of contents for each subject of the index in README."""
    lines = []
    for subject in _SUBJECT.finditer(index):
        names = [found["target"] for found in _LINK.finditer(subject["links"]) if found["target"].endswith(".md")]
        lines += ["", "```{toctree}", ":hidden:", f":caption: {subject['name']}", "", *names, "```"]
    return "\n".join(lines) + "\n"


def _finished(app: Any, error: Exception | None) -> None:
    """Lead from index.html to the first page."""
    if error is None:
        (Path(app.outdir) / "index.html").write_text(_REDIRECT, encoding="utf-8")


def setup(app: Any) -> None:
    """Register what Sphinx calls while it builds the site."""
    app.connect("source-read", _read)
    app.connect("build-finished", _finished)
