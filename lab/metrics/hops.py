# SPDX-License-Identifier: MIT
"""Hops: how many a path of a mesh has."""

from __future__ import annotations

from lab.metrics._peers import PeerQuantity
from lab.probes.base import Samples


class Hops(PeerQuantity):
    """Number of hops of each path, in each sample in which packets can take it."""

    about = "hops of each path of a mesh point in each sample of iw mpath dump"
    takes = (Samples("hops"),)
    unit = "hops"
    quantity = "hops"
