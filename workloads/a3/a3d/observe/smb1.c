/* SPDX-License-Identifier: MIT */
/*
 * Messages of SMB1, that is CIFS (MS-CIFS 2.2, MS-SMB 2.2). Of a chain (AndX), the first command counts. Places are
 * counted from the words behind the header, unless they are said to be of the message.
 */
#include "smb.h"

#include <string.h>

enum {
	OPEN = 0x02,
	CLOSE = 0x04,
	QUERY_INFORMATION = 0x08,
	READ = 0x0a,
	READ_RAW = 0x1a,
	READ_MPX = 0x1b,
	WRITE_RAW = 0x1d,
	WRITE_MPX = 0x1e,
	QUERY_INFORMATION2 = 0x23,
	LOCKING = 0x24,
	TRANSACTION = 0x25,
	TRANSACTION_SECONDARY = 0x26,
	ECHO = 0x2b,
	OPEN_ANDX = 0x2d,
	READ_ANDX = 0x2e,
	WRITE_ANDX = 0x2f,
	TRANSACTION2 = 0x32,
	TRANSACTION2_SECONDARY = 0x33,
	NEGOTIATE = 0x72,
	SESSION_SETUP = 0x73,
	TREE_CONNECT = 0x75,
	NT_TRANSACT = 0xa0,
	NT_TRANSACT_SECONDARY = 0xa1,
	NT_CREATE = 0xa2,
	NT_CANCEL = 0xa4,

	FLAG_ANSWER = 0x80,
	FLAG2_SIGNED = 0x0004,
	SIGNATURE = 14,
	SIGNATURE_SIZE = 8,
	WORDS = SMB1_HEADER + 1,

	UNSOLICITED = 0xffff,
	LOCK_OPLOCK_RELEASE = 0x02,
	QUERY_PATH_INFO = 5,
	QUERY_FILE_INFO = 7,
};

static enum observe_label label_of(uint8_t command, bool answer)
{
	switch (command) {
	case NEGOTIATE:
		return answer ? OBSERVE_CIFS_2 : OBSERVE_CIFS_1;
	case SESSION_SETUP:
		return answer ? OBSERVE_CIFS_4 : OBSERVE_CIFS_3;
	case TREE_CONNECT:
		return answer ? OBSERVE_CIFS_6 : OBSERVE_CIFS_5;
	case OPEN:
	case OPEN_ANDX:
	case NT_CREATE:
		return answer ? OBSERVE_CIFS_8 : OBSERVE_CIFS_7;
	case READ:
	case READ_ANDX:
		return answer ? OBSERVE_CIFS_12 : OBSERVE_CIFS_11;
	default:
		return OBSERVE_OTHER;
	}
}

/* Whether a request may have several answers. */
static bool answered_often(uint8_t command)
{
	return command == TRANSACTION || command == TRANSACTION2 || command == NT_TRANSACT || command == ECHO;
}

/* The words, if there are at least so many bytes of them; else NULL. */
static const uint8_t *words_of(const struct smb_message *message, size_t bytes)
{
	if ((size_t)message->head[SMB1_HEADER] * 2 < bytes || !smb_has(message, WORDS, bytes))
		return NULL;
	return message->head + WORDS;
}

static void read_file(struct observe_smb_message *smb, const uint8_t *id)
{
	smb->has_file = true;
	memcpy(smb->file, id, 2);
}

/* Whether it is signed. In the log-in, other things are there instead of a signature. */
static bool is_signed(const uint8_t *head)
{
	static const uint8_t none[SIGNATURE_SIZE];

	if (head[4] == NEGOTIATE || head[4] == SESSION_SETUP)
		return false;
	if (smb_get16(head + 10) & FLAG2_SIGNED)
		return true;
	return memcmp(head + SIGNATURE, none, SIGNATURE_SIZE) && memcmp(head + SIGNATURE, "BSRSPYL ", SIGNATURE_SIZE);
}

static enum smb_size level_place(uint16_t level)
{
	switch (level) {
	case 0x102:
	case 1005:
		return SMB_SIZE_STANDARD;
	case 0x107:
	case 1018:
		return SMB_SIZE_ALL;
	case 1034:
		return SMB_SIZE_NETWORK;
	default:
		return SMB_SIZE_NONE;
	}
}

