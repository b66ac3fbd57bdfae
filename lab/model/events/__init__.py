# SPDX-License-Identifier: MIT
"""Kinds of events on a timeline, one file each: the keys that users write and what they come to in a plan."""
