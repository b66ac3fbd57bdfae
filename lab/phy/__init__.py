# SPDX-License-Identifier: MIT
"""The physical layer: propagation, fading and error models, and their tables for the kernel.

NumPy comes with OpenBLAS, which nothing here uses. When imported, it starts a thread per core that waits in a busy
loop, which costs 50 ms of CPU time at every start of the lab. Hence the limit to one thread.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