/* Which answers to a query have a file's size, and where. */
static enum smb_size size_place(const struct smb_message *message, uint8_t command, struct observe_smb_message *own)
{
	const uint8_t *words = words_of(message, 30);
	size_t parameters;

	if (command == QUERY_INFORMATION)
		return SMB_SIZE_OLD;
	if (command == QUERY_INFORMATION2)
		return SMB_SIZE_OLD_FID;
	if (command != TRANSACTION2 || !words)
		return SMB_SIZE_NONE;
	parameters = smb_get16(words + 20);
	if (!smb_has(message, parameters, 4))
		return SMB_SIZE_NONE;
	if (smb_get16(words + 28) == QUERY_PATH_INFO)
		return level_place(smb_get16(message->head + parameters));
	if (smb_get16(words + 28) != QUERY_FILE_INFO)
		return SMB_SIZE_NONE;
	read_file(own, message->head + parameters);
	return level_place(smb_get16(message->head + parameters + 2));
}

static bool read_read(const struct smb_message *message, struct observe_smb_message *own)
{
	const uint8_t *words = words_of(message, own->command == READ ? 10 : 20);

	if (!words)
		return false;
	if (own->command == READ) {
		read_file(own, words);
		own->length = smb_get16(words + 2);
		own->offset = smb_get32(words + 4);
		return true;
	}
	read_file(own, words + 4);
	own->offset = smb_get32(words + 6);
	own->length = smb_get16(words + 10);
	if (smb_get32(words + 14) != UINT32_MAX)
		own->length |= (uint32_t)smb_get16(words + 14) << 16;
	words = words_of(message, 24);
	if (words)
		own->offset |= (uint64_t)smb_get32(words + 20) << 32;
	return true;
}

static bool read_write(const struct smb_message *message, struct observe_smb_message *own)
{
	const uint8_t *words = words_of(message, 24);

	if (!words)
		return false;
	read_file(own, words + 4);
	own->offset = smb_get32(words + 6);
	own->length = smb_get16(words + 20) | (uint32_t)smb_get16(words + 18) << 16;
	own->data = smb_get16(words + 22);
	words = words_of(message, 28);
	if (words)
		own->offset |= (uint64_t)smb_get32(words + 24) << 32;
	return true;
}

/* A lock, or the client's agreement to a break. *answered: an answer will come. */
static bool read_locking(const struct smb_message *message, struct observe_smb_message *own, bool *answered)
{
	const uint8_t *words = words_of(message, 16);

	if (!words)
		return false;
	read_file(own, words + 4);
	*answered = true;
	if (words[6] & LOCK_OPLOCK_RELEASE) {
		own->breaks = OBSERVE_BREAK;
		own->oplock = words[7];
		*answered = smb_get16(words + 12) || smb_get16(words + 14);
	}
	return true;
}

static enum observe_alone read_request(struct smb *smb, const struct smb_message *message, struct observe_event *event)
{
	struct observe_smb_message *own = &event->smb;
	struct smb_request request = { .id = own->message, .command = own->command, .version = 1 };
	bool understood = true, answered = true;

	switch (own->command) {
	case READ_RAW: /* the answer, or more of the request, is not a message */
	case READ_MPX:
	case WRITE_RAW:
	case WRITE_MPX:
		return OBSERVE_UNKNOWN;
	case CLOSE:
		understood = words_of(message, 2);
		if (understood)
			read_file(own, words_of(message, 2));
		break;
	case READ:
	case READ_ANDX:
		understood = read_read(message, own);
		break;
	case WRITE_ANDX:
		understood = read_write(message, own);
		break;
	case LOCKING:
		understood = read_locking(message, own, &answered);
		break;
	case NT_CANCEL:
	case TRANSACTION_SECONDARY:
	case TRANSACTION2_SECONDARY:
	case NT_TRANSACT_SECONDARY:
		answered = false;
		break;
	default:
		request.level = (uint8_t)size_place(message, (uint8_t)own->command, own);
		break;
	}
	if (!understood)
		return OBSERVE_MALFORMED;
	if (request.level)
		event->label = OBSERVE_CIFS_9;
	request.exchange = event->exchange = ++smb->exchange;
	return answered ? smb_asked(smb, request) : OBSERVE_NOT_ALONE;
}

