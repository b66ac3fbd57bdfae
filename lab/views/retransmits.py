# SPDX-License-Identifier: MIT
"""Retransmits: the card shows their sum."""

from __future__ import annotations

from lab.views.base import View


class Retransmits(View):
    """The card shows the sum."""

    card = "sum"
    card_word = "total"
