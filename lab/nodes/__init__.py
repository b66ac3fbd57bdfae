# SPDX-License-Identifier: MIT
"""Kinds of nodes, one folder each, found by name: lab/nodes/sta defines nodes with ``kind: sta``.

``file.py``: the keys in a file and how they are resolved into a plan. ``guest.py``: how the guest sets it up and starts
it. ``show.py`` (optional): how pictures and ``lab show`` name it. Only guest.py runs in the guest.
"""
