# SPDX-License-Identifier: MIT
"""``lab check``: what a file is, and whether it is right."""

from __future__ import annotations

from pathlib import Path

from lab.model.document import read
from lab.plan.load import check_document

_OF_EXPERIMENTS = ("grid", "workload", "topology", "repetitions", "claims")  # keys that only they have


def check(path: Path) -> str:
    """Judge one file by itself; returns what it is: topology, workload or experiment.

    Raises:
        InputError, InputErrors: what is wrong with it.
    """
    document = read(path)
    if isinstance(document.data, dict) and any(key in document.data for key in _OF_EXPERIMENTS):
        from lab.experiments.file import resolve

        resolve.check(document)
        return "experiment"
    return check_document(document)
