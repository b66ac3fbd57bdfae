# SPDX-License-Identifier: MIT
"""Shared parts of the lab's tests of probes and plans."""

from tests.unit.plan.conftest import plans as plans
from tests.unit.probes.conftest import typed as typed
