# SPDX-License-Identifier: MIT
"""Retries: what counts is all of them together."""

from __future__ import annotations

from lab.views.base import View


class Retries(View):
    """The card shows the sum."""

    card = "sum"
    card_word = "total"


VIEW = Retries()
