# SPDX-License-Identifier: MIT
"""Earlier names of metrics in settings: ``--set metrics.total-time.unit=ms`` of a metric now called completion-time."""

from __future__ import annotations

from typing import Any

from lab.metrics import base as kinds


def current_path(data: Any, path: list[str], where: str) -> list[str]:
    """Return the path of a setting in a file, with the name that its metric has in that file; hint at an old name.

    Args:
        data: content of the file.
        path: words of the setting's key.
        where: the setting, for the hint.
    """
    written = data.get("metrics") if isinstance(data, dict) else None
    if path[0] != "metrics" or len(path) < 2 or not isinstance(written, dict) or path[1] in written:
        return path
    of_name = {str(name): _kind(str(name), entry) for name, entry in written.items()}
    found = kinds.renamed(path[1], of_name, where)
    return [path[0], found, *path[2:]] if found is not None else path


def _kind(name: str, entry: Any) -> str:
    """Return the kind of a metric as its file has it."""
    return str(entry.get("kind", name)) if isinstance(entry, dict) else name
