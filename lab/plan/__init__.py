# SPDX-License-Identifier: MIT
"""From files to a plan. ``lab.plan.types`` is what the guest shares; ``lab.plan.resolve`` makes it."""
