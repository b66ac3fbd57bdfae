# SPDX-License-Identifier: MIT
"""A wired host in the guest: only its links."""

from __future__ import annotations

from typing import ClassVar

from lab.guest.kinds import NodeKind


class Host(NodeKind):
    """A wired computer."""

    class_name: ClassVar[str] = "Host"
