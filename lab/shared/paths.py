# SPDX-License-Identifier: MIT
"""Where things are in the guest (images/initrd/init.c mounts them)."""

from pathlib import Path

CODE = Path("/lab/code")  # hostfs: this code, read-only
RUN = Path("/lab/run")  # hostfs: the run directory
RAW = RUN / "raw"  # hostfs: raw output of processes and probes
COLLECTED = RUN / "collected"  # hostfs: files out of nodes, below the name of the node
DAEMON_LOGS = RAW / "daemon"
PROMPT = RUN / "prompt"  # exists once a shell has shown its prompt
INTERRUPTED = RUN / "interrupted"  # exists if Ctrl-C ended a shell before that
EXCHANGED = RUN / "exchanged"  # hostfs: files on their way between a program that drives the lab and nodes
LOCKSTEP_LOGS = RAW / "lockstep"  # output of what that program runs in nodes
# of the medium, until the host has split it by channels (lab.captures); a probe `as: air` leaves air.pcap
AIR_CAPTURE = RAW / "air.unsplit"
BASE = Path("/lab/base")  # the image, read-only
STACK = Path("/lab/stack")  # the code of the plan's stack, read-only
IMAGES = Path("/lab/images")  # a folder for each image of nodes, read-only
NODES = Path("/lab/nodes")  # tmpfs: an overlay for each node
ENTER = "/lab/bin/enter"
CONTAINER = "/lab/bin/container"
FOLLOW = "/lab/bin/follow"
CGROUPS = Path("/sys/fs/cgroup")

PROGRAMS = Path("/lab/programs")  # tmpfs: programs that probes bring

EMPTY = BASE / "mnt"  # a folder of the image without anything
# Of files in RAW, as commands of probes name them: they get descriptors (lab.guest.processes). In a node it is empty.
RAW_IN_NODE = "/lab/raw"
PROGRAMS_IN_NODE = "/run/lab/programs"
CODE_IN_NODE = "/run/lab/code"  # CODE, for programs of probes
