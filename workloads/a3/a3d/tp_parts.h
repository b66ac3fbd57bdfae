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
	TP_IN_FLIGHT = SMB_OUTSTANDING - 8, /* what an observer remembers, and a few */
	TP_SPARE = 64, /* credits of the client that are not spent here */
};

/* What a request does to the file and to what is kept of it. */
enum tp_kind {
	TP_HARMLESS,
	TP_READ,
	TP_OPEN,
	TP_ENDS, /* a close, or the end of a tree or of a session */
	TP_CANCEL,
	TP_LOGS_IN,
	TP_CHANGES, /* or may do so */
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

/* The file for which an oplock is asked for here. There is one at a time. */
struct tp_file {
	enum {
		TP_NO_FILE,
		TP_OPENS, /* the answer has not come */
		TP_IS_OPEN, /* and the server has granted an oplock */
		TP_CLOSES, /* it was asked for, and not answered */
	} state;
	bool early; /* some oplock was taken back before it was open: nobody knows whose */
	bool exclusive; /* the oplock */
	bool ask; /* more of it may be asked for; there was no break, and nothing that may have changed it */
	bool serve; /* what is kept may be served: the same, but blocks may have been refused, or reads been elsewhere */
	bool agree; /* to a break: has to be said to the server */
	bool begun; /* the first read has passed */
	bool named; /* by the first message of the frame that the client sends, of which others may go on */
	uint8_t id[16];
	uint64_t session;
	uint32_t tree;
	uint8_t opened[TP_PREFIX + SMB2_HEADER]; /* frame and header of the request that opened it */
	uint64_t size;
	uint64_t at; /* where the client goes on to read */
	uint64_t next; /* the first byte that was not asked for */
	uint32_t block; /* bytes to ask for at a time */
	uint64_t opener, process; /* of SMB1: the upper parts of messages' IDs: of the open, and of the first read */
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
	uint64_t id; /* the message's, at the server */
	uint64_t asked_ns;
	uint64_t offset; /* in the file, of its first byte in the store */
	uint32_t length; /* bytes that are asked for, or there */
	uint32_t used; /* of which so many from the first one on were served, or skipped */
	uint32_t came; /* of its data, while it comes */
	uint64_t sum; /* of these, to know them again */
	uint8_t answered[TP_ANSWERED];
	size_t answered_length;
};

/* A read of the client that waits for a block. */
struct tp_read {
	uint8_t asked[TP_ASKED];
	size_t length;
	struct observe_smb_message smb;
};

/* A request of the client at the server. */
struct tp_request {
	uint64_t client, server; /* the message's ID */
	uint64_t asked_ns;
	enum tp_kind kind;
	bool file; /* opens the file, or ends it */
	bool later; /* it was answered for the time being */
};

struct tp {
	struct tp_settings settings;
	struct tp_calls calls;
	void *context;
	enum tp_state state;
	struct tp_counts counts;
	bool ready; /* a share is open, and nothing speaks against a change */
	bool between; /* the two streams, now or before it was left */
	bool changed; /* what the two hosts see differs */
	bool logged_in;
	bool channels; /* of SMB3: the session may have several connections */
	bool large; /* the client sends frames behind which an agreement would have to wait */

	struct tp_message message[OBSERVE_WAYS];
	uint64_t at[OBSERVE_WAYS]; /* bytes taken */
	uint64_t frame_end[OBSERVE_WAYS];
	bool passing[OBSERVE_WAYS]; /* a frame has been sent in part */
	bool finished[OBSERVE_WAYS]; /* nothing more may be sent */
	enum { TP_PASS, TP_DROP, TP_KEEP } route[OBSERVE_WAYS]; /* of the message under way */
	struct tp_block *coming;

	/*
	 * SMB2: the next number at the server; the credits that the client thinks it has, and how many more the server has
	 * granted: less than none while requests from here have no answer.
	 */
	uint64_t next;
	int64_t client_credits, more_credits;
	/* SMB1 */
	uint16_t most; /* requests at a time */
	uint16_t multiplex;

	uint64_t fresh_ns; /* when the last request was asked that is answered */
	uint64_t since_ns, came[2]; /* bytes of the server: since then, and in the TP_RECENT_NS before */

	struct tp_file file;
	struct tp_block block[TP_BLOCKS];
	struct tp_read read[TP_READS];
	size_t reads;
	struct tp_request request[TP_REQUESTS];
	size_t requests;
	struct tp_request nobody; /* one that is not remembered */
	uint64_t agreement; /* the ID of a request that agrees to a break, whose answer stays here */
	bool agreeing;

