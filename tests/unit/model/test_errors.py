# SPDX-License-Identifier: MIT
"""How errors look, and that nothing heavy is imported before it is needed."""

import subprocess
import sys

import pytest

from lab.errors import InputError, InputErrors, LabError, raise_all, suggestion


def test_a_message_has_place_and_hint() -> None:
    assert str(LabError("is wrong", where="x.yaml:3", hint="write it")) == "x.yaml:3  is wrong\n  write it"
    assert str(LabError("is wrong")) == "is wrong"


def test_several_errors_are_one_message() -> None:
    errors = [InputError("a", where="x:1"), InputError("b", where="x:2")]
    with pytest.raises(InputErrors) as failure:
        raise_all(errors)
    assert str(failure.value) == "x:1  a\nx:2  b"
    assert failure.value.errors == errors
    with pytest.raises(InputError) as single:
        raise_all(errors[:1])
    assert single.value is errors[0]
    raise_all([])


@pytest.mark.parametrize(
    ("word", "hint"),
    [("chanel", " (did you mean channel?)"), ("CHANNEL", " (did you mean channel?)"), ("channel", ""), ("zzz", "")],
)
def test_near_words(word: str, hint: str) -> None:
    assert suggestion(word, ["mode", "channel"]) == hint


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_packages_import_nothing_heavy() -> None:
    loaded = loaded_by("import lab, lab.plan, lab.model, lab.errors, lab.units")
    assert not loaded & {"pydantic", "pydantic_core", "ruamel", "rich", "numpy", "matplotlib", "jinja2"}


def test_what_the_guest_imports_is_standard_library_only() -> None:
    loaded = loaded_by("import lab.shared.types, lab.shared.random_files, lab.shared.streams")
    outside = {name for name in loaded if not name.startswith("_") and name not in sys.stdlib_module_names}
    assert outside <= {"lab"} | loaded_by("pass")


def test_equal_mistakes_are_counted_and_there_is_an_end() -> None:
    equal = [InputError("a", where=f"x:{line}") for line in range(10_000)]
    assert str(InputErrors(equal)).splitlines() == [f"x:{n}  a" for n in range(5)] + [
        "  … 9995 more mistakes like this one"
    ]
    assert str(InputErrors(equal[:5])).count("\n") == 4
    different = [InputError(f"a{line}", where=f"x:{line}") for line in range(1000)]
    lines = str(InputErrors(different)).splitlines()
    assert (len(lines), lines[-1]) == (101, "… 900 more mistakes of other kinds")
    assert len(InputErrors(equal).errors) == 10_000
