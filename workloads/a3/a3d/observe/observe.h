/* SPDX-License-Identifier: MIT */
/*
 * Observers of application protocols: the bytes of both directions of one connection go in, in order; messages come out.
 * No sockets, no files, no clock, no memory of their own.
 *
 * What an observer says depends on the bytes and on the order of the directions only, never on how the bytes are cut into
 * pieces. Its messages lie end to end: each starts where the one before has ended.
 *
 * An observer never guesses. What is encrypted or signed, what it does not understand and what servers understand in
 * different ways ends the observation: the connection is left alone, and nothing more is said of it.
 */
#ifndef A3D_OBSERVE_H
#define A3D_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum observe_protocol {
	OBSERVE_SMTP,
	OBSERVE_SMB,
	OBSERVE_HTTP,
	OBSERVE_PROTOCOLS,
};

enum observe_way {
	OBSERVE_TO_SERVER,
	OBSERVE_TO_CLIENT,
	OBSERVE_WAYS,
};

/*
 * The message types of the paper's figure 1, as workloads/a3/place.md reads them. Opening a connection is HTTP-1 and
 * HTTP-2: no bytes, so no observer says them.
 */
enum observe_label {
	OBSERVE_OTHER, /* figure 1 has no such message */

	OBSERVE_SMTP_1, /* greeting */
	OBSERVE_SMTP_2, /* EHLO or HELO */
	OBSERVE_SMTP_3, /* its answer */
	OBSERVE_SMTP_4, /* MAIL */
	OBSERVE_SMTP_5,
	OBSERVE_SMTP_6, /* RCPT */
	OBSERVE_SMTP_7,
	OBSERVE_SMTP_8, /* DATA, and its answer, which has no label of its own */
	OBSERVE_SMTP_9, /* a mail's text: all of it, SMTP-10 as well */
	OBSERVE_SMTP_11, /* end of the text */
	OBSERVE_SMTP_12, /* its answer */
	OBSERVE_SMTP_13, /* QUIT */
	OBSERVE_SMTP_14,

	OBSERVE_CIFS_1, /* negotiate */
	OBSERVE_CIFS_2,
	OBSERVE_CIFS_3, /* session set-up; each of its rounds */
	OBSERVE_CIFS_4,
	OBSERVE_CIFS_5, /* tree connect */
	OBSERVE_CIFS_6,
	OBSERVE_CIFS_7, /* open */
	OBSERVE_CIFS_8,
	OBSERVE_CIFS_9, /* query of a file's size */
	OBSERVE_CIFS_10,
	OBSERVE_CIFS_11, /* request of a block */
	OBSERVE_CIFS_12, /* the block */

	OBSERVE_HTTP_3, /* request of a page */
	OBSERVE_HTTP_4,
	OBSERVE_HTTP_5, /* request of an object */
	OBSERVE_HTTP_6,

	OBSERVE_LABELS,
};

enum observe_kind {
	OBSERVE_BEGIN, /* it is known what kind of message this is; more of it may have to come */
	OBSERVE_END, /* its last byte has come. Each message has one BEGIN and, unless the connection ends, one END */
	OBSERVE_ALONE, /* the connection is left alone from now on */
};

enum observe_alone {
	OBSERVE_NOT_ALONE,
	OBSERVE_ENCRYPTED, /* STARTTLS was accepted, or a message is encrypted */
	OBSERVE_SIGNED,
	OBSERVE_MALFORMED, /* not what the protocol allows */
	OBSERVE_AMBIGUOUS, /* servers differ in what they make of it */
	OBSERVE_EARLY, /* one side went on without the answer that decides what comes next */
	OBSERVE_UNKNOWN, /* an extension that the observer does not know */
	OBSERVE_LIMIT, /* longer, or more at a time, than the observer keeps */
	OBSERVE_ALONES,
};

enum observe_smb_break {
	OBSERVE_NO_BREAK,
	OBSERVE_BREAK, /* the server takes back what it granted, or the client agrees: oplock is what is left */
	OBSERVE_LEASE_BREAK, /* the same of a lease: lease_state is what is left */
};

