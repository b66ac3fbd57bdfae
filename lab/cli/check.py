# SPDX-License-Identifier: MIT
"""``lab check``: find out what type of file it is, and check it."""

from __future__ import annotations

from pathlib import Path

from lab import library, registry
from lab.model.include import read
from lab.plan.load import check_document

_OF_EXPERIMENTS = ("grid", "workload", "topology", "repetitions", "claims")  # keys that only experiments have


def check(path: Path) -> str:
    """Check one file on its own and return its type: topology, workload or experiment.

    Raises:
        InputError, InputErrors: If the file is not valid.
    """
    document = read(path if path.exists() else library.of_any_type(str(path)))
    if isinstance(document.data, dict) and any(key in document.data for key in _OF_EXPERIMENTS):
        from lab.experiments.file import resolve
        from lab.experiments.variations import uncertain

        uncertain.check(resolve.check(document))
        return "experiment"
    with registry.settled():  # or it is looked up anew for each node and event
        return check_document(document)
