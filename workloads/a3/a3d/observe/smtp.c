/* SPDX-License-Identifier: MIT */
/*
 * SMTP (RFC 5321), with PIPELINING (2920), CHUNKING (3030), AUTH (4954) and STARTTLS (3207), of which the last ends the
 * observation.
 *
 * Lines end in CR LF. A CR or LF alone ends a line for some servers and not for others, so it ends the observation; in a
 * mail's text, only where it matters: next to a dot that would be the text's end for one of them.
 */
#include "observer.h"

#include <ctype.h>
#include <string.h>

enum {
	LINE_LIMIT = 12288, /* bytes, the longest in an RFC: an answer to AUTH (4954, 4.9) */
	HEAD = 280, /* bytes of a line that are kept: RCPT TO: with the longest path (RFC 5321 4.5.3.1.3) */
	PENDING = 256, /* commands without an answer */
	SIZE_DIGITS = 19,
};

enum command {
	COMMAND_UNKNOWN,
	COMMAND_EHLO,
	COMMAND_MAIL,
	COMMAND_RCPT,
	COMMAND_DATA,
	COMMAND_TEXT, /* the end of a mail's text is answered as well */
	COMMAND_CHUNK,
	COMMAND_QUIT,
	COMMAND_STARTTLS,
	COMMAND_AUTH,
	COMMAND_NEUTRAL, /* changes nothing of what comes next */
};

static const struct {
	const char *verb;
	enum command command;
} verbs[] = {
	{ "EHLO", COMMAND_EHLO },     { "HELO", COMMAND_EHLO },	      { "MAIL", COMMAND_MAIL },	   { "RCPT", COMMAND_RCPT },
	{ "DATA", COMMAND_DATA },     { "BDAT", COMMAND_CHUNK },      { "QUIT", COMMAND_QUIT },	   { "AUTH", COMMAND_AUTH },
	{ "RSET", COMMAND_NEUTRAL },  { "NOOP", COMMAND_NEUTRAL },    { "VRFY", COMMAND_NEUTRAL }, { "EXPN", COMMAND_NEUTRAL },
	{ "HELP", COMMAND_NEUTRAL },  { "ETRN", COMMAND_NEUTRAL },    { "STARTTLS", COMMAND_STARTTLS },
};

static const struct {
	enum observe_label asked, answered;
	bool waits; /* its answer decides how the client's next bytes are to be read */
} commands[] = {
	[COMMAND_UNKNOWN] = { OBSERVE_OTHER, OBSERVE_OTHER, true },
	[COMMAND_EHLO] = { OBSERVE_SMTP_2, OBSERVE_SMTP_3, false },
	[COMMAND_MAIL] = { OBSERVE_SMTP_4, OBSERVE_SMTP_5, false },
	[COMMAND_RCPT] = { OBSERVE_SMTP_6, OBSERVE_SMTP_7, false },
	[COMMAND_DATA] = { OBSERVE_SMTP_8, OBSERVE_SMTP_8, true },
	[COMMAND_TEXT] = { OBSERVE_SMTP_11, OBSERVE_SMTP_12, false },
	[COMMAND_CHUNK] = { OBSERVE_OTHER, OBSERVE_SMTP_12, false },
	[COMMAND_QUIT] = { OBSERVE_SMTP_13, OBSERVE_SMTP_14, false },
	[COMMAND_STARTTLS] = { OBSERVE_OTHER, OBSERVE_OTHER, true },
	[COMMAND_AUTH] = { OBSERVE_OTHER, OBSERVE_OTHER, true },
	[COMMAND_NEUTRAL] = { OBSERVE_OTHER, OBSERVE_OTHER, false },
};

/* what the client's next bytes are */
enum mode {
	MODE_COMMAND,
	MODE_CREDENTIALS, /* a line that answers a challenge of AUTH */
	MODE_TEXT,
	MODE_CHUNK,
	MODE_WAIT, /* nothing, before an answer has come */
};

/* how the text's last bytes are to be read */
enum text {
	TEXT_START, /* a line has ended, or the text starts */
	TEXT_LINE,
	TEXT_CR,
	TEXT_ODD, /* a line has ended for some */
	TEXT_DOT, /* a line of one dot so far */
	TEXT_DOT_CR,
	TEXT_DOT_ODD, /* the same for some */
};

struct line {
	uint8_t head[HEAD];
	size_t length; /* without CR LF */
	bool cr;
};

