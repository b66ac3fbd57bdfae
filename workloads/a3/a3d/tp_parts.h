/* SPDX-License-Identifier: MIT */
/* What the parts of TP share. Not for its users. */
#ifndef A3D_TP_PARTS_H
#define A3D_TP_PARTS_H

#include "observe/smb.h"
#include "tp.h"

enum {
	TP_PREFIX = 4, /* of a frame */
	TP_HEAD = TP_PREFIX + SMB_HEAD,
	TP_ASKED = 160, /* bytes of a read that are kept, from its frame on */
	TP_ANSWERED = 112, /* of an answer to one, up to its data */
	TP_NOBODY = UINT16_MAX, /* no handle */
	TP_IN_FLIGHT = SMB_OUTSTANDING - 8, /* what an observer remembers, and a few */
};

/* What a request does to what is kept. */
enum tp_kind {
	TP_HARMLESS,
	TP_READ,
	TP_OPEN,
	TP_CLOSE,
	TP_CANCEL,
	TP_CHANGES, /* or may do so: nothing is kept any more */
};

/* A message of one direction. */
struct tp_message {
	uint8_t head[TP_HEAD]; /* from its frame on, if it is the first one there */
	size_t kept;
	struct observe_event event;
	bool said; /* it is known what it is */
	bool decided; /* and where its bytes go */
	bool first; /* in its frame */
	bool alone; /* in its frame */
};

/* An open file. */
struct tp_handle {
	bool used;
	bool open; /* the answer has come */
	bool closing;
	bool guarded;
	bool begun; /* the first read has passed */
	bool stopped; /* nothing more is predicted */
	bool ends; /* the server said where, by a short block */
	bool told; /* of a break */
	bool agree; /* to it: has to be said to the server */
	uint8_t own; /* oplock that was asked for here, and granted; 0: none */
	uint8_t file[16];
	uint8_t lease[16];
	bool leased;
	uint64_t process; /* of SMB1: the upper part of a message's ID */
	uint64_t session;
	uint32_t tree;
	uint8_t opened[TP_PREFIX + SMB2_HEADER]; /* frame and header of the request that opened it */
	uint64_t size, end;
	uint64_t next; /* the first byte that was not asked for */
	uint32_t block; /* bytes to ask for at a time */
	uint8_t asked[TP_ASKED]; /* the first read */
	size_t asked_length;
};

enum tp_block_state {
	TP_FREE,
	TP_ASKED_FOR,
	TP_DROPPED, /* asked for, and not wanted any more */
	TP_KEPT,
};

struct tp_block {
	enum tp_block_state state;
	uint16_t handle;
	uint64_t id; /* the message's, at the server */
	uint64_t offset; /* in the file, of its first byte in the store */
	uint32_t wanted, length; /* bytes asked for; that are there */
	uint32_t used; /* of which so many from the first one on were served, or skipped */
	uint32_t came; /* of its data, while it comes */
	uint8_t answered[TP_ANSWERED];
	size_t answered_length;
};

/* A read of the client that waits. */
struct tp_read {
	uint8_t asked[TP_ASKED];
	size_t length;
	struct observe_smb_message smb;
	uint16_t handle;
};

/* A request of the client at the server. */
struct tp_request {
	uint64_t client, server; /* the message's ID */
	uint16_t command;
	uint16_t handle; /* to open or to close */
	enum tp_kind kind;
	bool asked; /* for an oplock */
	bool later; /* it was answered for the time being */
};

struct tp {
	struct tp_settings settings;
	struct tp_calls calls;
	void *context;
	enum tp_state state;
	struct tp_counts counts;
	bool wants;
	bool between; /* the two streams, now or before it was left */
	bool changed; /* what the two hosts see differs */

	struct tp_message message[OBSERVE_WAYS];
	uint64_t at[OBSERVE_WAYS]; /* bytes taken */
	uint64_t frame_end[OBSERVE_WAYS];
	bool passing[OBSERVE_WAYS]; /* a frame has been sent in part */
	enum { TP_PASS, TP_DROP, TP_KEEP } route[OBSERVE_WAYS]; /* of the message under way */
	struct tp_block *coming;

	/* SMB2: the next number at the server, what is left to spend there, and what the client thinks is left */
	uint64_t next;
	int64_t credits, client_credits;
	/* SMB1 */
	uint16_t most; /* requests at a time */
	uint16_t multiplex;

	uint32_t outstanding; /* requests at the server, the client's and those from here, without a word of an answer */
	uint32_t asked; /* those from here */
	bool breaking; /* the client was told of a break; its agreement must not wait */
	bool channels; /* of SMB3: a session may have several connections */

	struct tp_handle handle[TP_HANDLES];
	struct tp_block block[TP_BLOCKS];
	struct tp_read read[TP_READS];
	size_t reads;
	struct tp_request request[TP_REQUESTS];
	size_t requests;
	struct tp_request nobody; /* one that is not remembered */
	uint64_t agreements[TP_HANDLES]; /* IDs of requests that agree to a break, whose answers stay here */
	size_t agreements_sent;

	struct observe *near, *far; /* between the client and here; between here and the server */
	max_align_t observers[];
};

