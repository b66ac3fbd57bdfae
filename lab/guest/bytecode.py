# SPDX-License-Identifier: MIT
"""Compiles the lab's code with the guest's own Python: once per version, instead of in every guest.

The host's Python is another version, so its bytecode is of no use here. lab.machine.guest_code boots a guest for this.
"""

from __future__ import annotations

import importlib.util
import json
import py_compile
from pathlib import Path

from lab.shared.paths import CODE, RUN


def compile_code() -> None:
    """Write the bytecode of all code to RUN, with the paths that Python expects below CODE; then guest.json."""
    for source in sorted(CODE.rglob("*.py")):
        cached = Path(importlib.util.cache_from_source(str(source)))
        py_compile.compile(
            str(source),
            cfile=str(RUN / cached.relative_to(CODE)),
            doraise=True,
            # the bundle never changes, and copies have other time stamps
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    (RUN / "guest.json").write_text(json.dumps({"error": None}) + "\n")
