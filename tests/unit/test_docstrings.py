# SPDX-License-Identifier: MIT
"""Public methods have a docstring, unless they override a method that has one: its words are theirs."""

import ast
from collections.abc import Iterator
from pathlib import Path

from lab.checkout import PACKAGE

Classes = dict[str, list[ast.ClassDef]]


def classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    """Yield the classes of the lab and of its stacks."""
    for folder in (PACKAGE, PACKAGE.parent / "workloads"):
        for path in sorted(folder.rglob("*.py")):
            if "tests" not in path.parts:
                yield from (
                    (path, node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)
                )


def methods(of: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the public methods of a class, without setters of properties and overloads."""
    for node in of.body:
        marks = [mark.attr for mark in getattr(node, "decorator_list", ()) if isinstance(mark, ast.Attribute)]
        marks += [mark.id for mark in getattr(node, "decorator_list", ()) if isinstance(mark, ast.Name)]
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name[0] != "_"
            and not {"setter", "overload"} & {*marks}
        ):
            yield node


def bases(of: ast.ClassDef, known: Classes) -> Iterator[ast.ClassDef]:
    """Yield the classes, found by their names, from which a class inherits; a named tuple of the guest is a step."""
    for written in of.bases:
        base = written.value if isinstance(written, ast.Subscript) else written
        name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
        for found in known.get("Step" if name == "NamedTuple" else name, []):
            if found is not of:
                yield found
                yield from bases(found, known)


def undocumented(found: list[tuple[Path, ast.ClassDef]]) -> list[str]:
    known: Classes = {}
    for _, one in found:
        known.setdefault(one.name, []).append(one)
    return [
        f"{path}:{method.lineno}  {one.name}.{method.name} has no docstring, and overrides no method that has one"
        for path, one in found
        if not one.name.startswith("_")
        for method in methods(one)
        if ast.get_docstring(method) is None
        and not any(
            method.name == other.name and ast.get_docstring(other)
            for base in bases(one, known)
            for other in methods(base)
        )
    ]


def test_public_methods_are_documented() -> None:
    assert undocumented(list(classes())) == []


def test_a_method_that_overrides_none_needs_a_docstring() -> None:
    text = """
class Base:
    def known(self):
        '''Return it.'''
class Derived(Base):
    def known(self): ...
    def new(self): ...
    def _private(self): ...
"""
    found = [(Path("x.py"), node) for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    assert undocumented(found) == ["x.py:7  Derived.new has no docstring, and overrides no method that has one"]
