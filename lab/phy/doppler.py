# SPDX-License-Identifier: MIT
"""How long the level of a link holds indoors, where neither end moves but people do.

IEEE 802.11-03/940r4 (TGn Channel Models), 4.7: measurements indoors are matched by surroundings that move at 1.2 km/h.
Coherence time for the Doppler spread f: 9/(16 pi f) (T. S. Rappaport, Wireless Communications, 2nd ed., 5.4.3), during
which the level is correlated by more than one half.
"""

from __future__ import annotations

from math import pi

import numpy as np
import numpy.typing as npt

SURROUNDINGS_MPS = 1.2 / 3.6
_LIGHT_MPS = 299_792_458.0


def coherence_us(frequency_mhz: npt.ArrayLike, speed_mps: float = SURROUNDINGS_MPS) -> npt.NDArray[np.int64]:
    """Return the coherence time in whole µs, in the shape of ``frequency_mhz``."""
    spread_hz = speed_mps * np.asarray(frequency_mhz, dtype=float) * 1e6 / _LIGHT_MPS
    return np.rint(9e6 / (16 * pi * spread_hz)).astype(np.int64)
