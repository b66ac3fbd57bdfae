# SPDX-License-Identifier: MIT
"""What holds for all tests."""

from __future__ import annotations

import signal

# Whoever starts the tests in the background may have SIGINT ignored, which every program started here would inherit: a
# test that sends it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
