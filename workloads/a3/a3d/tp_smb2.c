/* SPDX-License-Identifier: MIT */
/* Messages of SMB2 and SMB3 that TP makes and changes (MS-SMB2, 2.2). Places in them are those of its tables. */
#include "tp_parts.h"

#include <string.h>

enum {
	BODY = TP_PREFIX + SMB2_HEADER,

	CHARGE = TP_PREFIX + 6, /* of the header */
	STATUS = TP_PREFIX + 8,
	COMMAND = TP_PREFIX + 12,
	CREDITS = TP_PREFIX + 14,
	FLAGS = TP_PREFIX + 16,
	NEXT = TP_PREFIX + 20,
	MESSAGE = TP_PREFIX + 24,
	PROCESS_TREE = TP_PREFIX + 32,
	SESSION = TP_PREFIX + 40,
	SIGNATURE = TP_PREFIX + 48,

	FLAG_ASYNC = 0x2,

	READ_FLAGS = BODY + 3,
	READ_LENGTH = BODY + 4,
	READ_OFFSET = BODY + 8,
	READ_LEAST = BODY + 32,
	READ_CHANNEL = BODY + 36,
	READ_REMAINING = BODY + 40,
	READ_MORE = BODY + 46,
	READ_END = BODY + 48,

	DATA_LENGTH = BODY + 4, /* of the answer to a read */

	CREATE_OPLOCK = BODY + 3,
	CREATE_ACCESS = BODY + 24,
	CREATE_DISPOSITION = BODY + 36,
	CREATE_OPTIONS = BODY + 40,
	CREATE_END = BODY + 56,
	CREATED_OPLOCK = SMB2_HEADER + 2, /* without the frame */

	DISPOSITION_OPEN = 1,
	DELETE_ON_CLOSE = 0x1000,
	DIRECTORY_OR_UNCACHED = 0x1 | 0x8,

	OPLOCK_NONE = 0,
	OPLOCK_EXCLUSIVE = 8,
	OPLOCK_BATCH = 9,

	AGREE_SIZE = 24,
};

/* access: generic, or of data alone; to write, any, the most, to delete */
static const uint32_t read_data = 0x80000001, write_or_any = 0x40000000 | 0x10000000 | 0x02000000 | 0x10006;

enum {
	NEGOTIATE = 0x00,
	SESSION_SETUP = 0x01,
	LOGOFF = 0x02,
	TREE_CONNECT = 0x03,
	TREE_DISCONNECT = 0x04,
	CREATE = 0x05,
	CLOSE = 0x06,
	READ = 0x08,
	CANCEL = 0x0c,
	ECHO = 0x0d,
	QUERY_DIRECTORY = 0x0e,
	CHANGE_NOTIFY = 0x0f,
	QUERY_INFO = 0x10,
	OPLOCK_BREAK = 0x12,
};

static enum tp_kind kind(const struct tp_message *message)
{
	const uint8_t *head = message->head;

	switch (message->event.smb.command) {
	case READ:
		return TP_READ;
	case CLOSE:
	case TREE_DISCONNECT:
	case LOGOFF:
		return TP_ENDS;
	case SESSION_SETUP:
		return TP_LOGS_IN;
	case CANCEL:
		return TP_CANCEL;
	case CREATE:
		/* at the places of a frame's first message; of another one, nobody asks */
		if (!message->alone || message->kept < CREATE_END ||
		    smb_get32(head + CREATE_DISPOSITION) != DISPOSITION_OPEN ||
		    smb_get32(head + CREATE_OPTIONS) & DELETE_ON_CLOSE)
			return TP_CHANGES;
		return TP_OPEN;
	case NEGOTIATE:
	case TREE_CONNECT:
	case ECHO:
	case QUERY_DIRECTORY:
	case CHANGE_NOTIFY:
	case QUERY_INFO:
	case OPLOCK_BREAK:
		return TP_HARMLESS;
	default:
		return TP_CHANGES;
	}
}

static bool plain(const struct tp_message *message)
{
	const uint8_t *head = message->head;

	return message->kept >= READ_END && message->kept <= TP_ASKED && !head[READ_FLAGS] && !smb_get32(head + READ_CHANNEL) &&
	       !smb_get16(head + READ_MORE) && smb_get16(head + CHARGE) <= 1;
}

static uint32_t least(const uint8_t *head)
{
	return smb_get32(head + READ_LEAST);
}

static bool askable(const struct tp_message *message)
{
	const uint8_t *head = message->head;
	uint32_t access = smb_get32(head + CREATE_ACCESS);

	return head[CREATE_OPLOCK] == OPLOCK_NONE && access & read_data && !(access & write_or_any) &&
	       !(smb_get32(head + CREATE_OPTIONS) & DIRECTORY_OR_UNCACHED);
}

static void ask(uint8_t *head)
{
	head[CREATE_OPLOCK] = OPLOCK_EXCLUSIVE;
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
	tp_put16(made + CREDITS, 1);
	tp_put64(made + MESSAGE, id);
	tp_put32(made + READ_LENGTH, length);
	tp_put64(made + READ_OFFSET, offset);
	tp_put32(made + READ_LEAST, 0);
	tp_put32(made + READ_REMAINING, 0);
	return file->asked_length;
}

static void answer(uint8_t *answered, size_t length, const struct tp_read *read, uint32_t bytes, uint16_t credits)
{
	tp_frame(answered, length - TP_PREFIX + bytes);
	memcpy(answered + CHARGE, read->asked + CHARGE, 2);
	tp_put16(answered + CREDITS, credits);
	tp_put32(answered + FLAGS, smb_get32(answered + FLAGS) & ~(uint32_t)FLAG_ASYNC);
	tp_put64(answered + MESSAGE, read->smb.message);
	memcpy(answered + PROCESS_TREE, read->asked + PROCESS_TREE, 8);
	tp_put32(answered + DATA_LENGTH, bytes);
}

static size_t agree(const struct tp_file *file, uint64_t id, uint8_t *made)
{
	memcpy(made, file->opened, BODY);
	memset(made + BODY, 0, AGREE_SIZE);
	tp_frame(made, SMB2_HEADER + AGREE_SIZE);
	tp_put16(made + CHARGE, smb_get16(made + CHARGE) ? 1 : 0); /* none in SMB2.0.2 */
	tp_put16(made + COMMAND, OPLOCK_BREAK);
	tp_put16(made + CREDITS, 1);
	tp_put32(made + NEXT, 0);
	tp_put64(made + MESSAGE, id);
	tp_put16(made + BODY, AGREE_SIZE);
	made[BODY + 2] = OPLOCK_NONE;
	memcpy(made + BODY + 8, file->id, sizeof(file->id));
	return BODY + AGREE_SIZE;
}

const struct tp_protocol tp_smb2 = {
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
	.agreed_is_answered = true,
	.answered_least = DATA_LENGTH + 12,
	.id_length = 16,
};
