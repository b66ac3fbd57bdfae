# SPDX-License-Identifier: MIT
"""A radio's fixed rate as the kernel encodes it."""

from __future__ import annotations

from lab.model import rates
from lab.shared.medium_types import MediumRate
from lab.shared.types import Radio

_DSSS, _OFDM, _HT = range(3)  # enum hwsim_medium_phy

# by name: class, index per stream, number of streams
_NUMBERS = {
    **{name: (_DSSS, index, 1) for index, name in enumerate(rates.DSSS)},
    **{name: (_OFDM, index, 1) for index, name in enumerate(rates.OFDM)},
    **{
        name: (_HT, index % rates.MCS_PER_STREAM, index // rates.MCS_PER_STREAM + 1)
        for index, name in enumerate(rates.HT)
    },
}


def medium_rate(radio: Radio) -> MediumRate | None:
    """Return the rate of the radio's data frames, or None if rate control decides. DSSS preambles are long."""
    if radio.rate is None:
        return None
    phy, mcs, streams = _NUMBERS[radio.rate]
    ht = phy == _HT
    return MediumRate(phy, mcs, streams, int(ht and radio.width_mhz == 40), int(ht and radio.short_gi), 0)