/* Of each version of the protocol. Messages are given with their frame. */
struct tp_protocol {
	enum tp_kind (*kind)(const struct tp_message *message);
	/* Whether a read is one that can be answered from here. */
	bool (*plain)(const struct tp_message *message);
	/* How many bytes a read is content with. */
	uint32_t (*least)(const uint8_t *asked);
	/* Whether the client asks for a file to read, without an oplock; and ask for one. */
	bool (*askable)(const struct tp_message *message);
	void (*ask)(uint8_t *opens);
	/* Take the oplock out of the answer. */
	void (*hide)(uint8_t *opened);
	/* Whether nobody else changes an open file without a break; and whether nobody else has it open, without one. */
	bool (*guarded)(const struct tp *tp, const struct observe_smb_message *opened);
	bool (*exclusive)(uint8_t oplock);
	/* Make a request of a block out of the first read. Returns its length. */
	size_t (*predict)(const struct tp_handle *handle, uint64_t id, uint64_t offset, uint32_t length, uint16_t credits,
			  uint8_t *made);
	/* Make the head of the answer to a read out of that of a block: in place. */
	void (*answer)(uint8_t *answered, size_t length, const struct tp_read *read, uint32_t bytes, uint16_t credits);
	/* Agree to a break. Returns the request's length. */
	size_t (*agree)(const struct tp_handle *handle, uint64_t id, uint8_t *made);
	bool agreed_is_answered;
	size_t answered_least; /* up to the data, from the frame on */
};

extern const struct tp_protocol tp_smb1, tp_smb2;

static inline const struct tp_protocol *tp_protocol(const struct observe_smb_message *smb)
{
	return smb->version == 1 ? &tp_smb1 : &tp_smb2;
}

/* Streams (tp.c) */

/* Send bytes of whole frames, or of one that is passed. */
void tp_out(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length);

/* Leave the connection alone; if it was changed, it is broken. */
void tp_leave(struct tp *tp, enum tp_why why, enum observe_alone alone);

/* Give a request its number at the server and remember it. head: its header. NULL: it was left, for there are too many. */
struct tp_request *tp_asks(struct tp *tp, const struct observe_smb_message *smb, enum tp_kind kind, uint8_t *header);

/* Whether so many more requests fit, and the server has granted as much. */
bool tp_fits(struct tp *tp, const struct observe_smb_message *smb);

/* Files (tp_files.c) */

static inline uint16_t tp_number_of(const struct tp *tp, const struct tp_handle *handle)
{
	return (uint16_t)(handle - tp->handle);
}

static inline bool tp_is_smb1(const struct tp_handle *handle)
{
	return handle->opened[TP_PREFIX] == 0xff;
}

/* The file that a request is about. NULL: it is not known here. */
struct tp_handle *tp_handle_of(struct tp *tp, const struct observe_smb_message *smb);

/* A request to open a file is about to pass. Returns its handle, or TP_NOBODY; *asked: an oplock was asked for. */
uint16_t tp_opens(struct tp *tp, struct tp_message *own, bool *asked);
void tp_opened(struct tp *tp, struct tp_message *own, const struct tp_request *request);
uint16_t tp_closes(struct tp *tp, const struct observe_smb_message *smb);

/* A read is passed. */
void tp_read_passes(struct tp *tp, const struct tp_message *own);

/* Nothing may be served any more. */
void tp_forget_all(struct tp *tp);

/* A break. Whether it stays here. */
bool tp_broken(struct tp *tp, const struct tp_message *own);

/* Blocks and reads (tp_blocks.c) */

/* Nothing of a file may be served any more. */
void tp_forget(struct tp *tp, struct tp_handle *handle);

/* Whether a read is answered from here, now or later. */
bool tp_holds(struct tp *tp, const struct tp_message *own);

/* An answer to a request from here: whether it is one; it has come, in pieces; it is there. */
struct tp_block *tp_block_of(struct tp *tp, uint64_t id);
void tp_block_begins(struct tp *tp, struct tp_block *block, const struct tp_message *own);
void tp_block_bytes(struct tp *tp, struct tp_block *block, const uint8_t *bytes, size_t length);
void tp_block_ends(struct tp *tp, struct tp_block *block);

/* Answer waiting reads, agree to breaks: whether something was sent. */
bool tp_serves(struct tp *tp);

/* Whether a waiting read could be answered at once. */
bool tp_owes(const struct tp *tp);

/* Requests from here (tp_predict.c) */

/* Ask for what will be read. */
void tp_predicts(struct tp *tp);

/* Agree to breaks: whether something was sent. */
bool tp_agrees(struct tp *tp);

static inline void tp_put16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)value;
	bytes[1] = (uint8_t)(value >> 8);
}

static inline void tp_put32(uint8_t *bytes, uint32_t value)
{
	tp_put16(bytes, (uint16_t)value);
	tp_put16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void tp_put64(uint8_t *bytes, uint64_t value)
{
	tp_put32(bytes, (uint32_t)value);
	tp_put32(bytes + 4, (uint32_t)(value >> 32));
}

/* Say how long the frame is, behind its first four bytes. */
static inline void tp_frame(uint8_t *frame, size_t length)
{
	frame[0] = 0;
	frame[1] = (uint8_t)(length >> 16);
	frame[2] = (uint8_t)(length >> 8);
	frame[3] = (uint8_t)length;
}

#endif
