# SPDX-License-Identifier: MIT
"""Has wpa_supplicant disconnect."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.steps import Ask, Step
from lab.shared import types


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """Ask wpa_supplicant to disconnect, and to stay so."""
    yield Ask(event.target, "wpa_supplicant", "DISCONNECT")
