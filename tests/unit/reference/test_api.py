# SPDX-License-Identifier: MIT
"""The Python reference: what it shows of a file, and that it has what the documentation tells people to import."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from lab.checkout import CHECKOUT
from lab.reference import api

SAMPLE = '''\
"""A sample, with ``code`` of a <kind>."""

from dataclasses import dataclass


@dataclass
class Flow(Base):
    """A flow.

    Attributes:
        name: what it
            is called.
    """

    name: str  # as in the file
    _hidden: int = 0

    @property
    def size(self) -> int:
        """Bytes."""
        return 1

    def _private(self) -> None: ...


def load(path: str, *, strict: bool = False) -> Flow:
    """Read a flow.

    Args:
        path: of the ``.out``.
        strict: whether
            all counts.

    Returns:
        The flow: all of it.

    Raises:
        ValueError: It is broken.
    """
'''


def test_a_file_becomes_signatures_fields_and_lists(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SAMPLE)
    page = "\n".join(api.module_page("lab.sample", tmp_path / "sample.py"))
    assert page.startswith("### lab.sample\n\nA sample, with `code` of a \\<kind>.\n")
    flow, load = page.split("#### ")[1:]
    assert flow == (
        "lab.sample.Flow\n\n```python\n@dataclass\nclass Flow(Base):\n    name: str  # as in the file\n\n"
        "    @property\n    def size(self) -> int\n```\n\n"
        "A flow.\n\nAttributes:\n\n* `name`: what it is called.\n\n`size`: Bytes.\n\n"
    )
    assert "def load(path: str, *, strict: bool=False) -> Flow\n" in load
    assert "Args:\n\n* `path`: of the `.out`.\n* `strict`: whether all counts.\n" in load
    assert "Returns:\n\n* The flow: all of it.\n\nRaises:\n\n* `ValueError`: It is broken.\n" in load


def test_a_package_stands_for_its_modules_and_a_module_that_has_moved_is_named(tmp_path: Path) -> None:
    for name in ("__init__", "one", "_two"):
        (tmp_path / "room").mkdir(exist_ok=True)
        (tmp_path / "room" / f"{name}.py").touch()
    assert list(api.files("lab.room", tmp_path)) == ["lab.room", "lab.room.one"]
    with pytest.raises(ValueError, match=r"names lab.gone, which does not exist; write its new name"):
        api.files("lab.gone", tmp_path)


def test_it_has_all_that_the_guides_import() -> None:
    shown = {name: path for part in api.PARTS for module in part.modules for name, path in api.files(module).items()}
    text = "".join(guide.read_text() for guide in sorted((CHECKOUT / "docs" / "extend").glob("*.md")))
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    imports = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.ImportFrom)]
    wanted = [(node.module, name.name) for node in imports for name in node.names if (node.module or "")[:4] == "lab."]
    assert wanted
    for module, name in wanted:
        if f"{module}.{name}" not in shown:  # a class, a function or a constant, not a module
            assert name in shown[str(module)].read_text(), f"{module}.{name} is not in docs/reference/api.md"
