# SPDX-License-Identifier: MIT
"""Names of signals."""

import signal


def signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGKILL; of one without a name its number, such as "signal 40"."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
