"""A rate controller that goes by the signal alone."""

import sys

NEEDS = ((-70, 54), (-71, 48), (-76, 36), (-79, 24), (-83, 18), (-85, 12), (-87, 9))  # dBm, Mbit/s


def main():
    """Choose rates."""
    for line in sys.stdin:
        signal = int(line.split()[3])
        print(next((rate for least, rate in NEEDS if signal >= least), 6))


main()
