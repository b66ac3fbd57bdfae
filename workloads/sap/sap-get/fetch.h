/* SPDX-License-Identifier: MIT */
/*
 * One request: listens for SAP, sends the HTTP request on its own connection, and receives the file over SAP or TCP,
 * whichever the server uses.
 *
 * The connection stays open until the file is complete: closing it makes the server stop.
 */
#ifndef SAP_GET_FETCH_H
#define SAP_GET_FETCH_H

#include <poll.h>
#include <stddef.h>

#include "options.h"
#include "result.h"

struct fetch;

enum fetch_state {
	FETCH_RUNS,
	FETCH_LINGERS,	/* the result is final; still acknowledging retransmissions of the server's FIN */
	FETCH_OVER,
};

/* Starts a request. port: 0: the kernel chooses. Returns NULL if out of memory; the result has all other errors. */
struct fetch *fetch_new(const struct options *options, const char *url, const char *output, uint16_t port);

/* Does what can be done without blocking. */
enum fetch_state fetch_work(struct fetch *fetch);

/* Fills in up to size descriptors to wait for. Returns the number needed. */
size_t fetch_poll(const struct fetch *fetch, struct pollfd *descriptors, size_t size);

/* Returns the time until fetch_work() is due even without events, in nanoseconds; -1: no timeout. */
int64_t fetch_next_ns(const struct fetch *fetch);

/* Returns the result, which is final once the state is not FETCH_RUNS. */
const struct result *fetch_result(const struct fetch *fetch);

/* Closes connections and files and frees the request. */
void fetch_free(struct fetch *fetch);

#endif
