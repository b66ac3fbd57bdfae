# SPDX-License-Identifier: MIT
"""Kinds of events, one folder each, found by name: lab/events/roam defines the event ``roam``.

``file.py``: the keys in a file and how they are resolved into a plan. ``guest.py``: what the guest does. ``show.py``
(optional): how ``lab show`` describes it. Only guest.py runs in the guest.
"""
