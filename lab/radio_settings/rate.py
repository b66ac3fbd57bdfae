# SPDX-License-Identifier: MIT
"""A fixed rate of data frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.model import rates
from lab.model.cell import Cell
from lab.model.radio_setting import RadioSetting
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


class Rate(RadioSetting):
    """The name of the rate."""

    about = (
        "Fixed rate of unicast data frames, such as 54 Mbit/s, or in mode n MCS 7 (0 to 31, eight for each spatial "
        "stream; see streams). Needs a medium:. Default: rate control (minstrel_ht) decides."
    )
    type = rates.FixedRate | None
    perfect = "has no rates"

    def show(self, value: str) -> str:
        return f"at {value}"

    def complaints(self, value: str, radio: Radio, cells: list[Cell]) -> Iterator[tuple[str]]:
        """Report a rate that the radio's network does not have, or that would have no effect."""
        older = radio.without_ht or radio.dsss_only
        modes = [radio.mode] if radio.alone or older else [cell.mode for cell in cells]
        wrong = next((mode for mode in modes if value not in rates.MODES[mode]), None)
        if wrong is not None:
            whose = f"{radio.interface.partition('-')[0]} is of" if older else f"{radio.ssid} uses"
            yield (f"{whose} mode {wrong}, which has no {value}; write one of {rates.listed(wrong)}",)
            return
        needed, streams = _NUMBERS[value][2], radio.settings.get("streams", rates.DEFAULT_STREAMS)
        if needed > streams:
            yield (f"{value} has {needed} spatial streams; write streams: {needed}, as at its peers, or a lower MCS",)

    def attributes(self, value: str | None, radio: Radio, values: list[str | None]) -> dict[str, Any]:
        """Return the rate as the kernel encodes it. DSSS preambles are long."""
        if value is None:
            return {}
        phy, mcs, streams = _NUMBERS[value]
        ht = phy == _HT
        wide, short_gi = ht and radio.width_mhz == 40, ht and radio.short_gi
        return {"rate": [*MediumRate(phy, mcs, streams, int(wide), int(short_gi), short_preamble=0)]}
