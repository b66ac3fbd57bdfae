/* SPDX-License-Identifier: MIT */
/*
 * All transfers of a server, behind one file descriptor: whoever has an event loop watches that for input and calls
 * engine_work(). Beneath are an epoll descriptor with the sockets, and one timer for the earliest of their timeouts.
 * Knows nothing of lighttpd, so that it can be tested without.
 */
#ifndef MOD_SAP_ENGINE_H
#define MOD_SAP_ENGINE_H

#include "transfer.h"

struct engine;

/* A transfer that has ended. */
struct engine_end {
	const struct sockaddr_storage *to;
	enum transfer_state state;	/* TRANSFER_DONE, TRANSFER_FAILED */
	const char *why;		/* of TRANSFER_FAILED */
	off_t sent, length;		/* bytes */
	struct sap_stats stats;
};

struct engine_options {
	struct transfer_options transfer;
	unsigned int transfers_max;
	void (*ended)(void *context, const struct engine_end *end); /* called within engine_work(), engine_leave() */
	void *context;
};

enum engine_verdict {
	ENGINE_STARTED,
	ENGINE_FULL,	/* transfers_max run */
	ENGINE_PORT_TAKEN, /* another transfer to this address and port runs */
	ENGINE_ERROR,	/* *error is an enum sap_error; errno with SAP_ERR_SYSTEM */
};

/* NULL: errno says why. */
struct engine *engine_open(const struct engine_options *options);

int engine_fd(const struct engine *engine);

/* Does what is due. Never waits. */
void engine_work(struct engine *engine);

/*
 * Starts a transfer. job->file becomes the engine's if the verdict is ENGINE_STARTED.
 *
 * owner: whose it is, for engine_leave(); not NULL.
 *
 * A transfer to the same address and port that only waits for the acknowledgement of its FIN makes way: the client has
 * gone on.
 */
enum engine_verdict engine_start(struct engine *engine, const struct transfer_job *job, const void *owner, int *error);

/* Transfers that run. */
unsigned int engine_transfers(const struct engine *engine);
bool engine_has(const struct engine *engine, const void *owner);

/* The owner goes. Its transfers end with it, or go on without an owner. */
void engine_leave(struct engine *engine, const void *owner, bool end);

/* Ends all. */
void engine_close(struct engine *engine);

#endif