	struct observe *near, *far; /* between the client and here; between here and the server */
	max_align_t observers[];
};

/*
 * Of each version of the protocol. head: a message with its frame, which must be the first one in it; header: without its
 * frame.
 */
struct tp_protocol {
	enum tp_kind (*kind)(const struct tp_message *message);
	/* Whether a read is one that can be answered from here, and ask for more. */
	bool (*plain)(const struct tp_message *message);
	/* How many bytes a read is content with. */
	uint32_t (*least)(const uint8_t *head);
	/* Whether the client asks for a file to read, without an oplock; and ask for one. */
	bool (*askable)(const struct tp_message *message);
	void (*ask)(uint8_t *head);
	/* Take the oplock out of the answer. */
	void (*hide)(uint8_t *header);
	bool (*exclusive)(uint8_t oplock);
	/* Make a request of a block out of the first read. Returns its length. */
	size_t (*predict)(const struct tp_file *file, uint64_t id, uint64_t offset, uint32_t length, uint8_t *made);
	/* Make the head of the answer to a read out of that of a block: in place. */
	void (*answer)(uint8_t *answered, size_t length, const struct tp_read *read, uint32_t bytes, uint16_t credits);
	/* Agree to a break. Returns the request's length. */
	size_t (*agree)(const struct tp_file *file, uint64_t id, uint8_t *made);
	bool agreed_is_answered;
	size_t answered_least; /* up to the data, from the frame on */
	size_t id_length; /* of a file's number */
	bool breaks_name_tree;
};

extern const struct tp_protocol tp_smb1, tp_smb2;

static inline const struct tp_protocol *tp_protocol(const struct observe_smb_message *smb)
{
	return smb->version == 1 ? &tp_smb1 : &tp_smb2;
}

static inline bool tp_is_smb1(const struct tp_file *file)
{
	return file->opened[TP_PREFIX] == 0xff;
}

/* Streams (tp.c) */

static inline uint64_t tp_now_ns(const struct tp *tp)
{
	return tp->calls.now_ns(tp->context);
}

/* Send bytes of whole frames, or of one that is passed. */
void tp_out(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length);

/* Leave the connection alone; if it was changed, it is broken. */
void tp_leave(struct tp *tp, enum tp_why why, enum observe_alone alone);

/* Give a request its number at the server and remember it. header: its own. NULL: it was left, for there are too many. */
struct tp_request *tp_asks(struct tp *tp, const struct observe_smb_message *smb, enum tp_kind kind, uint8_t *header);

/* Whether the server has a request without a word of an answer. */
bool tp_is_busy(const struct tp *tp);

/* Blocks and requests from here that are at the server. */
size_t tp_asked(const struct tp *tp);

/* Credits that the server would take now: also of reads that wait here. */
static inline int64_t tp_credits(const struct tp *tp)
{
	return tp->client_credits + tp->more_credits + (int64_t)tp->reads;
}

/* The file (tp_file.c) */

/* Whether a message of the client is about the file. */
bool tp_is_about(const struct tp *tp, const struct observe_smb_message *smb);

/* Nothing of the file may be served, or asked for, any more. */
void tp_give_up(struct tp *tp);

/* Whether an oplock is asked for with a request, if there is no file. */
bool tp_may_open(const struct tp *tp, const struct tp_message *own);

/* A request to open a file is about to pass. Whether it asks for an oplock from now on. */
bool tp_opens(struct tp *tp, struct tp_message *own);

/* The answer to that, or to any other open. */
void tp_opened(struct tp *tp, const struct observe_smb_message *smb, uint8_t *header, bool asked);

/* Whether what is kept must not be served after a request. */
bool tp_spoils(const struct tp *tp, const struct tp_message *own, enum tp_kind kind);

/* A request that ends the file, or more, is about to pass; whether it ends the file. Its answer. */
bool tp_closes(struct tp *tp, const struct observe_smb_message *smb);
void tp_closed(struct tp *tp, const struct observe_smb_message *smb);

/* A read is passed. */
void tp_read_passes(struct tp *tp, const struct tp_message *own);

/* A break. Whether it stays here. */
bool tp_broken(struct tp *tp, const struct observe_smb_message *smb);

/* Agree to it: whether something was sent. */
bool tp_agrees(struct tp *tp);

/* A number for a request from here. */
uint64_t tp_own_number(struct tp *tp);

/* Blocks and reads (tp_blocks.c) */

/* Forget all blocks. */
void tp_forget(struct tp *tp);

/* The client reads somewhere, or is answered from elsewhere: what is before that is not needed. */
void tp_reads_at(struct tp *tp, uint64_t offset, uint32_t length);

/* Whether a read is answered from here, now or later. */
bool tp_holds(struct tp *tp, const struct tp_message *own);

/* An answer to a request from here: whether it is one; it has come, in pieces; it is there. */
struct tp_block *tp_block_of(struct tp *tp, uint64_t id);
void tp_block_begins(struct tp *tp, struct tp_block *block, const struct tp_message *own);
void tp_block_bytes(struct tp *tp, struct tp_block *block, const uint8_t *bytes, size_t length);
void tp_block_ends(struct tp *tp, struct tp_block *block);

/* Answer waiting reads, or pass them on: whether something was sent. */
bool tp_serves(struct tp *tp);

/* Whether a waiting read could be answered at once. */
bool tp_owes(const struct tp *tp);

/* Ask for what will be read. */
void tp_predicts(struct tp *tp);

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
