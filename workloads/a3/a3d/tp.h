/* SPDX-License-Identifier: MIT */
/*
 * Transaction prediction for CIFS (SMB1, 2 and 3): once a client has read the first block of a file, the rest is asked for
 * ahead, kept in a store, and the client's later reads are answered from there. Each byte is served once.
 *
 * It stands between two byte streams, the client's and the server's, each reliable and in order. What the client gets is
 * what a server could have given to it alone. No sockets, no clock, no files, except by calls.
 *
 * At first, it watches: the bytes pass by themselves. tp_take() puts it between the two; from then on, it renumbers.
 * Nothing is predicted unless no other client can change the file without a break that comes here first: an oplock or a
 * lease (read) of the client, or an oplock that is asked for here, of which the client hears nothing.
 *
 * Not modelled: several messages in a frame are passed, never answered from here; reads of more than 64 KiB as well.
 */
#ifndef A3D_TP_H
#define A3D_TP_H

#include "observe/observe.h"

enum {
	TP_BLOCK = 64 << 10, /* bytes of the longest read that is answered */
	TP_BLOCKS = 256, /* that are under way or kept; the store is TP_BLOCK times as long at most */
	TP_HANDLES = 64, /* open files */
	TP_READS = 64, /* the client's, which wait for a block */
	TP_REQUESTS = 512, /* without an answer */
	TP_ROOM = TP_BLOCK + 4096, /* for one direction: so much may be sent at a time */
};

struct tp_settings {
	bool predict;
	bool serialise; /* one request at the server at a time, for servers that need it */
	bool unguarded; /* predict without an oplock as well: what is served may be as old as it was kept */
	uint64_t quota; /* bytes in the store */
	/*
	 * Bytes that may be under way. A server that waits for a break to be acknowledged waits for all that it has sent
	 * before: Samba, of SMB3, ends the connection if that takes longer than a second or two.
	 */
	uint64_t ahead;
};

struct tp_calls {
	/* For the host that a direction leads to. */
	void (*send)(void *context, enum observe_way way, const uint8_t *bytes, size_t length);
	/* How much of it there is room for. */
	size_t (*room)(void *context, enum observe_way way);
	/* Keep bytes, and read them. False: it cannot. */
	bool (*store)(void *context, uint64_t at, const uint8_t *bytes, size_t length);
	bool (*load)(void *context, uint64_t at, uint8_t *bytes, size_t length);
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
	TP_FRAME, /* an answer for here shares its frame with others, or is longer than what was asked for */
	TP_CREDITS, /* the server has granted too few */
	TP_STORE, /* what was kept cannot be read */
	TP_EARLY, /* a break of a file that is not open yet */
	TP_LIMIT, /* too many requests */
	TP_WHYS,
};

struct tp_counts {
	uint64_t predicted, answered; /* reads: asked for ahead; of the client, answered from the store */
	uint64_t fetched, served, wasted; /* bytes; wasted: fetched, but never asked for, or not to be served */
	uint64_t oplocks, breaks; /* asked for here and granted; taken back, of files with blocks or with such an oplock */
	uint64_t emptied; /* files whose blocks were dropped since they may be old */
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

/* A direction has ended, and its last byte was taken. False: something of it is held back; to be said again later. */
bool tp_ended(struct tp *tp, enum observe_way way);

/* Whether it would change something, if it stood between the streams. */
bool tp_wants(const struct tp *tp);

/* Stand between the streams, of which no byte is on its way. False: not now, since a message has come in part. */
bool tp_take(struct tp *tp);

enum tp_state tp_state(const struct tp *tp);
const struct tp_counts *tp_counts(const struct tp *tp);
const char *tp_why_name(enum tp_why why);

#endif
