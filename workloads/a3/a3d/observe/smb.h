/* SPDX-License-Identifier: MIT */
/* The observer of SMB: what its parts share. Not for its users. */
#ifndef A3D_OBSERVE_SMB_H
#define A3D_OBSERVE_SMB_H

#include "observer.h"

enum {
	SMB_HEAD = 1024, /* bytes of a message that are kept; of most, fewer count */
	SMB_OUTSTANDING = 512, /* requests without an answer */
	SMB1_HEADER = 32,
	SMB2_HEADER = 64,
};

/* The first bytes of a message, and how long all of it is. */
struct smb_message {
	uint8_t head[SMB_HEAD];
	size_t kept;
	uint32_t length;
};

/* A request whose answer has not come. */
struct smb_request {
	uint64_t id; /* of SMB2; of SMB1: process and multiplex ID */
	uint32_t exchange;
	uint16_t command;
	uint8_t version;
	uint8_t level; /* of a query: where a file's size is in the answer, SMB_SIZE_… */
	bool answered; /* and more answers may come (SMB1) */
};

enum smb_size {
	SMB_SIZE_NONE,
	SMB_SIZE_STANDARD,
	SMB_SIZE_ALL,
	SMB_SIZE_NETWORK,
	SMB_SIZE_OLD, /* queries of SMB1 without a transaction */
	SMB_SIZE_OLD_FID,
};

struct smb_way {
	uint8_t prefix[4]; /* of NetBIOS: type and length */
	size_t prefix_kept;
	uint32_t frame_left; /* bytes of the frame behind this message */
	struct smb_message message;
	uint32_t message_left; /* bytes to come, once it is said what it is */
	bool said;
	bool follows; /* the message is not the first one in its frame */
	struct observe_event event;
};

struct smb {
	struct observe base;
	struct smb_way way[OBSERVE_WAYS];
	struct smb_request request[SMB_OUTSTANDING];
	size_t outstanding;
	uint32_t exchange; /* of the last request */
};

/* What a message is; OBSERVE_NOT_ALONE, or why the connection is to be left alone. */
enum observe_alone smb1_read(struct smb *smb, enum observe_way way, const struct smb_message *message,
			     struct observe_event *event);
enum observe_alone smb2_read(struct smb *smb, enum observe_way way, const struct smb_message *message,
			     struct observe_event *event);

/* How many bytes must be kept to say what a message is, of which the header is there. */
size_t smb2_needed(const struct smb_message *message);

/* Remember a request and give it a number. */
enum observe_alone smb_asked(struct smb *smb, struct smb_request request);

/* NULL: nobody asked. */
struct smb_request *smb_find(struct smb *smb, uint8_t version, uint64_t id);
void smb_forget(struct smb *smb, struct smb_request *request);

/* Read a file's size at its place in the answer to a query. */
void smb_size(const struct smb_message *message, size_t at, enum smb_size place, struct observe_event *event);

/* Whether bytes are kept. */
static inline bool smb_has(const struct smb_message *message, size_t at, size_t bytes)
{
	return at <= message->kept && bytes <= message->kept - at;
}

static inline uint16_t smb_get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t smb_get32(const uint8_t *bytes)
{
	return smb_get16(bytes) | (uint32_t)smb_get16(bytes + 2) << 16;
}

static inline uint64_t smb_get64(const uint8_t *bytes)
{
	return smb_get32(bytes) | (uint64_t)smb_get32(bytes + 4) << 32;
}

#endif
