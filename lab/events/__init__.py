# SPDX-License-Identifier: MIT
"""Kinds of events, a folder each, found by name: an event of kind ``roam`` is what lab/events/roam says.

``file.py``: what users write and what it comes to in a plan; ``guest.py``: what the guest does; ``show.py``, which may
be left out: how ``lab show`` describes it. Of these only guest.py runs in the guest.
"""
