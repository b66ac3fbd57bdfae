/* SPDX-License-Identifier: MIT */
/* Messages of SMB2 and SMB3 (MS-SMB2, 2.2). Numbers are those of its tables. */
#include "smb.h"

#include <string.h>

enum {
	NEGOTIATE = 0x00,
	SESSION_SETUP = 0x01,
	TREE_CONNECT = 0x03,
	CREATE = 0x05,
	CLOSE = 0x06,
	READ = 0x08,
	WRITE = 0x09,
	CANCEL = 0x0c,
	QUERY_INFO = 0x10,
	OPLOCK_BREAK = 0x12,
	COMMANDS = 0x13,

	FLAG_ANSWER = 0x1,
	FLAG_ASYNC = 0x2,
	FLAG_RELATED = 0x4,
	FLAG_SIGNED = 0x8,

	STATUS_PENDING = 0x103,
	STATUS_BUFFER_OVERFLOW = (int)0x80000005,

	OPLOCK_LEASE = 0xff,
	INFO_FILE = 1,
	BREAK_SIZE = 24, /* of an oplock; of a lease, 44 from the server and 36 from the client and in answers */
	LEASE_NOTIFICATION_SIZE = 44,
	LEASE_ACKNOWLEDGEMENT_SIZE = 36,

	MOST_NEEDED = SMB2_HEADER + 64, /* of a message without contexts */
};

static const uint64_t unsolicited = UINT64_MAX;

static const struct {
	enum observe_label asked, answered;
	/* bytes of the body without what varies, as the body says it; odd: at least one more byte. 0: not looked at */
	uint16_t asked_size, answered_size;
} commands[COMMANDS] = {
	[NEGOTIATE] = { OBSERVE_CIFS_1, OBSERVE_CIFS_2, 36, 65 },
	[SESSION_SETUP] = { OBSERVE_CIFS_3, OBSERVE_CIFS_4, 25, 9 },
	[TREE_CONNECT] = { OBSERVE_CIFS_5, OBSERVE_CIFS_6, 9, 16 },
	[CREATE] = { OBSERVE_CIFS_7, OBSERVE_CIFS_8, 57, 89 },
	[CLOSE] = { OBSERVE_OTHER, OBSERVE_OTHER, 24, 60 },
	[READ] = { OBSERVE_CIFS_11, OBSERVE_CIFS_12, 49, 17 },
	[WRITE] = { OBSERVE_OTHER, OBSERVE_OTHER, 49, 17 },
	[QUERY_INFO] = { OBSERVE_OTHER, OBSERVE_OTHER, 41, 9 },
};

static uint16_t command_of(const struct smb_message *message)
{
	return smb_get16(message->head + 12);
}

size_t smb2_needed(const struct smb_message *message)
{
	return command_of(message) == CREATE ? SMB_HEAD : MOST_NEEDED;
}

static const uint8_t *body_of(const struct smb_message *message)
{
	return message->head + SMB2_HEADER;
}

/* Whether the body is as long as it says, and says what the protocol does. */
static bool body_fits(const struct smb_message *message, uint16_t size)
{
	return smb_has(message, SMB2_HEADER, size & ~1u) && smb_get16(body_of(message)) == size;
}

/* Which answers to a query have a file's size, and where. */
static enum smb_size size_place(uint8_t type, uint8_t class)
{
	if (type != INFO_FILE)
		return SMB_SIZE_NONE;
	switch (class) {
	case 5:
		return SMB_SIZE_STANDARD;
	case 18:
		return SMB_SIZE_ALL;
	case 34:
		return SMB_SIZE_NETWORK;
	default:
		return SMB_SIZE_NONE;
	}
}

static void read_file(struct observe_smb_message *smb, const uint8_t *id)
{
	smb->has_file = true;
	memcpy(smb->file, id, sizeof(smb->file));
}

/* Find the lease among the contexts of an answer to an open. Without one that is whole and kept, there is none. */
static void read_lease(const struct smb_message *message, struct observe_smb_message *smb)
{
	const uint8_t *body = body_of(message);
	size_t at = smb_get32(body + 80), end = at + smb_get32(body + 84);

	while (smb_has(message, at, 16) && at + 16 <= end) {
		const uint8_t *context = message->head + at;
		size_t next = smb_get32(context), name = at + smb_get16(context + 4), data = at + smb_get16(context + 10);

		if (smb_get16(context + 6) == 4 && smb_get32(context + 12) >= 32 && smb_has(message, name, 4) &&
		    smb_has(message, data, 32) && !memcmp(message->head + name, "RqLs", 4)) {
			memcpy(smb->lease, message->head + data, sizeof(smb->lease));
			smb->lease_state = smb_get32(message->head + data + 16);
			return;
		}
		if (next < 16)
			return;
		at += next;
	}
}

static enum observe_alone read_break(const struct smb_message *message, struct observe_smb_message *smb, bool notifies)
{
	const uint8_t *body = body_of(message);
	uint16_t size = smb_has(message, SMB2_HEADER, 2) ? smb_get16(body) : 0;

	if (size == BREAK_SIZE && body_fits(message, size)) {
		smb->breaks = OBSERVE_BREAK;
		smb->oplock = body[2];
		read_file(smb, body + 8);
		return OBSERVE_NOT_ALONE;
	}
	if (size != (notifies ? LEASE_NOTIFICATION_SIZE : LEASE_ACKNOWLEDGEMENT_SIZE) || !body_fits(message, size))
		return OBSERVE_MALFORMED;
	smb->breaks = OBSERVE_LEASE_BREAK;
	smb->oplock = OPLOCK_LEASE;
	memcpy(smb->lease, body + 8, sizeof(smb->lease));
	smb->lease_state = smb_get32(body + (notifies ? 28 : 24));
	return OBSERVE_NOT_ALONE;
}

