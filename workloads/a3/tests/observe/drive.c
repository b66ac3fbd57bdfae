/* SPDX-License-Identifier: MIT */
/*
 * Bytes in, events out: what an observer says of one connection.
 *
 *	drive smtp|smb|http < lines
 *
 * A line is ">" (to the server) or "<" (to the client) and bytes in hexadecimal, which are observed as one piece; without
 * bytes, the direction has ended. "=" ends the connection, and another one begins. For each event, it prints its kind, its
 * direction, and what else there is of it; for "=", the same. Each piece has its own memory, so that AddressSanitizer sees
 * what reads behind its end; so has the observer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe.h"

static const char *const protocols[OBSERVE_PROTOCOLS] = {
	[OBSERVE_SMTP] = "smtp",
	[OBSERVE_SMB] = "smb",
	[OBSERVE_HTTP] = "http",
};

static enum observe_protocol protocol;

static void say_number(const char *name, uint64_t value)
{
	if (value)
		printf(" %s=%" PRIu64, name, value);
}

static void say_bytes(const char *name, bool there, const uint8_t *bytes, size_t length)
{
	if (!there)
		return;
	printf(" %s=", name);
	while (length--)
		printf("%02x", *bytes++);
}

static void say_smb(const struct observe_smb_message *smb)
{
	static const uint8_t none[sizeof(smb->lease)];

	say_number("version", smb->version);
	say_number("command", smb->command);
	say_number("answer", smb->answer);
	say_number("interim", smb->interim);
	say_number("related", smb->related);
	say_number("status", smb->status);
	say_number("message", smb->message);
	say_number("session", smb->session);
	say_number("tree", smb->tree);
	say_number("charge", smb->credit_charge);
	say_number("credits", smb->credits);
	say_bytes("file", smb->has_file, smb->file, smb->version == 1 ? 2 : sizeof(smb->file));
	say_number("offset", smb->offset);
	say_number("length", smb->length);
	say_number("data", smb->data);
	if (smb->has_size)
		printf(" size=%" PRIu64, smb->size);
	say_number("oplock", smb->oplock);
	say_bytes("lease", memcmp(smb->lease, none, sizeof(none)), smb->lease, sizeof(smb->lease));
	say_number("lease_state", smb->lease_state);
	say_number("breaks", smb->breaks);
}

static void say_http(const struct observe_http_message *http)
{
	if (http->method)
		printf(" method=%s", http->method);
	if (http->target)
		printf(" target=%.*s", (int)http->target_length, http->target);
	say_number("status", http->status);
	if (http->has_length)
		printf(" length=%" PRIu64, http->length);
}

static void say_more(const struct observe_event *event)
{
	if (protocol == OBSERVE_SMTP) {
		say_number("code", event->smtp.code);
		say_number("has_path", event->smtp.path != NULL);
		say_bytes("path", event->smtp.path_length, event->smtp.path, event->smtp.path_length);
	}
	if (protocol == OBSERVE_SMB)
		say_smb(&event->smb);
	if (protocol == OBSERVE_HTTP)
		say_http(&event->http);
}

static void say(void *context, const struct observe_event *event)
{
	static const char *const kinds[] = { [OBSERVE_BEGIN] = "begin", [OBSERVE_END] = "end", [OBSERVE_ALONE] = "alone" };

	(void)context;
	printf("%s %c %s", kinds[event->kind], event->way == OBSERVE_TO_SERVER ? '>' : '<',
	       event->kind == OBSERVE_ALONE ? observe_alone_name(event->alone) : observe_label_name(event->label));
	printf(" %" PRIu64, event->start);
	if (event->end == OBSERVE_NO_END)
		printf(" ?");
	else
		printf(" %" PRIu64, event->end);
	printf(" %" PRIu32 "%s", event->exchange, observe_thin(event->label) ? " thin" : "");
	if (event->kind != OBSERVE_ALONE)
		say_more(event);
	putchar('\n');
}

static void *own(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		exit(1);
	return memory;
}

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static void observe_line(struct observe *observe, const char *line)
{
	enum observe_way way = line[0] == '>' ? OBSERVE_TO_SERVER : OBSERVE_TO_CLIENT;
	size_t length = (strcspn(line, "\n") - 1) / 2;
	uint8_t *bytes = own(length);

	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(nibble(line[1 + 2 * i]) << 4 | nibble(line[2 + 2 * i]));
	if (length)
		observe_bytes(observe, way, bytes, length);
	else
		observe_ended(observe, way);
	free(bytes);
}

int main(int argc, char **argv)
{
	struct observe *observe;
	char *line = NULL;
	size_t size = 0;

	while (argc == 2 && protocol < OBSERVE_PROTOCOLS && strcmp(argv[1], protocols[protocol]))
		protocol++;
	if (argc != 2 || protocol == OBSERVE_PROTOCOLS)
		return 2;
	observe = own(observe_size(protocol));
	observe_begin(observe, protocol, say, NULL);
	while (getline(&line, &size, stdin) > 0) {
		if (line[0] == '=') {
			puts("=");
			observe_begin(observe, protocol, say, NULL);
			continue;
		}
		observe_line(observe, line);
	}
	free(line);
	free(observe);
	return 0;
}
