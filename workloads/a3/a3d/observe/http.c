/* SPDX-License-Identifier: MIT */
/*
 * HTTP/1.0 and 1.1 (RFC 9112), parsed by llhttp, which is strict by default: it refuses what servers read in different
 * ways, such as two lengths. HTTP/2 and upgrades end the observation.
 */
#include "observer.h"

#include <llhttp.h>
#include <string.h>

enum {
	PENDING = 64, /* requests without an answer */
	NAME = 16, /* bytes of a header's name that count */
	VALUE = 9, /* and of its value */
	TLS_HANDSHAKE = 0x16, /* the first byte of a record */
};

/* what the answer's meaning depends on */
enum asked {
	ASKED_ANY,
	ASKED_HEAD,
	ASKED_TUNNEL, /* CONNECT */
};

struct pending {
	uint8_t asked, label;
};

struct http_way {
	llhttp_t parser;
	struct http *http;
	enum observe_way way;
	char name[NAME], value[VALUE], target[OBSERVE_HTTP_TARGET];
	size_t name_length, value_length, target_length;
	bool wants_page;
	struct observe_event event;
};

struct http {
	struct observe base;
	struct http_way side[OBSERVE_WAYS];
	struct pending pending[PENDING]; /* a ring */
	unsigned int oldest, waiting;
	uint32_t exchange; /* of the last request */
	bool upgrade_asked; /* the answer decides how the client's next bytes are to be read */
};

/* Keep the first bytes of what comes in pieces; the length is that of all of it. */
static void collect(char *to, size_t most, size_t *length, const char *piece, size_t bytes)
{
	if (*length < most)
		memcpy(to + *length, piece, bytes < most - *length ? bytes : most - *length);
	*length += bytes;
}