/* A message of SMB. Numbers that the message does not have are 0. */
struct observe_smb_message {
	uint8_t version; /* 1 or 2, which is SMB3 as well; 0: a frame of NetBIOS without a message */
	uint16_t command;
	bool answer;
	bool interim; /* of SMB2: the request takes long, and another answer follows */
	bool related; /* of SMB2: goes on with the file of the message before in the same frame */
	uint32_t status; /* of an answer; of SMB1, if not in NT's form, any number but 0 */
	uint64_t message; /* its ID; of SMB1: process << 16 | multiplex */
	uint64_t session;
	uint32_t tree;
	uint16_t credit_charge, credits; /* of SMB2; credits: asked for, or granted */
	uint8_t file[16]; /* ID of an open file; of SMB1, the first two bytes of it */
	bool has_file; /* an answer has none, except to an open */
	uint64_t offset; /* read, write */
	uint32_t length; /* bytes to read, that were read, or to write, or that were written */
	uint32_t data; /* read answer, write request: from the message's start, without the frame's four bytes, to the data */
	uint64_t size; /* of a file, from an answer to an open or a query */
	bool has_size;
	uint8_t oplock; /* answer to an open, break: 0x01 (level 2), 0x08, 0x09; 0xff: a lease. SMB1: 1, 2, 3 (level 2) */
	uint32_t lease_state; /* bits 1 (read), 2 (handle), 4 (write) */
	uint8_t lease[16]; /* its key */
	enum observe_smb_break breaks;
};

/* bytes of a request's target that are kept */
#define OBSERVE_HTTP_TARGET 1024

struct observe_http_message {
	const char *method; /* of a request, else NULL */
	const char *target; /* of a request; not ended by a 0. NULL: it is longer than what is kept */
	size_t target_length;
	uint16_t status; /* of an answer; below 200, another answer follows. Else 0 */
	bool has_length;
	uint64_t length; /* of the body, if Content-Length says it; to a HEAD, no body follows */
};

/* of a message whose end is not known yet */
#define OBSERVE_NO_END UINT64_MAX

struct observe_event {
	enum observe_kind kind;
	enum observe_way way;
	enum observe_label label;
	enum observe_alone alone; /* of OBSERVE_ALONE: why */
	/*
	 * Bytes of this direction before the message, and up to its end, counted from the first byte of the connection. In
	 * OBSERVE_BEGIN, end may be OBSERVE_NO_END. OBSERVE_ALONE: start is that of the message that was not understood.
	 */
	uint64_t start, end;
	/*
	 * A request and its answer have the same number, counted from 1 in each connection; 0: an answer that nobody asked
	 * for, such as a greeting.
	 */
	uint32_t exchange;
	union {
		struct {
			uint16_t code; /* of an answer: 250; else 0 */
			const uint8_t *path; /* of MAIL and RCPT, without angle brackets. NULL: none, or a longer one */
			size_t path_length;
		} smtp;
		struct observe_smb_message smb;
		struct observe_http_message http;
	};
};

typedef void (*observe_handler)(void *context, const struct observe_event *event);

struct observe;

/* The size of an observer, which the caller allocates, aligned for any type. */
size_t observe_size(enum observe_protocol protocol);

/* Make an observer of a connection of which no byte has been seen. Each event is said by a call of the handler. */
void observe_begin(struct observe *observe, enum observe_protocol protocol, observe_handler handler, void *context);

/*
 * Observe the next bytes of one direction. False: the connection is left alone, now or already. The handler may keep
 * nothing of an event but copies.
 */
bool observe_bytes(struct observe *observe, enum observe_way way, const uint8_t *bytes, size_t length);

/* One direction has ended (FIN): no bytes of it will come. Saying it again changes nothing. */
bool observe_ended(struct observe *observe, enum observe_way way);

/* Whether the paper's RAR protects messages with this label (IV.B), if they fit into one segment. */
bool observe_thin(enum observe_label label);

/* "SMTP-1", "other"; "signed". */
const char *observe_label_name(enum observe_label label);
const char *observe_alone_name(enum observe_alone alone);

#endif
