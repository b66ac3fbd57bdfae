/* SPDX-License-Identifier: MIT */
/* The rules of nftables that lead the TCP packets of this host into the queue, and past it if nobody serves it. */
#ifndef WP2PD_RULES_H
#define WP2PD_RULES_H

#include <stdint.h>

/* Of packets that this program makes: they do not pass the queue. */
#define RULES_MARK 0x77503250u

/* Make them, instead of those that an ended program has left behind. Ends the program if it cannot. */
void rules_make(uint16_t queue);

/*
 * Begin to remove the rules, and return a descriptor that becomes readable when that is done; -1: it cannot begin. The
 * queue is to be served until then. The table and its chains stay, empty: when a chain goes, the kernel drops what waits in
 * all queues of the namespace.
 */
int rules_empty(void);

#endif
