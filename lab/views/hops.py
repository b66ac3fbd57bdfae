# SPDX-License-Identifier: MIT
"""Hops over time."""

from lab.views.parts.over_time import PerPeer


class Hops(PerPeer):
    """A line for each destination."""

    noun = "Hops of paths"
    verb = "to"
