# SPDX-License-Identifier: MIT
"""make mutants: which changes of a line are worth a try, and on which tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.mutants import AREAS, HERE, Mutant, files, is_another_program, meaning, stages


def mutant_of(path: str, find: str, new: str) -> Mutant:
    """Change the first line of a file that contains something."""
    lines = (HERE / path).read_text().splitlines(keepends=True)
    number = next(number for number, line in enumerate(lines, 1) if find in line)
    return Mutant(Path(path), number, lines[number - 1], lines[number - 1].replace(find, new))


def test_a_mutant_changes_one_line() -> None:
    assert Mutant(Path("x.c"), 2, "b\n", "B\n").put("a\nb\nc\n") == "a\nB\nc\n"


def test_prose_is_no_part_of_a_program() -> None:
    assert meaning('"""Do it well."""\nx = "a b"') == meaning('"""Do it badly."""\nx = "a  c"')
    assert meaning('def f() -> int:\n  """Do it."""') == meaning("def f() -> str:\n  pass")
    assert meaning('x = "a"') != meaning('x = "b"')
    assert meaning("x = 1 +") is None
    assert meaning("break") is None


def test_what_is_the_same_program_is_not_tried() -> None:
    path = "bench/mutants.py"
    assert not is_another_program(mutant_of(path, "Draw, try, print.", "Draw, try, and print."))
    assert not is_another_program(mutant_of(path, "    return ast.dump(tree)", "    return ast.dump(tree"))
    assert is_another_program(mutant_of(path, "    return ast.dump(tree)", "    return None"))


@pytest.mark.parametrize("area", AREAS)
def test_every_file_has_tests(area: str) -> None:
    found = files(area)
    assert found or (area == "stacks" and not [*HERE.glob("workloads/*/Makefile")]), "there may be no stack at all"
    for path in found:
        first, *others = stages(Mutant(path, 1, "", ""), HERE)
        assert others
        for tests in (first, *others):
            assert all((HERE / test).exists() for test in tests), path


def test_the_mirror_folder_comes_first() -> None:
    tests = stages(Mutant(Path("lab/plan/load.py"), 1, "", ""), HERE)
    assert tests[0][0] == "tests/unit/plan"
    assert tests[1] == ["tests/unit"]


def test_wider_tests_begin_with_those_of_its_name() -> None:
    names = ("test_shell.py", "test_flagship.py", "test_network.py")
    tests = stages(Mutant(Path("lab/guest/shell.py"), 1, "", ""), HERE)
    assert tests[2] == [f"tests/system/{name}" for name in names]


def test_tests_are_not_changed() -> None:
    names = {path.name for area in AREAS for path in files(area)}
    assert "hwsim_medium_air.c" in names
    assert not {name for name in names if name.endswith("_test.c") or name.startswith("test_")}
