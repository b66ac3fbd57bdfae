# SPDX-License-Identifier: MIT
"""page-screen: time until a page and all pictures on its first screen have come."""

from __future__ import annotations

from lab.metrics._pages import PageTime


class PageScreen(PageTime):
    """Time until a page and all pictures on its first screen have come, of each load."""

    about = "time until a page and all pictures on its first screen have come"
    key = "screen_ns"
