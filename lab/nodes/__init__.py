# SPDX-License-Identifier: MIT
"""Kinds of nodes, a folder each, found by name: a node with ``kind: sta`` is what lab/nodes/sta says.

``file.py``: what users write and what it comes to in a plan; ``guest.py``: how the guest sets it up and starts it;
``show.py``, which may be left out: what pictures and ``lab show`` call it. Of these only guest.py runs in the guest.
"""
