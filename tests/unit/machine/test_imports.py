# SPDX-License-Identifier: MIT
"""Which files need which: read from their imports, none of them run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.builders.imports import Imports, imports

Closure = Callable[..., list[str]]


@pytest.fixture
def closure(tmp_path: Path) -> Closure:
    """Write a lab and its stacks, and tell what of it some files need."""

    def of(files: dict[str, str], *roots: str, own: tuple[str, ...] = ()) -> list[str]:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (tmp_path / "lab").mkdir(exist_ok=True)
        finder = Imports(tmp_path / "memo.json", tmp_path / "lab")
        found = finder.closure([tmp_path / root for root in roots], {name: tmp_path / name for name in own})
        return [str(path.relative_to(tmp_path)) for path in found]

    return of


def test_what_is_imported_by_what_is_imported(closure: Closure) -> None:
    files = {
        "lab/a.py": "from lab.b import x",
        "lab/b.py": "import lab.c\nimport json, numpy",
        "lab/c.py": "",
        "lab/d.py": "import lab.a",
    }
    assert closure(files, "lab/a.py") == ["lab/a.py", "lab/b.py", "lab/c.py"]


def test_packages_are_run_before_what_lies_in_them(closure: Closure) -> None:
    files = {
        "lab/__init__.py": "",
        "lab/deep/__init__.py": "from lab import helper",
        "lab/deep/a.py": "",
        "lab/deep/b.py": "",
        "lab/helper.py": "",
    }
    assert closure(files, "lab/deep/a.py") == [
        "lab/__init__.py",
        "lab/deep/__init__.py",
        "lab/deep/a.py",
        "lab/helper.py",
    ]


def test_a_module_taken_from_a_package_and_a_name_taken_from_a_module(closure: Closure) -> None:
    files = {
        "lab/a.py": "from lab.deep import b, something\nfrom lab.c import x",
        "lab/deep/__init__.py": "something = 1",
        "lab/deep/b.py": "",
        "lab/deep/unused.py": "",
        "lab/c.py": "x = 1",
    }
    assert closure(files, "lab/a.py") == ["lab/a.py", "lab/c.py", "lab/deep/__init__.py", "lab/deep/b.py"]


def test_imports_in_functions_count_and_those_for_type_checkers_do_not(closure: Closure) -> None:
    files = {
        "lab/a.py": (
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    import lab.b\nelse:\n    import lab.c\n"
            "def f():\n    if True:\n        import lab.d\n"
        ),
        **dict.fromkeys(("lab/b.py", "lab/c.py", "lab/d.py"), ""),
    }
    assert closure(files, "lab/a.py") == ["lab/a.py", "lab/c.py", "lab/d.py"]


def test_files_of_a_stack_by_their_place(closure: Closure) -> None:
    files = {
        "workloads/tea/probes/pot.py": "from ..common import leaf\nfrom . import _lid\nfrom lab.base import Probe",
        "workloads/tea/probes/_lid.py": "import workloads.tea.probes._knob",
        "workloads/tea/probes/_knob.py": "import workloads.coffee.bean",
        "workloads/tea/probes/other.py": "",
        "workloads/tea/common/leaf.py": "",
        "workloads/coffee/bean.py": "",
        "lab/base.py": "",
    }
    assert closure(files, "workloads/tea/probes/pot.py", own=("workloads",)) == [
        "lab/base.py",
        "workloads/coffee/bean.py",
        "workloads/tea/common/leaf.py",
        "workloads/tea/probes/_knob.py",
        "workloads/tea/probes/_lid.py",
        "workloads/tea/probes/pot.py",
    ]


def test_circles_end(closure: Closure) -> None:
    assert closure({"lab/a.py": "import lab.b", "lab/b.py": "import lab.a"}, "lab/a.py") == ["lab/a.py", "lab/b.py"]


def test_a_changed_file_is_read_again_and_damage_does_no_harm(closure: Closure, tmp_path: Path) -> None:
    files = {"lab/a.py": "import lab.b", "lab/b.py": "", "lab/c.py": ""}
    assert closure(files, "lab/a.py") == ["lab/a.py", "lab/b.py"]
    assert closure({"lab/a.py": "import lab.c"}, "lab/a.py") == ["lab/a.py", "lab/c.py"]
    for damage in ("", "[]", '{"x": 1}'):
        (tmp_path / "memo.json").write_text(damage)
        assert closure({}, "lab/a.py") == ["lab/a.py", "lab/c.py"]


def test_what_is_no_python_needs_nothing(closure: Closure) -> None:
    assert closure({"lab/a.py": "import"}, "lab/a.py") == ["lab/a.py"]


def test_each_import_once_with_its_names() -> None:
    assert imports("import a.b as c\nfrom .d import e, f\nimport a.b") == [(0, "a.b", ()), (1, "d", ("e", "f"))]


@pytest.mark.parametrize("source", [b"\xef\xbb\xbfimport a", b"# coding: latin-1\nx = '\xe9'\nimport a"])
def test_in_the_encoding_that_python_finds(closure: Closure, tmp_path: Path, source: bytes) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "b.py").write_bytes(source.replace(b"import a", b"import lab.a"))
    assert closure({"lab/a.py": ""}, "lab/b.py") == ["lab/a.py", "lab/b.py"]
    assert imports(source) == [(0, "a", ())]
