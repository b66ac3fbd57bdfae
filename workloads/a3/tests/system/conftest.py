# SPDX-License-Identifier: MIT
"""Boot the guest as the lab's own tests do."""

from tests.system.conftest import boot as boot
from tests.system.conftest import boot_own as boot_own
from tests.system.conftest import machine as machine
from tests.system.conftest import plan_of as plan_of
