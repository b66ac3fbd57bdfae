# SPDX-License-Identifier: MIT
"""From the file of an experiment to the experiment: everything that can be known before a trial runs."""
