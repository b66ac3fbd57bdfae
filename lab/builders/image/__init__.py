# SPDX-License-Identifier: MIT
"""The guest's file system and its initrd, built from Debian's packages."""
