# SPDX-License-Identifier: MIT
"""What host and guest share: the plan, random files and streams, paths in the guest. Standard library only.

The guest imports this room and lab.guest, and nothing else of the lab.
"""
