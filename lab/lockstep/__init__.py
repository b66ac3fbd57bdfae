# SPDX-License-Identifier: MIT
"""A lab that a program drives, in lock-step: while the program decides what comes next, virtual time stands still.

    with Lab("two-aps-handoff") as net:
        net.at("2 s", roam("sta1", "ap2"))
        net.wait_for(associated("sta1", "ap2"), timeout_s=5)
        net["sta1"].run(["ping", "-c", "3", "h1"]).check()

docs/testing.md describes it for users; ``from lab import Lab`` finds all that is for them.
"""
