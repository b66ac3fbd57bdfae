# SPDX-License-Identifier: MIT
"""Names of signals."""

from lab.shared.signals import signal_name


def test_each_signal_has_a_name() -> None:
    assert signal_name(9) == "SIGKILL"
    assert signal_name(40) == "signal 40"  # a real-time signal
