# SPDX-License-Identifier: MIT
"""What the lab says of a mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

import pytest

from lab.errors import InputError

P = ParamSpec("P")


def refused(call: Callable[P, object], *given: P.args, **named: P.kwargs) -> str:
    """Return the whole message with which a call refuses what it is given."""
    with pytest.raises(InputError) as failure:
        call(*given, **named)
    return str(failure.value)
