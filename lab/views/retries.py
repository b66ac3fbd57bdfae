# SPDX-License-Identifier: MIT
"""Retries: the card shows their sum."""

from __future__ import annotations

from lab.views.base import View


class Retries(View):
    """The card shows the sum."""

    card = "sum"
    card_word = "total"
