# SPDX-License-Identifier: MIT
"""The guest's file system and its initrd, of Debian's packages."""
