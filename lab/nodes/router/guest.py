# SPDX-License-Identifier: MIT
"""A router in the guest: the kernel forwards, by the routes of its addressing."""

from __future__ import annotations

from typing import ClassVar

from lab.guest.kinds import NodeKind


class Router(NodeKind):
    """A computer that forwards packets."""

    class_name: ClassVar[str] = "Router"