struct smtp {
	struct observe base;
	struct line line[OBSERVE_WAYS];
	enum mode mode;
	enum text text;
	bool text_said;
	uint64_t chunk_left;
	uint32_t exchange; /* of the last command */
	bool greeted;
	uint16_t code; /* of the answer under way; 0: none is */
	enum command answering; /* what it answers */
	struct observe_event answer;
	uint8_t pending[PENDING]; /* enum command: a ring */
	unsigned int oldest, waiting;
};

static void line_begin(struct line *line)
{
	line->length = 0;
	line->cr = false;
}

/* Read up to the end of a line. Returns the number of bytes; *whole: it has ended. */
static size_t line_take(struct smtp *smtp, enum observe_way way, const uint8_t *bytes, size_t length, bool *whole)
{
	struct line *line = &smtp->line[way];

	*whole = false;
	for (size_t i = 0; i < length; i++) {
		if (line->cr != (bytes[i] == '\n')) { /* one without the other */
			observe_leave(&smtp->base, way, OBSERVE_AMBIGUOUS);
			return i + 1;
		}
		if (line->cr) {
			*whole = true;
			return i + 1;
		}
		if (bytes[i] == '\r') {
			line->cr = true;
			continue;
		}
		if (line->length == LINE_LIMIT) {
			observe_leave(&smtp->base, way, OBSERVE_LIMIT);
			return i + 1;
		}
		if (line->length < HEAD)
			line->head[line->length] = bytes[i];
		line->length++;
	}
	return length;
}

static size_t word_length(const struct line *line)
{
	size_t length = 0;

	while (length < line->length && length < HEAD && line->head[length] != ' ' && line->head[length] != '\t')
		length++;
	return length;
}

