# SPDX-License-Identifier: MIT
"""From files to a plan. ``lab.shared.types`` is what the guest shares; ``lab.plan.resolve`` makes it."""
