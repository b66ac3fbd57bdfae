/* SPDX-License-Identifier: MIT */
/* Messages of SMB1 that TP makes and changes (MS-CIFS 2.2, MS-SMB 2.2). Places in their words are those of its tables. */
#include "tp_parts.h"

#include <string.h>

enum {
	COMMAND = TP_PREFIX + 4, /* of the header */
	PROCESS_HIGH = TP_PREFIX + 12,
	TREE = TP_PREFIX + 24,
	PROCESS = TP_PREFIX + 26,
	USER = TP_PREFIX + 28,
	MULTIPLEX = TP_PREFIX + 30,
	WORDS_COUNT = TP_PREFIX + SMB1_HEADER,
	WORDS = WORDS_COUNT + 1,

	NO_ANDX = 0xff,

	READ_WORDS = 10, /* without the upper half of the offset */
	LARGE_READ_WORDS = 12,
	READ_OFFSET = WORDS + 6,
	READ_MOST = WORDS + 10,
	READ_OFFSET_HIGH = WORDS + 20,

	DATA_WORDS = 12,
	DATA_LENGTH = WORDS + 10,
	DATA_LENGTH_HIGH = WORDS + 14,
	DATA_COUNT = WORDS + 24, /* of all bytes, those in front of the data as well */

	CREATE_WORDS = 24,
	CREATE_FLAGS = WORDS + 7,
	CREATE_ACCESS = WORDS + 15,
	CREATE_DISPOSITION = WORDS + 35,
	CREATE_OPTIONS = WORDS + 39,
	CREATED_OPLOCK = SMB1_HEADER + 1 + 4, /* without the frame */

	FLAGS_OPLOCK = 0x2,
	FLAGS_BATCH = 0x4,
	DISPOSITION_OPEN = 1,
	DELETE_ON_CLOSE = 0x1000,
	DIRECTORY_OR_UNCACHED = 0x1 | 0x8,

	OPLOCK_NONE = 0,
	OPLOCK_EXCLUSIVE = 1,
	OPLOCK_BATCH = 2,

	AGREE_WORDS = 8,
	OPLOCK_RELEASE = 0x02,
	TRANSACTION_CALL = WORDS + 28,
	TRANSACTION_WORDS = 15,
};

/* access: generic, or of data alone; to write, any, the most, to delete */
static const uint32_t read_data = 0x80000001, write_or_any = 0x40000000 | 0x10000000 | 0x02000000 | 0x10006;

enum {
	CLOSE = 0x04,
	PROCESS_EXIT = 0x11,
	QUERY_INFORMATION = 0x08,
	READ_OLD = 0x0a,
	QUERY_INFORMATION2 = 0x23,
	LOCKING = 0x24,
	ECHO = 0x2b,
	READ_ANDX = 0x2e,
	WRITE_ANDX = 0x2f,
	TRANSACTION2 = 0x32,
	FIND_CLOSE2 = 0x34,
	TREE_DISCONNECT = 0x71,
	NEGOTIATE = 0x72,
	SESSION_SETUP = 0x73,
	LOGOFF = 0x74,
	TREE_CONNECT = 0x75,
	NT_CREATE = 0xa2,
	NT_CANCEL = 0xa4,
};

static bool has_words(const struct tp_message *message, size_t words)
{
	return message->kept >= WORDS + 2 * words && message->head[WORDS_COUNT] >= words;
}

static bool only_looks(const struct tp_message *message)
{
	if (!has_words(message, TRANSACTION_WORDS))
		return false;
	switch (smb_get16(message->head + TRANSACTION_CALL)) {
	case 1: /* find first, find next, query of a volume, of a path, of a file */
	case 2:
	case 3:
	case 5:
	case 7:
		return true;
	default:
		return false;
	}
}

/* Whether a chain closes the file that its first command is about. */
static bool closes_behind(const struct tp_message *message)
{
	switch (message->event.smb.command) {
	case LOCKING:
	case READ_ANDX:
	case WRITE_ANDX:
		return has_words(message, 1) && message->head[WORDS] == CLOSE;
	default:
		return false;
	}
}

static enum tp_kind kind(const struct tp_message *message)
{
	const uint8_t *head = message->head;

