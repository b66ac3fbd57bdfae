# SPDX-License-Identifier: MIT
"""The fuzz targets over their corpus, and over inputs that are always derived from it in the same way.

``python -m workloads.sap.tests.library.fuzz`` continues.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.library.fuzz.targets import HERE, TARGETS, Target

DRIVER = (HERE / "drive.c",)


def drive(target: Target, directory: Path) -> str:
    """Over the corpus, with the sanitizers; what was printed."""
    program = target.build(directory / target.name, native.SANITIZED, DRIVER)
    return native.run([str(program), str(target.made), *map(str, sorted(target.corpus.iterdir()))])


@pytest.mark.parametrize("name", TARGETS)
def test_fuzz(tmp_path: Path, name: str) -> None:
    target = TARGETS[name]
    files = len(list(target.corpus.iterdir()))
    assert drive(target, tmp_path) == f"{files} files, {target.made} made of them\n"


# in request_headers.c: what the code says, what a mistake would have made of it, what tells
PLANTED = {
    "reads on behind a header": (
        "while (text.length && is_space(text.bytes[0]))",
        "while (is_space(text.bytes[0]))",
        "heap-buffer-overflow",
    ),
    "takes one type too many": (
        "request->types == SAP_REQUEST_TYPES_MAX",
        "request->types > SAP_REQUEST_TYPES_MAX",
        "stack-buffer-overflow",
    ),
    "takes ports of the system": ("port < SAP_REQUEST_PORT_MIN || ", "", "not so: request->port >="),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_planted_mistakes_are_found(tmp_path: Path, mistake: str) -> None:
    """The detector fires."""
    right, wrong, reported = PLANTED[mistake]
    (code,) = TARGETS["requests"].code
    text = code.read_text()
    assert text.count(right) == 1
    (tmp_path / code.name).write_text(text.replace(right, wrong))
    with pytest.raises(AssertionError, match=reported):
        drive(replace(TARGETS["requests"], code=(tmp_path / code.name,)), tmp_path)
