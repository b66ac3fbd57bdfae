# SPDX-License-Identifier: MIT
"""Entry of the agent of a guest that runs a script; there, it takes the place of lab/guest/__main__.py."""

from lab.mininet_wifi.runner import run

run()
