"""A rate controller: for each line with four numbers that it reads, it prints the rate of the next 50 ms.

The numbers are of the 50 ms before: frames sent, attempts repeated, frames given up, and the access point's signal in
dBm. A rate is too high if it delivers less than the next one below would. The next one above is tried after a while,
which gets longer each time that this fails.
"""

import sys

RATES = (6, 9, 12, 18, 24, 36, 48, 54)
FRAMES = (22, 32, 41, 58, 73, 99, 118, 128)  # that each delivers in 50 ms if none is lost
SOONEST, LATEST = 3, 24  # lines between two trials


def main():
    """Choose rates."""
    at, patience, since, trial, settling, begun = len(RATES) - 1, SOONEST, 0, False, False, False
    for line in sys.stdin:
        sent, repeated, given_up, signal = (int(word) for word in line.split())
        delivered = sent - given_up
        begun = begun or sent + repeated > 10
        if not begun:
            pass
        elif settling:  # frames of the rate before are still among these
            settling = False
        elif at > 0 and delivered < 0.95 * FRAMES[at - 1]:
            patience = min(2 * patience, LATEST) if trial else SOONEST
            at -= 2 if at > 1 and not trial and delivered < FRAMES[at - 2] / 2 else 1
            since, trial, settling = 0, False, True
        elif trial:  # it is good: try the next one soon
            since, patience, trial = 0, SOONEST, False
        else:
            since += 1
            if since >= patience and at + 1 < len(RATES):
                at, trial = at + 1, True
        print(RATES[at])


main()
