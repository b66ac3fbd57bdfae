# SPDX-License-Identifier: MIT
"""page-first-byte: time from the request of a page to its first byte."""

from __future__ import annotations

from lab.metrics._pages import PageTime


class PageFirstByte(PageTime):
    """Time from the request of a page to its first byte, of each load."""

    about = "time from the request of a page to its first byte"
    key = "first_byte_ns"