	if (closes_behind(message))
		return TP_ENDS;
	switch (message->event.smb.command) {
	case READ_ANDX:
		return has_words(message, READ_WORDS) && head[WORDS] == NO_ANDX ? TP_READ : TP_CHANGES;
	case CLOSE:
	case PROCESS_EXIT:
	case TREE_DISCONNECT:
		return TP_ENDS;
	case LOGOFF:
		return has_words(message, 1) && head[WORDS] == NO_ANDX ? TP_ENDS : TP_CHANGES;
	case SESSION_SETUP:
		return TP_LOGS_IN;
	case NT_CANCEL:
		return TP_CANCEL;
	case NT_CREATE:
		if (!has_words(message, CREATE_WORDS) || head[WORDS] != NO_ANDX ||
		    smb_get32(head + CREATE_DISPOSITION) != DISPOSITION_OPEN ||
		    smb_get32(head + CREATE_OPTIONS) & DELETE_ON_CLOSE)
			return TP_CHANGES;
		return TP_OPEN;
	case LOCKING:
		/* agrees to a break, and neither locks nor unlocks */
		return has_words(message, AGREE_WORDS) && head[WORDS + 6] == OPLOCK_RELEASE && !smb_get32(head + WORDS + 12) &&
				       head[WORDS] == NO_ANDX ?
			       TP_HARMLESS :
			       TP_CHANGES;
	case TRANSACTION2:
		return only_looks(message) ? TP_HARMLESS : TP_CHANGES;
	case TREE_CONNECT:
		return has_words(message, 1) && head[WORDS] == NO_ANDX ? TP_HARMLESS : TP_CHANGES;
	case QUERY_INFORMATION:
	case READ_OLD:
	case QUERY_INFORMATION2:
	case ECHO:
	case FIND_CLOSE2:
	case NEGOTIATE:
		return TP_HARMLESS;
	default:
		return TP_CHANGES;
	}
}

static bool plain(const struct tp_message *message)
{
	return message->kept <= TP_ASKED && has_words(message, LARGE_READ_WORDS);
}

static uint32_t least(const uint8_t *head)
{
	(void)head; /* what it says is for pipes */
	return 0;
}

static bool askable(const struct tp_message *message)
{
	const uint8_t *head = message->head;
	uint32_t access = smb_get32(head + CREATE_ACCESS);

	return !(smb_get32(head + CREATE_FLAGS) & (FLAGS_OPLOCK | FLAGS_BATCH)) && access & read_data &&
	       !(access & write_or_any) && !(smb_get32(head + CREATE_OPTIONS) & DIRECTORY_OR_UNCACHED);
}

static void ask(uint8_t *head)
{
	head[CREATE_FLAGS] |= FLAGS_OPLOCK;
}

static void hide(uint8_t *header)
{
	header[CREATED_OPLOCK] = OPLOCK_NONE;
}

static bool exclusive(uint8_t oplock)
{
	return oplock == OPLOCK_EXCLUSIVE || oplock == OPLOCK_BATCH;
}

static size_t predict(const struct tp_file *file, uint64_t id, uint64_t offset, uint32_t length, uint8_t *made)
{
	memcpy(made, file->asked, file->asked_length);
	tp_put16(made + MULTIPLEX, (uint16_t)id);
	tp_put32(made + READ_OFFSET, (uint32_t)offset);
	tp_put16(made + READ_MOST, (uint16_t)length);
	tp_put32(made + READ_OFFSET_HIGH, (uint32_t)(offset >> 32));
	return file->asked_length;
}

static void answer(uint8_t *answered, size_t length, const struct tp_read *read, uint32_t bytes, uint16_t credits)
{
	size_t between = length - (DATA_COUNT + 2);

	(void)credits;
	tp_frame(answered, length - TP_PREFIX + bytes);
	memcpy(answered + PROCESS_HIGH, read->asked + PROCESS_HIGH, 2);
	memcpy(answered + TREE, read->asked + TREE, 8);
	tp_put16(answered + DATA_LENGTH, (uint16_t)bytes);
	tp_put16(answered + DATA_LENGTH_HIGH, (uint16_t)(bytes >> 16));
	tp_put16(answered + DATA_COUNT, (uint16_t)(bytes + between));
}

static size_t agree(const struct tp_file *file, uint64_t id, uint8_t *made)
{
	memcpy(made, file->opened, WORDS);
	memset(made + WORDS, 0, 2 * AGREE_WORDS + 2);
	made[COMMAND] = LOCKING;
	made[WORDS_COUNT] = AGREE_WORDS;
	made[WORDS] = NO_ANDX;
	memcpy(made + WORDS + 4, file->id, 2);
	made[WORDS + 6] = OPLOCK_RELEASE;
	tp_put16(made + MULTIPLEX, (uint16_t)id);
	tp_frame(made, WORDS - TP_PREFIX + 2 * AGREE_WORDS + 2);
	return WORDS + 2 * AGREE_WORDS + 2;
}

const struct tp_protocol tp_smb1 = {
	.kind = kind,
	.plain = plain,
	.least = least,
	.askable = askable,
	.ask = ask,
	.hide = hide,
	.exclusive = exclusive,
	.predict = predict,
	.answer = answer,
	.agree = agree,
	.answered_least = DATA_COUNT + 2,
	.id_length = 2,
	.breaks_name_tree = true,
};
