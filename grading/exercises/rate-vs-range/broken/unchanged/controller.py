"""A rate controller: for each line with four numbers that it reads, it prints the rate of the next 50 ms.

The numbers are of the 50 ms before: frames sent, attempts repeated, frames given up, and the access point's signal in
dBm. Each frame is tried about 20 times before it is given up.
"""

import sys

RATES = (6, 9, 12, 18, 24, 36, 48, 54)


def main():
    """Choose rates."""
    at = len(RATES) - 1
    for line in sys.stdin:
        sent, repeated, given_up, signal = (int(word) for word in line.split())
        print(RATES[at])


main()
