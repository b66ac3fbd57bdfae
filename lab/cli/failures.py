# SPDX-License-Identifier: MIT
"""Failures for programs: what ``--json`` prints instead of results."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from lab.errors import LabError


@contextlib.contextmanager
def print_failure_json(as_json: bool) -> Iterator[None]:
    """Print a failure on standard output, too, if that is to be JSON. The message on standard error stays.

    Raises:
        LabError: the failure.
    """
    try:
        yield
    except LabError as error:
        if as_json:
            print(json.dumps(error.as_json(), indent=2, sort_keys=True))
        raise
