# SPDX-License-Identifier: MIT
"""Compiles the lab's code with the guest's own Python: once for each version of it, not in every guest anew.

The host's Python is another version, so its bytecode is of no use here. lab.machine.guest_code boots a guest for this.
"""

from __future__ import annotations

import importlib.util
import json
import py_compile
from pathlib import Path

from lab.shared.paths import CODE, RUN


def compile_code() -> None:
    """Leave the bytecode of all code below RUN, where Python looks for it below CODE; then guest.json."""
    for source in sorted(CODE.rglob("*.py")):
        cached = Path(importlib.util.cache_from_source(str(source)))
        py_compile.compile(
            str(source),
            cfile=str(RUN / cached.relative_to(CODE)),
            doraise=True,
            # the bundle never changes, and a copy of it has other times
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    (RUN / "guest.json").write_text(json.dumps({"error": None}) + "\n")
