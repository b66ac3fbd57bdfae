# SPDX-License-Identifier: MIT
"""Retries: the card shows their sum."""

from lab.views.retransmits import Retransmits


class Retries(Retransmits):
    """The card shows the sum."""
