/* SPDX-License-Identifier: MIT */
/* TP's files: what is open, how it may be used, and what has been read of it. */
#include "tp_parts.h"

#include <string.h>

enum {
	LEAST_BLOCK = 16 << 10, /* smaller reads are asked for several at a time */
};

struct tp_handle *tp_handle_of(struct tp *tp, const struct observe_smb_message *smb)
{
	for (size_t i = 0; i < TP_HANDLES; i++) {
		struct tp_handle *one = &tp->handle[i];

		if (one->used && one->open && !one->closing && smb->has_file && one->session == smb->session &&
		    one->tree == smb->tree && !memcmp(one->file, smb->file, sizeof(one->file)))
			return one;
	}
	return NULL;
}

void tp_forget_all(struct tp *tp)
{
	for (size_t i = 0; i < TP_HANDLES; i++)
		if (tp->handle[i].used)
			tp_forget(tp, &tp->handle[i]);
}

uint16_t tp_opens(struct tp *tp, struct tp_message *own, bool *asked)
{
	const struct tp_protocol *protocol = tp_protocol(&own->event.smb);
	struct tp_handle *handle = NULL;

	for (size_t i = 0; i < TP_HANDLES && !handle; i++)
		if (!tp->handle[i].used)
			handle = &tp->handle[i];
	if (!handle || !tp->settings.predict)
		return TP_NOBODY;
	*handle = (struct tp_handle){ .used = true, .session = own->event.smb.session, .tree = own->event.smb.tree };
	memcpy(handle->opened, own->head, sizeof(handle->opened));
	if (tp->state == TP_ACTS && !tp->settings.unguarded && protocol->askable(own)) {
		protocol->ask(own->head);
		tp->changed = *asked = true;
	}
	return tp_number_of(tp, handle);
}

void tp_opened(struct tp *tp, struct tp_message *own, const struct tp_request *request)
{
	const struct observe_smb_message *smb = &own->event.smb;
	const struct tp_protocol *protocol = tp_protocol(smb);
	struct tp_handle *handle = &tp->handle[request->handle];

	if (smb->status || !smb->has_file) {
		handle->used = false;
		return;
	}
	handle->open = true;
	handle->size = smb->size;
	memcpy(handle->file, smb->file, sizeof(handle->file));
	memcpy(handle->lease, smb->lease, sizeof(handle->lease));
	handle->leased = smb->lease_state;
	handle->guarded = protocol->guarded(tp, smb);
	if (request->asked) {
		handle->own = smb->oplock;
		handle->guarded = protocol->exclusive(smb->oplock);
		tp->counts.oplocks += handle->guarded;
		protocol->hide(own->head);
	}
	handle->guarded |= tp->settings.unguarded;
}

uint16_t tp_closes(struct tp *tp, const struct observe_smb_message *smb)
{
	struct tp_handle *handle = tp_handle_of(tp, smb);
	uint64_t emptied = tp->counts.emptied;

	if (!handle)
		return TP_NOBODY;
	tp_forget(tp, handle);
	tp->counts.emptied = emptied; /* not since it may be old */
	handle->closing = true;
	return tp_number_of(tp, handle);
}

/* The first read of a file: what is predicted from it. */
static void begin(struct tp_handle *handle, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;

	handle->begun = true;
	handle->stopped = smb->offset || !smb->length || smb->length > TP_BLOCK || !own->alone ||
			  own->event.end - own->event.start != own->kept || !tp_protocol(smb)->plain(own);
	if (handle->stopped)
		return;
	handle->block = smb->length;
	while (handle->block < LEAST_BLOCK)
		handle->block += smb->length;
	handle->next = smb->length;
	handle->process = smb->message & ~(uint64_t)UINT16_MAX;
	handle->asked_length = own->kept;
	memcpy(handle->asked, own->head, own->kept);
}

void tp_read_passes(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_handle *handle = tp_handle_of(tp, smb);

	if (!handle)
		return;
	if (!handle->begun)
		begin(handle, own);
	else if (smb->offset == handle->next && smb->length <= TP_BLOCK)
		handle->next += smb->length;
	else
		handle->stopped = true;
}

static bool is_of(const struct tp_handle *handle, const struct observe_smb_message *smb)
{
	if (!handle->used || !handle->open)
		return false;
	if (smb->breaks == OBSERVE_LEASE_BREAK)
		return handle->leased && !memcmp(handle->lease, smb->lease, sizeof(handle->lease));
	return !memcmp(handle->file, smb->file, smb->version == 1 ? 2 : sizeof(handle->file));
}

bool tp_broken(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	bool stays = false, known = false;

	for (size_t i = 0; i < TP_HANDLES; i++) {
		struct tp_handle *handle = &tp->handle[i];

		if (!is_of(handle, smb))
			continue;
		known = true;
		tp_forget(tp, handle);
		handle->guarded = false;
		stays |= handle->own != 0;
		handle->agree |= tp_protocol(smb)->exclusive(handle->own) && !handle->told && !handle->closing;
		handle->told = true;
	}
	for (size_t i = 0; i < tp->requests && !known; i++)
		if (tp->request[i].asked)
			tp_leave(tp, TP_EARLY, OBSERVE_NOT_ALONE);
	tp->counts.breaks += known;
	tp->breaking |= !stays;
	return stays;
}
