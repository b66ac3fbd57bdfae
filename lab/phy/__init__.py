# SPDX-License-Identifier: MIT
"""Radio waves and bit errors as numbers: propagation, fading and error models, and their tables for the kernel.

NumPy brings a library for linear algebra, of which nothing here has use. It starts a thread for every core when it is
imported, which waits in a busy loop, unless it is told not to: 50 ms of a processor in every start of the lab.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
