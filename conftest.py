# SPDX-License-Identifier: MIT
"""What holds for all tests."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# Whoever starts the tests in the background may have SIGINT ignored, which every program started here would inherit: a
# test that sends it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Other work on the machine must not fail a test: neither a slow example nor slow making of examples is an error.
settings.register_profile("lab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lab")
