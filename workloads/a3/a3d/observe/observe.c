/* SPDX-License-Identifier: MIT */
#include "observer.h"

#include <string.h>

static const struct observer *const observers[OBSERVE_PROTOCOLS] = {
	[OBSERVE_SMTP] = &observe_smtp,
	[OBSERVE_SMB] = &observe_smb,
	[OBSERVE_HTTP] = &observe_http,
};

static const struct {
	const char *name;
	bool thin;
} labels[OBSERVE_LABELS] = {
	[OBSERVE_OTHER] = { "other", false },	  [OBSERVE_SMTP_1] = { "SMTP-1", true },
	[OBSERVE_SMTP_2] = { "SMTP-2", true },	  [OBSERVE_SMTP_3] = { "SMTP-3", true },
	[OBSERVE_SMTP_4] = { "SMTP-4", true },	  [OBSERVE_SMTP_5] = { "SMTP-5", true },
	[OBSERVE_SMTP_6] = { "SMTP-6", true },	  [OBSERVE_SMTP_7] = { "SMTP-7", true },
	[OBSERVE_SMTP_8] = { "SMTP-8", true },	  [OBSERVE_SMTP_9] = { "SMTP-9", false },
	[OBSERVE_SMTP_11] = { "SMTP-11", false }, [OBSERVE_SMTP_12] = { "SMTP-12", true },
	[OBSERVE_SMTP_13] = { "SMTP-13", true },  [OBSERVE_SMTP_14] = { "SMTP-14", true },
	[OBSERVE_CIFS_1] = { "CIFS-1", true },	  [OBSERVE_CIFS_2] = { "CIFS-2", true },
	[OBSERVE_CIFS_3] = { "CIFS-3", true },	  [OBSERVE_CIFS_4] = { "CIFS-4", true },
	[OBSERVE_CIFS_5] = { "CIFS-5", true },	  [OBSERVE_CIFS_6] = { "CIFS-6", true },
	[OBSERVE_CIFS_7] = { "CIFS-7", true },	  [OBSERVE_CIFS_8] = { "CIFS-8", true },
	[OBSERVE_CIFS_9] = { "CIFS-9", true },	  [OBSERVE_CIFS_10] = { "CIFS-10", true },
	[OBSERVE_CIFS_11] = { "CIFS-11", true },  [OBSERVE_CIFS_12] = { "CIFS-12", false },
	[OBSERVE_HTTP_3] = { "HTTP-3", true },	  [OBSERVE_HTTP_4] = { "HTTP-4", false },
	[OBSERVE_HTTP_5] = { "HTTP-5", true },	  [OBSERVE_HTTP_6] = { "HTTP-6", false },
};

static const char *const alones[OBSERVE_ALONES] = {
	[OBSERVE_NOT_ALONE] = "not alone",   [OBSERVE_ENCRYPTED] = "encrypted", [OBSERVE_SIGNED] = "signed",
	[OBSERVE_MALFORMED] = "malformed",   [OBSERVE_AMBIGUOUS] = "ambiguous", [OBSERVE_EARLY] = "early",
	[OBSERVE_UNKNOWN] = "unknown",	     [OBSERVE_LIMIT] = "limit",
};

bool observe_thin(enum observe_label label)
{
	return labels[label].thin;
}

const char *observe_label_name(enum observe_label label)
{
	return labels[label].name;
}

const char *observe_alone_name(enum observe_alone alone)
{
	return alones[alone];
}

size_t observe_size(enum observe_protocol protocol)
{
	return observers[protocol]->size;
}

void observe_begin(struct observe *observe, enum observe_protocol protocol, observe_handler handler, void *context)
{
	memset(observe, 0, observers[protocol]->size);
	observe->observer = observers[protocol];
	observe->handler = handler;
	observe->context = context;
	if (observe->observer->begin)
		observe->observer->begin(observe);
}

bool observe_bytes(struct observe *observe, enum observe_way way, const uint8_t *bytes, size_t length)
{
	if (length && observe->ended[way])
		observe_leave(observe, way, OBSERVE_MALFORMED);
	while (length && !observe->alone) {
		size_t taken = observe->observer->take(observe, way, bytes, length);

		observe->at[way] += taken;
		bytes += taken;
		length -= taken;
	}
	return !observe->alone;
}

bool observe_ended(struct observe *observe, enum observe_way way)
{
	if (!observe->alone && !observe->ended[way] && observe->observer->ended)
		observe->observer->ended(observe, way);
	observe->ended[way] = true;
	return !observe->alone;
}

void observe_say(struct observe *observe, enum observe_way way, enum observe_kind kind, uint64_t end,
		 struct observe_event *event)
{
	event->kind = kind;
	event->way = way;
	event->start = observe->start[way];
	event->end = end;
	observe->handler(observe->context, event);
	if (kind == OBSERVE_END)
		observe->start[way] = end;
}

void observe_say_whole(struct observe *observe, enum observe_way way, uint64_t end, struct observe_event *event)
{
	observe_say(observe, way, OBSERVE_BEGIN, end, event);
	observe_say(observe, way, OBSERVE_END, end, event);
}

void observe_leave(struct observe *observe, enum observe_way way, enum observe_alone why)
{
	struct observe_event event = { .alone = why };

	if (observe->alone)
		return;
	observe->alone = true;
	observe_say(observe, way, OBSERVE_ALONE, OBSERVE_NO_END, &event);
}