static bool same_name(const struct http_way *side, const char *name)
{
	size_t length = strlen(name);

	if (side->name_length != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((side->name[i] | 0x20) != name[i])
			return false;
	return true;
}

static int on_message_begin(llhttp_t *parser)
{
	struct http_way *side = parser->data;

	side->target_length = side->name_length = side->value_length = 0;
	side->wants_page = false;
	return 0;
}

static int on_url(llhttp_t *parser, const char *piece, size_t bytes)
{
	struct http_way *side = parser->data;

	collect(side->target, sizeof(side->target), &side->target_length, piece, bytes);
	return 0;
}

static int on_header_field(llhttp_t *parser, const char *piece, size_t bytes)
{
	struct http_way *side = parser->data;

	collect(side->name, sizeof(side->name), &side->name_length, piece, bytes);
	return 0;
}

static int on_header_value(llhttp_t *parser, const char *piece, size_t bytes)
{
	struct http_way *side = parser->data;

	collect(side->value, sizeof(side->value), &side->value_length, piece, bytes);
	return 0;
}

static int on_header_value_complete(llhttp_t *parser)
{
	static const char page[] = "text/html";
	struct http_way *side = parser->data;

	if (same_name(side, "accept") && side->value_length >= sizeof(page) - 1 &&
	    !memcmp(side->value, page, sizeof(page) - 1))
		side->wants_page = true;
	side->name_length = side->value_length = 0;
	return 0;
}

static int begin_request(struct http *http, struct http_way *side)
{
	struct observe_event *event = &side->event;
	uint8_t method = llhttp_get_method(&side->parser);
	struct pending *pending = &http->pending[(http->oldest + http->waiting) % PENDING];

	if (http->waiting == PENDING) {
		observe_leave(&http->base, OBSERVE_TO_SERVER, OBSERVE_LIMIT);
		return HPE_USER;
	}
	http->waiting++;
	if (method == HTTP_GET || method == HTTP_HEAD)
		event->label = side->wants_page ? OBSERVE_HTTP_3 : OBSERVE_HTTP_5;
	event->exchange = ++http->exchange;
	event->http.method = llhttp_method_name(method);
	if (side->target_length <= sizeof(side->target)) {
		event->http.target = side->target;
		event->http.target_length = side->target_length;
	}
	pending->asked = method == HTTP_HEAD ? ASKED_HEAD : method == HTTP_CONNECT ? ASKED_TUNNEL : ASKED_ANY;
	pending->label = event->label == OBSERVE_HTTP_3 ? OBSERVE_HTTP_4 :
			 event->label == OBSERVE_HTTP_5 ? OBSERVE_HTTP_6 :
							  OBSERVE_OTHER;
	return 0;
}

static bool interim(const struct http_way *side)
{
	return side->event.http.status < 200;
}

static int begin_answer(struct http *http, struct http_way *side)
{
	struct observe_event *event = &side->event;
	const struct pending *pending = &http->pending[http->oldest];

	if (!http->waiting) {
		observe_leave(&http->base, OBSERVE_TO_CLIENT, OBSERVE_MALFORMED);
		return HPE_USER;
	}
	event->http.status = side->parser.status_code;
	event->exchange = http->exchange - http->waiting + 1;
	if (interim(side))
		return 0;
	event->label = (enum observe_label)pending->label;
	if (pending->asked == ASKED_HEAD)
		return 1; /* its length is that of a body which does not follow */
	return pending->asked == ASKED_TUNNEL && event->http.status < 300 ? 2 : 0;
}

static int on_headers_complete(llhttp_t *parser)
{
	struct http_way *side = parser->data;
	int result;

	side->event = (struct observe_event){ .label = OBSERVE_OTHER };
	side->event.http.has_length = parser->flags & F_CONTENT_LENGTH;
	side->event.http.length = side->event.http.has_length ? parser->content_length : 0;
	result = (side->way == OBSERVE_TO_SERVER ? begin_request : begin_answer)(side->http, side);
	if (!side->http->base.alone)
		observe_say(&side->http->base, side->way, OBSERVE_BEGIN, OBSERVE_NO_END, &side->event);
	return result;
}

static int on_message_complete(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED; /* so that it says where */
}

static const llhttp_settings_t settings = {
	.on_message_begin = on_message_begin,
	.on_url = on_url,
	.on_header_field = on_header_field,
	.on_header_value = on_header_value,
	.on_header_value_complete = on_header_value_complete,
	.on_headers_complete = on_headers_complete,
	.on_message_complete = on_message_complete,
};

static void end_message(struct http *http, struct http_way *side, uint64_t at)
{
	observe_say(&http->base, side->way, OBSERVE_END, at, &side->event);
	if (side->way == OBSERVE_TO_SERVER) {
		http->upgrade_asked = side->parser.upgrade;
		return;
	}
	if (side->parser.upgrade) {
		observe_leave(&http->base, side->way, OBSERVE_UNKNOWN);
		return;
	}
	if (interim(side))
		return;
	http->oldest = (http->oldest + 1) % PENDING;
	http->waiting--;
	if (!http->waiting)
		http->upgrade_asked = false;
}

static enum observe_alone reason(llhttp_errno_t error)
{
	return error == HPE_PAUSED_H2_UPGRADE ? OBSERVE_UNKNOWN : OBSERVE_MALFORMED;
}

static void http_begin(struct observe *observe)
{
	struct http *http = (struct http *)observe;

	for (unsigned int way = 0; way < OBSERVE_WAYS; way++) {
		struct http_way *side = &http->side[way];

		side->http = http;
		side->way = (enum observe_way)way;
		llhttp_init(&side->parser, way == OBSERVE_TO_SERVER ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
		side->parser.data = side;
	}
}

static size_t http_take(struct observe *observe, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct http *http = (struct http *)observe;
	struct http_way *side = &http->side[way];
	llhttp_errno_t error;
	size_t taken = 0;

	if (!observe->at[way] && bytes[0] == TLS_HANDSHAKE) {
		observe_leave(observe, way, OBSERVE_ENCRYPTED);
		return length;
	}
	if (way == OBSERVE_TO_SERVER && http->upgrade_asked) {
		observe_leave(observe, way, OBSERVE_EARLY);
		return length;
	}
	do {
		error = llhttp_execute(&side->parser, (const char *)bytes + taken, length - taken);
		if (error == HPE_OK || observe->alone)
			return length;
		taken = (size_t)((const uint8_t *)llhttp_get_error_pos(&side->parser) - bytes);
		if (error == HPE_PAUSED_UPGRADE) /* that the server did not accept */
			llhttp_resume_after_upgrade(&side->parser);
	} while (error == HPE_PAUSED_UPGRADE && taken < length);
	if (error == HPE_PAUSED) {
		llhttp_resume(&side->parser);
		end_message(http, side, observe->at[way] + taken);
	} else if (error != HPE_PAUSED_UPGRADE) {
		observe_leave(observe, way, reason(error));
	}
	return taken;
}

/* An answer may last until the server closes the connection. */
static void http_ended(struct observe *observe, enum observe_way way)
{
	struct http *http = (struct http *)observe;
	struct http_way *side = &http->side[way];

	if (way == OBSERVE_TO_CLIENT && llhttp_finish(&side->parser) == HPE_PAUSED)
		end_message(http, side, observe->at[way]);
}

const struct observer observe_http = {
	.size = sizeof(struct http),
	.begin = http_begin,
	.take = http_take,
	.ended = http_ended,
};