static bool same_word(const uint8_t *bytes, size_t length, const char *word)
{
	if (strlen(word) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (toupper(bytes[i]) != word[i])
			return false;
	return true;
}

static enum command command_of(const struct line *line)
{
	size_t length = word_length(line);

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (same_word(line->head, length, verbs[i].verb))
			return verbs[i].command;
	return COMMAND_UNKNOWN;
}

/* Read "BDAT 1000" or "BDAT 1000 LAST". */
static bool chunk_size(const struct line *line, uint64_t *size)
{
	size_t at = sizeof("BDAT ") - 1, digits = 0;

	if (line->length > HEAD)
		return false;
	*size = 0;
	for (; at < line->length && isdigit(line->head[at]); at++, digits++) {
		if (digits == SIZE_DIGITS)
			return false;
		*size = *size * 10 + (uint64_t)(line->head[at] - '0');
	}
	if (!digits)
		return false;
	return at == line->length ||
	       (line->head[at] == ' ' && same_word(line->head + at + 1, line->length - at - 1, "LAST"));
}

/* Find the path of "MAIL FROM:<a@b.c> SIZE=1": what is between its angle brackets. */
static void find_path(const struct line *line, struct observe_event *event)
{
	const size_t kept = line->length < HEAD ? line->length : HEAD;
	const uint8_t *begin = memchr(line->head, '<', kept), *end;
	size_t left;

	if (!begin)
		return;
	begin++;
	left = kept - (size_t)(begin - line->head);
	end = memchr(begin, '>', left);
	if (!end)
		return;
	event->smtp.path = begin;
	event->smtp.path_length = (size_t)(end - begin);
}

/* Say a command that ends at a byte, and expect an answer to it. */
static void asked(struct smtp *smtp, enum command command, uint64_t end)
{
	struct observe_event event = { .label = commands[command].asked, .exchange = smtp->exchange + 1 };

	if (smtp->waiting == PENDING) {
		observe_leave(&smtp->base, OBSERVE_TO_SERVER, OBSERVE_LIMIT);
		return;
	}
	smtp->pending[(smtp->oldest + smtp->waiting) % PENDING] = (uint8_t)command;
	smtp->waiting++;
	smtp->exchange++;
	smtp->mode = commands[command].waits ? MODE_WAIT : MODE_COMMAND;
	if (command == COMMAND_MAIL || command == COMMAND_RCPT)
		find_path(&smtp->line[OBSERVE_TO_SERVER], &event);
	observe_say_whole(&smtp->base, OBSERVE_TO_SERVER, end, &event);
}

static size_t take_command(struct smtp *smtp, const uint8_t *bytes, size_t length)
{
	struct line *line = &smtp->line[OBSERVE_TO_SERVER];
	enum command command = COMMAND_AUTH;
	bool whole;
	size_t taken = line_take(smtp, OBSERVE_TO_SERVER, bytes, length, &whole);

	if (!whole)
		return taken;
	if (smtp->mode == MODE_COMMAND)
		command = command_of(line);
	if (command == COMMAND_CHUNK && !chunk_size(line, &smtp->chunk_left)) {
		observe_leave(&smtp->base, OBSERVE_TO_SERVER, OBSERVE_MALFORMED);
		return taken;
	}
	asked(smtp, command, smtp->base.at[OBSERVE_TO_SERVER] + taken);
	if (command == COMMAND_CHUNK && smtp->chunk_left)
		smtp->mode = MODE_CHUNK;
	line_begin(line);
	return taken;
}

/* The text has the number of the answer to its end, of which the command comes last: behind it, or before a chunk. */
static void say_text(struct smtp *smtp, enum observe_kind kind, uint64_t end)
{
	struct observe_event event = {
		.label = OBSERVE_SMTP_9,
		.exchange = smtp->exchange + (smtp->mode == MODE_CHUNK ? 0 : 1),
	};

	observe_say(&smtp->base, OBSERVE_TO_SERVER, kind, end, &event);
}

static size_t take_chunk(struct smtp *smtp, size_t length)
{
	uint64_t at = smtp->base.at[OBSERVE_TO_SERVER];

	if (!smtp->text_said)
		say_text(smtp, OBSERVE_BEGIN, at + smtp->chunk_left);
	smtp->text_said = true;
	if (length < smtp->chunk_left) {
		smtp->chunk_left -= length;
		return length;
	}
	length = (size_t)smtp->chunk_left;
	say_text(smtp, OBSERVE_END, at + length);
	smtp->text_said = false;
	smtp->mode = MODE_COMMAND;
	return length;
}

static enum text text_next(enum text text, uint8_t byte)
{
	bool odd = text == TEXT_CR || text == TEXT_ODD;

	if (byte == '\r')
		return text == TEXT_DOT ? TEXT_DOT_CR : TEXT_CR;
	if (byte == '\n')
		return text == TEXT_CR ? TEXT_START : TEXT_ODD;
	if (byte == '.' && (odd || text == TEXT_START))
		return odd ? TEXT_DOT_ODD : TEXT_DOT;
	return TEXT_LINE;
}

/* Whether a dot is the text's end for some servers and not for others. */
static bool text_ambiguous(enum text text, uint8_t byte)
{
	bool ends = byte == '\r' || byte == '\n';

	if (text == TEXT_DOT)
		return byte == '\n';
	return text == TEXT_DOT_CR ? byte != '\n' : text == TEXT_DOT_ODD && ends;
}

static size_t take_text(struct smtp *smtp, const uint8_t *bytes, size_t length)
{
	static const size_t last_line = sizeof(".\r\n") - 1;

	for (size_t i = 0; i < length; i++) {
		uint64_t end = smtp->base.at[OBSERVE_TO_SERVER] + i + 1;

		if (text_ambiguous(smtp->text, bytes[i])) {
			observe_leave(&smtp->base, OBSERVE_TO_SERVER, OBSERVE_AMBIGUOUS);
			return i + 1;
		}
		if (smtp->text == TEXT_DOT_CR) {
			if (smtp->text_said)
				say_text(smtp, OBSERVE_END, end - last_line);
			smtp->text_said = false;
			asked(smtp, COMMAND_TEXT, end);
			return i + 1;
		}
		smtp->text = text_next(smtp->text, bytes[i]);
		if (!smtp->text_said && smtp->text != TEXT_DOT && smtp->text != TEXT_DOT_CR) {
			say_text(smtp, OBSERVE_BEGIN, OBSERVE_NO_END);
			smtp->text_said = true;
		}
	}
	return length;
}

static size_t take_from_client(struct smtp *smtp, const uint8_t *bytes, size_t length)
{
	switch (smtp->mode) {
	case MODE_WAIT:
		observe_leave(&smtp->base, OBSERVE_TO_SERVER, OBSERVE_EARLY);
		return length;
	case MODE_TEXT:
		return take_text(smtp, bytes, length);
	case MODE_CHUNK:
		return take_chunk(smtp, length);
	case MODE_COMMAND:
	case MODE_CREDENTIALS:
		break;
	}
	return take_command(smtp, bytes, length);
}

/* Do what an answer means for the client's next bytes. */
static void answered(struct smtp *smtp)
{
	unsigned int first_digit = smtp->code / 100;
	bool refused = first_digit > 3;

	if (smtp->answer.exchange) {
		smtp->oldest = (smtp->oldest + 1) % PENDING;
		smtp->waiting--;
	}
	if (!commands[smtp->answering].waits)
		return;
	smtp->mode = MODE_COMMAND;
	if (smtp->answering == COMMAND_DATA && first_digit == 3) {
		smtp->mode = MODE_TEXT;
		smtp->text = TEXT_START;
	} else if (smtp->answering == COMMAND_AUTH && first_digit == 3) {
		smtp->mode = MODE_CREDENTIALS;
	} else if (smtp->answering == COMMAND_STARTTLS && !refused) {
		observe_leave(&smtp->base, OBSERVE_TO_CLIENT, OBSERVE_ENCRYPTED);
	} else if (smtp->answering == COMMAND_UNKNOWN && !refused) {
		observe_leave(&smtp->base, OBSERVE_TO_CLIENT, OBSERVE_UNKNOWN);
	}
}

/* Find what an answer answers. False: nothing that it could. */
static bool answer_begins(struct smtp *smtp)
{
	enum { CLOSING = 421 };

	smtp->answering = COMMAND_NEUTRAL;
	smtp->answer = (struct observe_event){ .label = OBSERVE_OTHER, .smtp.code = smtp->code };
	if (!smtp->greeted) {
		smtp->greeted = true;
		smtp->answer.label = OBSERVE_SMTP_1;
		return true;
	}
	if (!smtp->waiting)
		return smtp->code == CLOSING;
	smtp->answering = (enum command)smtp->pending[smtp->oldest];
	smtp->answer.label = commands[smtp->answering].answered;
	smtp->answer.exchange = smtp->exchange - smtp->waiting + 1;
	return true;
}

/* Read the code at the start of a line, and whether it is the answer's last line. */
static bool code_of(const struct line *line, uint16_t *code, bool *last)
{
	const uint8_t *head = line->head;

	if (line->length < 3 || head[0] < '2' || head[0] > '5' || !isdigit(head[1]) || !isdigit(head[2]))
		return false;
	if (line->length > 3 && head[3] != ' ' && head[3] != '-')
		return false;
	*code = (uint16_t)((head[0] - '0') * 100 + (head[1] - '0') * 10 + head[2] - '0');
	*last = line->length == 3 || head[3] == ' ';
	return true;
}

static size_t take_from_server(struct smtp *smtp, const uint8_t *bytes, size_t length)
{
	struct line *line = &smtp->line[OBSERVE_TO_CLIENT];
	uint16_t code = 0;
	bool whole, last = false, begins = !smtp->code;
	size_t taken = line_take(smtp, OBSERVE_TO_CLIENT, bytes, length, &whole);
	uint64_t end = smtp->base.at[OBSERVE_TO_CLIENT] + taken;

	if (!whole)
		return taken;
	if (!code_of(line, &code, &last) || (!begins && code != smtp->code)) {
		observe_leave(&smtp->base, OBSERVE_TO_CLIENT, OBSERVE_MALFORMED);
		return taken;
	}
	smtp->code = code;
	line_begin(line);
	if (begins && !answer_begins(smtp)) {
		observe_leave(&smtp->base, OBSERVE_TO_CLIENT, OBSERVE_MALFORMED);
		return taken;
	}
	if (begins)
		observe_say(&smtp->base, OBSERVE_TO_CLIENT, OBSERVE_BEGIN, last ? end : OBSERVE_NO_END, &smtp->answer);
	if (last) {
		observe_say(&smtp->base, OBSERVE_TO_CLIENT, OBSERVE_END, end, &smtp->answer);
		answered(smtp);
		smtp->code = 0;
	}
	return taken;
}

static size_t smtp_take(struct observe *observe, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct smtp *smtp = (struct smtp *)observe;

	if (way == OBSERVE_TO_SERVER)
		return take_from_client(smtp, bytes, length);
	return take_from_server(smtp, bytes, length);
}

const struct observer observe_smtp = { .size = sizeof(struct smtp), .take = smtp_take };
