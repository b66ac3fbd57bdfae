/* SPDX-License-Identifier: MIT */
/* What observers of all protocols share. Not for their users. */
#ifndef A3D_OBSERVER_H
#define A3D_OBSERVER_H

#include "observe.h"

/* The first member of each observer. */
struct observe {
	const struct observer *observer;
	observe_handler handler;
	void *context;
	bool alone;
	bool ended[OBSERVE_WAYS];
	uint64_t at[OBSERVE_WAYS]; /* bytes taken */
	uint64_t start[OBSERVE_WAYS]; /* of the message under way */
};

struct observer {
	size_t size;
	/* Set up what is not 0. NULL: nothing. */
	void (*begin)(struct observe *observe);
	/* Take at least one byte, unless the connection is left alone. Returns how many; at[] does not count them yet. */
	size_t (*take)(struct observe *observe, enum observe_way way, const uint8_t *bytes, size_t length);
	/* A direction has ended. NULL: it does not matter. */
	void (*ended)(struct observe *observe, enum observe_way way);
};

extern const struct observer observe_smtp, observe_smb, observe_http;

/* Say an event of one direction, of which the caller has filled label, exchange and the protocol's own. */
void observe_say(struct observe *observe, enum observe_way way, enum observe_kind kind, uint64_t end,
		 struct observe_event *event);

/* Say a message that is there as a whole, and start the next one behind it. */
void observe_say_whole(struct observe *observe, enum observe_way way, uint64_t end, struct observe_event *event);

/* Leave the connection alone, if it is not already. */
void observe_leave(struct observe *observe, enum observe_way way, enum observe_alone why);

#endif
