# SPDX-License-Identifier: MIT
"""Netlink: messages as bytes, and generic families of the kernel's."""