static bool read_open(const struct smb_message *message, struct observe_smb_message *own)
{
	const uint8_t *words = words_of(message, own->command == NT_CREATE ? 68 : own->command == OPEN ? 14 : 30);

	if (!words)
		return false;
	own->has_size = true;
	if (own->command == NT_CREATE) {
		own->oplock = words[4];
		read_file(own, words + 5);
		own->size = smb_get64(words + 55);
		return true;
	}
	read_file(own, words + (own->command == OPEN ? 0 : 4));
	own->size = smb_get32(words + (own->command == OPEN ? 8 : 12));
	return true;
}

static bool read_block(const struct smb_message *message, struct observe_smb_message *own)
{
	const uint8_t *words = words_of(message, own->command == READ ? 10 : 24);

	if (!words)
		return false;
	if (own->command == READ) {
		own->length = smb_get16(words);
		own->data = WORDS + 10 + 2 + 3; /* bytes' count, format, length */
		return true;
	}
	own->length = smb_get16(words + 10) | (uint32_t)smb_get16(words + 14) << 16;
	own->data = smb_get16(words + 12);
	return true;
}

static void read_size(const struct smb_message *message, enum smb_size place, struct observe_event *event)
{
	const uint8_t *words = words_of(message, 20);

	if (event->smb.command != TRANSACTION2)
		smb_size(message, WORDS, place, event);
	else if (words && !smb_get16(words + 16)) /* the answer's first part */
		smb_size(message, smb_get16(words + 14), place, event);
}

static bool read_success(const struct smb_message *message, const struct smb_request *request,
			 struct observe_event *event)
{
	struct observe_smb_message *own = &event->smb;
	const uint8_t *words = words_of(message, 10);

	switch (own->command) {
	case OPEN:
	case OPEN_ANDX:
	case NT_CREATE:
		return read_open(message, own);
	case READ:
	case READ_ANDX:
		return read_block(message, own);
	case WRITE_ANDX:
		if (words)
			own->length = smb_get16(words + 4) | (uint32_t)smb_get16(words + 8) << 16;
		return words;
	default:
		read_size(message, (enum smb_size)request->level, event);
		return true;
	}
}

static enum observe_alone read_answer(struct smb *smb, const struct smb_message *message, struct observe_event *event)
{
	struct observe_smb_message *own = &event->smb;
	struct smb_request *request = smb_find(smb, 1, own->message);
	bool understood = true;

	if (!request || request->command != own->command)
		return OBSERVE_MALFORMED;
	own->status = smb_get32(message->head + 5);
	event->exchange = request->exchange;
	if (request->level)
		event->label = request->answered ? OBSERVE_OTHER : OBSERVE_CIFS_10;
	if (!own->status)
		understood = read_success(message, request, event);
	if (answered_often((uint8_t)own->command))
		request->answered = true;
	else
		smb_forget(smb, request);
	return understood ? OBSERVE_NOT_ALONE : OBSERVE_MALFORMED;
}

/* The server takes back an oplock: the only request that it sends. */
static enum observe_alone read_break(const struct smb_message *message, struct observe_smb_message *own)
{
	bool answered;

	if (own->command != LOCKING || (own->message & UNSOLICITED) != UNSOLICITED ||
	    !read_locking(message, own, &answered) || !own->breaks)
		return OBSERVE_MALFORMED;
	return OBSERVE_NOT_ALONE;
}

enum observe_alone smb1_read(struct smb *smb, enum observe_way way, const struct smb_message *message,
			     struct observe_event *event)
{
	const uint8_t *head = message->head;
	struct observe_smb_message *own = &event->smb;
	uint64_t process = smb_get16(head + 26) | (uint32_t)smb_get16(head + 12) << 16;

	own->command = head[4];
	own->answer = head[9] & FLAG_ANSWER;
	own->message = process << 16 | smb_get16(head + 30);
	own->session = smb_get16(head + 28);
	own->tree = smb_get16(head + 24);
	if (is_signed(head))
		return OBSERVE_SIGNED;
	if (way == OBSERVE_TO_CLIENT && !own->answer)
		return read_break(message, own);
	if (way == OBSERVE_TO_SERVER && own->answer)
		return OBSERVE_MALFORMED;
	event->label = label_of((uint8_t)own->command, own->answer);
	if (own->answer)
		return read_answer(smb, message, event);
	return read_request(smb, message, event);
}