static enum observe_alone read_request(struct smb *smb, const struct smb_message *message, struct observe_event *event)
{
	struct observe_smb_message *own = &event->smb;
	const uint8_t *body = body_of(message);
	struct smb_request request = { .id = own->message, .command = own->command, .version = 2 };

	switch (own->command) {
	case CLOSE:
		read_file(own, body + 8);
		break;
	case READ:
		own->length = smb_get32(body + 4);
		own->offset = smb_get64(body + 8);
		read_file(own, body + 16);
		break;
	case WRITE:
		own->data = smb_get16(body + 2);
		own->length = smb_get32(body + 4);
		own->offset = smb_get64(body + 8);
		read_file(own, body + 16);
		break;
	case QUERY_INFO:
		request.level = (uint8_t)size_place(body[2], body[3]);
		if (request.level)
			event->label = OBSERVE_CIFS_9;
		read_file(own, body + 24);
		break;
	case OPLOCK_BREAK:
		if (read_break(message, own, false))
			return OBSERVE_MALFORMED;
		break;
	default:
		break;
	}
	request.exchange = event->exchange = ++smb->exchange;
	return own->command == CANCEL ? OBSERVE_NOT_ALONE : smb_asked(smb, request);
}

static enum observe_alone read_success(const struct smb_message *message, const struct smb_request *request,
				       struct observe_event *event)
{
	struct observe_smb_message *own = &event->smb;
	const uint8_t *body = body_of(message);

	switch (own->command) {
	case CREATE:
		own->oplock = body[2];
		own->size = smb_get64(body + 48);
		own->has_size = true;
		read_file(own, body + 64);
		if (own->oplock == OPLOCK_LEASE)
			read_lease(message, own);
		break;
	case READ:
		own->data = body[2];
		own->length = smb_get32(body + 4);
		break;
	case WRITE:
		own->length = smb_get32(body + 4);
		break;
	case QUERY_INFO:
		smb_size(message, smb_get16(body + 2), (enum smb_size)request->level, event);
		break;
	case OPLOCK_BREAK:
		return read_break(message, own, false);
	default:
		break;
	}
	return OBSERVE_NOT_ALONE;
}

/* What was asked in SMB1, with SMB2 among the dialects, is answered in SMB2. */
static struct smb_request *asked_in_smb1(struct smb *smb)
{
	for (size_t i = 0; i < smb->outstanding; i++)
		if (smb->request[i].version == 1 && smb->request[i].command == 0x72)
			return &smb->request[i];
	return NULL;
}

static enum observe_alone read_answer(struct smb *smb, const struct smb_message *message, struct observe_event *event)
{
	struct observe_smb_message *own = &event->smb;
	struct smb_request *request;
	enum observe_alone alone = OBSERVE_NOT_ALONE;
	bool has_body;

	own->status = smb_get32(message->head + 8);
	has_body = !own->status || (own->command == READ && own->status == (uint32_t)STATUS_BUFFER_OVERFLOW);
	if (own->message == unsolicited) {
		event->label = OBSERVE_OTHER;
		return own->command == OPLOCK_BREAK ? read_break(message, own, true) : OBSERVE_MALFORMED;
	}
	request = smb_find(smb, 2, own->message);
	if (!request && own->command == NEGOTIATE)
		request = asked_in_smb1(smb);
	if (!request || (request->version == 2 && request->command != own->command))
		return OBSERVE_MALFORMED;
	event->exchange = request->exchange;
	if (request->level)
		event->label = OBSERVE_CIFS_10;
	if (own->interim && own->status == STATUS_PENDING) {
		event->label = OBSERVE_OTHER;
		return OBSERVE_NOT_ALONE;
	}
	own->interim = false;
	if (has_body && commands[own->command].answered_size && !body_fits(message, commands[own->command].answered_size))
		return OBSERVE_MALFORMED;
	if (has_body)
		alone = read_success(message, request, event);
	smb_forget(smb, request);
	return alone;
}

enum observe_alone smb2_read(struct smb *smb, enum observe_way way, const struct smb_message *message,
			     struct observe_event *event)
{
	const uint8_t *head = message->head;
	struct observe_smb_message *own = &event->smb;
	uint32_t flags = smb_get32(head + 16);

	own->command = command_of(message);
	own->answer = flags & FLAG_ANSWER;
	if (smb_get16(head + 4) != SMB2_HEADER || own->answer != (way == OBSERVE_TO_CLIENT))
		return OBSERVE_MALFORMED;
	if (own->command >= COMMANDS)
		return OBSERVE_UNKNOWN;
	/* the last answer of a log-in is signed in sessions that are not */
	if (flags & FLAG_SIGNED && own->command != SESSION_SETUP)
		return OBSERVE_SIGNED;
	own->credit_charge = smb_get16(head + 6);
	own->credits = smb_get16(head + 14);
	own->related = flags & FLAG_RELATED;
	own->message = smb_get64(head + 24);
	own->interim = flags & FLAG_ASYNC;
	own->tree = own->interim ? 0 : smb_get32(head + 36);
	own->session = smb_get64(head + 40);
	event->label = own->answer ? commands[own->command].answered : commands[own->command].asked;
	if (own->answer)
		return read_answer(smb, message, event);
	own->interim = false;
	if (commands[own->command].asked_size && !body_fits(message, commands[own->command].asked_size))
		return OBSERVE_MALFORMED;
	return read_request(smb, message, event);
}
