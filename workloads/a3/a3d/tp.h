/* SPDX-License-Identifier: MIT */
/*
 * Transaction prediction for CIFS (SMB1, 2 and 3): once a client has read the first block of a file, the rest is asked for
 * ahead, kept in a store, and the client's later reads are answered from there. Each byte is served once.
 *
 * It stands between two byte streams, the client's and the server's, each reliable and in order. What the client gets is
 * what a server could have given to it alone. No sockets, no clock, no files, except by calls.
 *
 * At first, it watches: the bytes pass by themselves. tp_take() puts it between the two; from then on, it renumbers.
 *
 * Why nothing old is served: a file is predicted only if the client opens it to read, without an oplock, and the server
 * grants an exclusive oplock that is asked for here. Then nobody else has it open, and before somebody opens it, the server
 * says so (a break), and waits until this is agreed to, or for TP_FRESH_NS at the very least (Samba and Windows: 35 s). What
 * is kept is served only as long as no break has come, and only until TP_FRESH_NS after the last request that was answered
 * had been asked: the server had sent no break before that answer, or it would have come first.
 *
 * Not modelled: one file at a time; reads of more than 64 KiB, several messages in a frame, and files that the client opens
 * with an oplock or lease of its own pass. Who writes without making the server break an oplock (a program on the server,
 * or over NFS, with Samba's "kernel oplocks = no") is not seen, by no client of SMB.
 */
#ifndef A3D_TP_H
#define A3D_TP_H

#include "observe/observe.h"

enum {
	TP_BLOCK = 64 << 10, /* bytes of the longest read that is answered */
	TP_BLOCKS = 64, /* that are under way or kept; the store is TP_BLOCK times as long at most */
	TP_READS = 64, /* the client's, which wait for a block */
	TP_REQUESTS = 512, /* without an answer */
};

#define TP_FRESH_NS UINT64_C(5000000000)
#define TP_RECENT_NS UINT64_C(1000000000) /* under way is at most what has come in the last one to two of these, or a block */

struct tp_settings {
	bool predict;
	/* One request at the server at a time, for servers that need it. Of SMB2 and 3, until the client hears of a break. */
	bool serialise;
};

struct tp_calls {
	/* For the host that a direction leads to. */
	void (*send)(void *context, enum observe_way way, const uint8_t *bytes, size_t length);
	/* How much of it there is room for. */
	size_t (*room)(void *context, enum observe_way way);
	/* Keep bytes, and read them. False: it cannot. */
	bool (*store)(void *context, uint64_t at, const uint8_t *bytes, size_t length);
	bool (*load)(void *context, uint64_t at, uint8_t *bytes, size_t length);
	/* Whether there is room to keep bytes: they are asked for only if there is. */
	bool (*reserve)(void *context, uint64_t at, size_t length);
	/* A clock that never goes back, and runs on while the machine sleeps. */
	uint64_t (*now_ns)(void *context);
};

enum tp_state {
	TP_WATCHES,
	TP_ACTS, /* between the two streams */
	TP_LEFT, /* bytes pass as they are, for the rest of its life */
	TP_BROKEN, /* it cannot go on: to be reset */
};

enum tp_why {
	TP_NOT_LEFT,
	TP_OBSERVED, /* an observer leaves it alone */
	TP_ORDER, /* messages of SMB2 are not numbered one by one */
	TP_LOG_IN, /* another log-in: its messages may be signed, with their numbers */
	TP_FRAME, /* an answer for here shares its frame with others */
	TP_STORE, /* what was kept could be read a moment ago, and cannot now */
	TP_LIMIT, /* too many requests */
	TP_WHYS,
};

struct tp_counts {
	uint64_t predicted, answered; /* reads: asked for ahead; of the client, answered from the store */
	uint64_t fetched, served, wasted; /* bytes; wasted: fetched, but never asked for, or not to be served */
	uint64_t oplocks, breaks; /* asked for here and granted; of these, taken back */
	uint64_t stale; /* reads that were passed on since what is kept may be old */
	enum tp_why why;
	enum observe_alone alone; /* with TP_OBSERVED */
};

struct tp;

/* Its size; the caller allocates it, aligned for any type. */
size_t tp_size(void);

/* Begin with a connection of which no byte has been seen. */
void tp_begin(struct tp *tp, const struct tp_settings *settings, const struct tp_calls *calls, void *context);

/*
 * The next bytes of a direction. Returns how many were taken; the rest has to be offered again after bytes of the other
 * direction were taken, or after tp_continue(). While it watches, nothing is sent.
 */
size_t tp_bytes(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length);

/* There is more room. */
void tp_continue(struct tp *tp);

/*
 * A direction has ended, and its last byte was taken. True: nothing more will be sent there. False: something is held back;
 * to be said again later.
 */
bool tp_ended(struct tp *tp, enum observe_way way);

/* Whether it could change something, if it stood between the streams. */
bool tp_is_ready(const struct tp *tp);

/* Whether it would change the next bytes of a client, so that it is to stand between the streams before these. */
bool tp_wants(const struct tp *tp, const uint8_t *bytes, size_t length);

/* Stand between the streams, of which no byte is on its way. False: not now, since a message has come in part. */
bool tp_take(struct tp *tp);

enum tp_state tp_state(const struct tp *tp);
const struct tp_counts *tp_counts(const struct tp *tp);
const char *tp_why_name(enum tp_why why);

#endif
