/* SPDX-License-Identifier: MIT */
/*
 * One request: it listens for SAP, asks by HTTP on a connection of its own, and takes the file by whichever comes.
 *
 * The connection stays open until the file is here: to close it tells the server to stop.
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
	FETCH_LINGERS,	/* the result is there; the server may want to hear again that its FIN has come */
	FETCH_OVER,
};

/* NULL: no memory. Whatever else fails shows in the result. port: 0: the kernel chooses. */
struct fetch *fetch_new(const struct options *options, const char *url, const char *output, uint16_t port);

/* Does what can be done without waiting. */
enum fetch_state fetch_work(struct fetch *fetch);

/* Adds what to wait for, at most size of them; returns how many it wants. */
size_t fetch_poll(const struct fetch *fetch, struct pollfd *descriptors, size_t size);

/* Nanoseconds until fetch_work() is due even if nothing comes; -1: for ever. */
int64_t fetch_next_ns(const struct fetch *fetch);

/* Once it does not run any more. */
const struct result *fetch_result(const struct fetch *fetch);

void fetch_free(struct fetch *fetch);

#endif
