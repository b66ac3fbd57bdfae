# SPDX-License-Identifier: MIT
"""Countries whose radio regulations the guest's kernel knows: those of the image's wireless-regdb."""

from __future__ import annotations

import re

COUNTRIES = frozenset(
    re.findall(
        "[A-Z]{2}",
        "AD AE AF AI AL AM AN AR AS AT AU AW AZ BA BB BD BE BF BG BH BL BM BN BO BR BS BT BW BY BZ CA CF CH CI CL CN "
        "CO CR CU CX CY CZ DE DK DM DO DZ EC EE EG ES ET FI FM FO FR GB GD GE GF GH GI GL GP GR GT GU GY HK HN HR HT "
        "HU ID IE IL IM IN IR IS IT JM JO JP KE KH KN KP KR KW KY KZ LB LC LI LK LS LT LU LV MA MC MD ME MF MH MK MN "
        "MO MP MQ MR MT MU MV MW MX MY NA NG NI NL NO NP NZ OM PA PE PF PG PH PK PL PM PR PT PW PY QA RE RO RS RU RW "
        "SA SE SG SI SK SM SN SR SV SX SY TC TD TG TH TN TR TT TW TZ UA UG US UY UZ VA VC VE VI VN VU WF WS YE YT ZA "
        "ZW",
    )
)
