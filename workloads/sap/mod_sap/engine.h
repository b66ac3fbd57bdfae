/* SPDX-License-Identifier: MIT */
/*
 * Runs all transfers of a server behind one file descriptor. The event loop watches it for input and calls
 * engine_work(). The descriptor is an epoll instance with the sockets and a timer for the earliest timeout. The engine
 * does not depend on lighttpd, so it can be tested without it.
 */
#ifndef MOD_SAP_ENGINE_H
#define MOD_SAP_ENGINE_H

#include "transfer.h"

struct engine;

/* Describes a transfer that has ended. */
struct engine_end {
	const struct sockaddr_storage *to;
	enum transfer_state state;	/* TRANSFER_DONE or TRANSFER_FAILED */
	const char *why;		/* reason of TRANSFER_FAILED, else NULL */
	off_t sent, length;		/* bytes */
	struct sap_stats stats;
};

struct engine_options {
	struct transfer_options transfer;
	unsigned int transfers_max;
	unsigned int transfers_per_address_max; /* to one address, at any ports */
	int64_t stall_ns;		/* end a transfer that makes no progress (transfer_progress()) for this long */
	void (*ended)(void *context, const struct engine_end *end); /* called by engine functions; may be NULL */
	void *context;
};

enum engine_verdict {
	ENGINE_STARTED,
	ENGINE_FULL,	/* transfers_max are running */
	ENGINE_ADDRESS_FULL, /* transfers_per_address_max are running to this address */
	ENGINE_PORT_TAKEN, /* another transfer to this address and port is running */
	ENGINE_ERROR,	/* *error is an enum sap_error; with SAP_ERR_SYSTEM see errno */
};

/* Creates an engine. Returns NULL and sets errno on error. */
struct engine *engine_open(const struct engine_options *options);

/* Returns the descriptor to watch for input. */
int engine_fd(const struct engine *engine);

/* Does what is due. Never blocks. */
void engine_work(struct engine *engine);

/*
 * Starts a transfer. On ENGINE_STARTED the engine takes over job->file.
 *
 * If a transfer to the same address and port is only waiting for the acknowledgement of its FIN, it is ended first: the
 * client has moved on.
 *
 * owner: identifies the owner for engine_leave(); not NULL.
 * *error: set to 0, or to the reason of ENGINE_ERROR.
 */
enum engine_verdict engine_start(struct engine *engine, const struct transfer_job *job, const void *owner, int *error);

/* Returns the number of running transfers. */
unsigned int engine_transfers(const struct engine *engine);
/* Whether the owner has a running transfer. */
bool engine_has(const struct engine *engine, const void *owner);

/* The owner is gone. Its transfers end, or continue without an owner. */
void engine_leave(struct engine *engine, const void *owner, bool end_transfers);

/* Ends all transfers and frees the engine. */
void engine_close(struct engine *engine);

#endif
