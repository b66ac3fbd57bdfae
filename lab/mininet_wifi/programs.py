# SPDX-License-Identifier: MIT
"""Programs that stand before those of the image, in nodes and for the script itself.

``iw`` and ``iwconfig`` have wpa_supplicant connect a station: it would undo what is done without it. ``tcpdump``
remains root, since the script's folder lets nobody give files away.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("/run/lab-programs")
PLACE = "/usr/local/bin"  # in nodes: found before /usr/bin
FREQUENCIES = "/run/lab/frequencies"  # in a station: of all networks that it may be told to join

_IW = """#!/bin/sh
interface=$2
asked() { wpa_cli -s /run -i "$interface" "$@" >/dev/null; }
if [ "$1" = dev ] && [ -S "/run/wpa_supplicant/$interface" ]; then
    case $3 in
    disconnect)
        asked disconnect
        exit ;;
    connect)
        shift 3
        [ "$1" != -w ] || shift
        ssid=$1 mhz= bssid=any
        [ ! -e %s ] || mhz=$(cat %s)
        for word in "$2" "$3"; do
            case $word in
            *:*) bssid=$word ;;
            [0-9]*) mhz=$word ;;
            esac
        done
        if wpa_cli -s /run -i "$interface" status | grep -q ^wpa_state=COMPLETED; then
            echo 'command failed: Operation already in progress (-114)' >&2
            exit 142
        fi
        asked disconnect
        asked set_network 0 ssid "\\"$ssid\\""
        asked set_network 0 key_mgmt NONE
        asked set_network 0 bssid "$bssid"
        [ -z "$mhz" ] || asked set_network 0 scan_freq "$mhz"
        asked select_network 0
        exit ;;
    esac
fi
exec /usr/sbin/iw "$@"
"""

_IWCONFIG = """#!/bin/bash
interface=$1 key=$2 value=$3
show() {
    local one=$1 link info power level
    info=$(/usr/sbin/iw dev "$one" info) link=$(/usr/sbin/iw dev "$one" link)
    field() { sed -n "s/^[[:space:]]*$1[: ]*//p" <<<"$2" | head -1; }
    power=$(field txpower "$info") level=$(field signal "$link")
    local bssid=Not-Associated essid=off/any mhz
    mhz=$(sed -n 's/.*(\\([0-9]*\\) MHz).*/\\1/p' <<<"$info" | head -1)
    if [ "${link%%%% to*}" = Connected ]; then
        bssid=$(awk 'NR == 1 { print $3 }' <<<"$link") essid="\\"$(field SSID "$link")\\""
    fi
    echo "$one  IEEE 802.11  ESSID:$essid"
    echo "          Mode:Managed  Frequency:$(awk "BEGIN { print ${mhz:-0} / 1000 }") GHz  Access Point: $bssid"
    echo "          Tx-Power=${power%%.*} dBm"
    [ -z "$level" ] || echo "          Link Quality=$((${level%% *} + 110))/70  Signal level=${level%% *} dBm"
    echo
}
case $key in
"")
    for one in ${interface:-$(/usr/sbin/iw dev | awk '$1 == "Interface" { print $2 }')}; do show "$one"; done ;;
essid)
    if [ "$value" = off ]; then exec %s/iw dev "$interface" disconnect; fi
    %s/iw dev "$interface" disconnect
    exec %s/iw dev "$interface" connect "$value" ${5:+"$5"} ;;
txpower)
    exec /usr/sbin/iw dev "$interface" set txpower fixed "${value%%dBm}00" ;;
*)
    echo "iwconfig: $key is not known here; use iw" >&2
    exit 1 ;;
esac
"""

_TEXTS = {
    "iw": _IW % (FREQUENCIES, FREQUENCIES),
    "iwconfig": _IWCONFIG.replace("%%", "%").replace("%s", PLACE),
    "tcpdump": '#!/bin/sh\nexec /usr/bin/tcpdump -Z root "$@"\n',
}


def put() -> None:
    """Write them where ``FOLDER`` says."""
    FOLDER.mkdir(parents=True)
    for name, text in _TEXTS.items():
        (FOLDER / name).write_text(text)
        (FOLDER / name).chmod(0o755)
