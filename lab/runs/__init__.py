# SPDX-License-Identifier: MIT
"""From a plan to a finished run directory: boot, watch, record; one run, or many in parallel.

DIR/plan.json      the plan
DIR/raw/           output of tools and daemons, captures
DIR/collected/     files out of nodes, if the plan collects any
DIR/guest.json     what happened, in virtual time
DIR/record.json    the record (lab.record)
DIR/wall.json      wall-clock times; only they and console.log may differ between two equal runs
DIR/console.log    the guest's kernel log
"""

from lab.machine.machine import Machine, ensure_machine, prepare, with_images, with_stacks
from lab.machine.run_directory import new_directory
from lab.runs.run import boot, booted, recorded, run_plan
from lab.runs.start import machine_for, started

__all__ = [
    "Machine",
    "boot",
    "booted",
    "ensure_machine",
    "machine_for",
    "new_directory",
    "prepare",
    "recorded",
    "run_plan",
    "started",
    "with_images",
    "with_stacks",
]
