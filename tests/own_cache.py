# SPDX-License-Identifier: MIT
"""A cache of the test's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock


@contextmanager
def own_cache(directory: Path) -> Iterator[None]:
    """Keep the lab's cache below ``directory``, as XDG_CACHE_HOME does for users."""
    with mock.patch.dict(os.environ, XDG_CACHE_HOME=str(directory)):
        yield
