# SPDX-License-Identifier: MIT
"""Files of a script's guest in its run directory, by which host and guest tell each other something."""

STDERR = "stderr"  # what the script prints there, if that goes elsewhere than standard output
INTERRUPT = "interrupt"  # exists once the user has pressed Ctrl-C
