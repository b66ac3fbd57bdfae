# SPDX-License-Identifier: MIT
"""page-total: time until all objects of a page have come."""

from __future__ import annotations

from lab.metrics._pages import PageTime


class PageTotal(PageTime):
    """Time until all objects of a page have come, of each load."""

    about = "time until all objects of a page have come"
    key = "total_ns"
