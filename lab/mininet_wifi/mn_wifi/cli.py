# SPDX-License-Identifier: MIT
"""The prompt."""

from lab.mininet_wifi.cli import CLI, CLI_wifi

__all__ = ["CLI", "CLI_wifi"]
