# SPDX-License-Identifier: MIT
"""Keeps what was built or found out, by the content that it depends on, and reports how a build progresses."""
