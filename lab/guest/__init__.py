# SPDX-License-Identifier: MIT
"""What runs inside the guest: nodes, radios, links, the timeline. Standard library and Mininet only.

Starts as ``python3 -m lab.guest run|shell|compile`` from the guest's init (images/initrd/init.c), reads
/lab/run/plan.json, and writes /lab/run/guest.json and /lab/run/raw/.
"""
