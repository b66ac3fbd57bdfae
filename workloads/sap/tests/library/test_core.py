# SPDX-License-Identifier: MIT
"""The protocol core, by the tests in C next to this file, under sanitizers and valgrind."""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.sap.tests.library import native

FILES = ("pieces.c", "conversations.c", "sending.c", "attacks.c", "options.c")
# valgrind is thirty times slower: not what only repeats the same paths thousands of times
LONG = {
    "flood_of_pings",
    "forged_by_guessing",
    "noise",
    *(n for n in native.tests_in(*FILES) if n.startswith("every_")),
}


@pytest.mark.parametrize("name", native.tests_in(*FILES))
def test_core(unit: Path, name: str) -> None:
    native.run([str(unit), name])


def test_tables_name_all_functions(unit: Path) -> None:
    assert native.run([str(unit)]).split() == native.tests_in(*FILES)


def test_core_in_valgrind(plain_unit: Path) -> None:
    """It also finds reads of memory that was never written: the pairs' memory is not cleared, as the header allows."""
    native.run([*native.valgrind(), str(plain_unit), *(n for n in native.tests_in(*FILES) if n not in LONG)])


def test_the_sanitizers_see(tmp_path: Path) -> None:
    """The detector fires: a core that is given less memory than it asked for is caught."""
    source = tmp_path / "short.c"
    source.write_text(
        '#include <stdlib.h>\n#include "sap_core.h"\n'
        "int main(void)\n{\n\tstruct sap_core_config config;\n\tsap_core_config_init(&config);\n"
        "\tsap_core_init(malloc(100), sap_core_bytes(&config), &config, 0);\n\treturn 0;\n}\n"
    )
    short = native.program(tmp_path / "short", [source, *native.core_sources()], native.SANITIZED)
    with pytest.raises(AssertionError, match="ERROR: AddressSanitizer"):
        native.run([str(short)])
