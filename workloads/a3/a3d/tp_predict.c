/* SPDX-License-Identifier: MIT */
/* TP's own requests: of blocks that will be read, and to agree to a break. */
#include "tp_parts.h"

enum {
	OWN_FIRST = 0xe000, /* SMB1: numbers of requests from here */
	OWN_LAST = 0xefff,
	MORE_CREDITS = 32, /* asked for at a time; servers grant no more */
	SPARE_CREDITS = 64, /* beyond those that the client thinks it has */
};

/* A number for a request from here. */
static uint64_t own_number(struct tp *tp, const struct tp_handle *handle)
{
	uint64_t id;
	bool taken;

	if (!tp_is_smb1(handle)) {
		tp->credits--;
		return tp->next++;
	}
	do {
		tp->multiplex = (uint16_t)(tp->multiplex < OWN_FIRST || tp->multiplex == OWN_LAST ? OWN_FIRST : tp->multiplex + 1);
		id = handle->process | tp->multiplex;
		taken = tp_block_of(tp, id);
		for (size_t i = 0; i < tp->requests; i++)
			taken |= tp->request[i].client == id;
	} while (taken);
	return id;
}

/* Agree to a break: nothing is left of the oplock. */
static bool agree(struct tp *tp, struct tp_handle *handle)
{
	const struct tp_protocol *protocol = tp_is_smb1(handle) ? &tp_smb1 : &tp_smb2;
	uint8_t made[TP_ASKED];
	uint64_t id;

	if (tp->passing[OBSERVE_TO_SERVER] || (!tp_is_smb1(handle) && tp->credits < 1))
		return false;
	tp->changed = true;
	handle->agree = false;
	id = own_number(tp, handle);
	if (protocol->agreed_is_answered) {
		tp->agreements[tp->agreements_sent++] = id;
		tp->outstanding++;
		tp->asked++;
	}
	tp_out(tp, OBSERVE_TO_SERVER, made, protocol->agree(handle, id, made));
	return true;
}

bool tp_agrees(struct tp *tp)
{
	bool any = false;

	for (size_t i = 0; i < TP_HANDLES && tp->agreements_sent < TP_HANDLES; i++)
		if (tp->handle[i].used && tp->handle[i].agree)
			any |= agree(tp, &tp->handle[i]);
	return any;
}

/* Whether there may be another request from here. */
static bool may_ask(struct tp *tp, const struct tp_handle *handle)
{
	if (tp->passing[OBSERVE_TO_SERVER] || tp->requests + tp->asked >= TP_IN_FLIGHT || (tp->settings.serialise && tp->outstanding) ||
	    tp->calls.room(tp->context, OBSERVE_TO_SERVER) < TP_ASKED)
		return false;
	if (tp_is_smb1(handle))
		return tp->outstanding < (tp->most < 4 ? 1u : tp->most / 2u);
	/* at least half of what the client thinks it has is left to it */
	return tp->credits > (tp->client_credits + 1) / 2;
}

static struct tp_block *place_for(struct tp *tp, uint32_t length)
{
	struct tp_block *found = NULL;
	uint64_t used = 0, coming = 0;

	for (size_t i = 0; i < TP_BLOCKS; i++) {
		used += tp->block[i].wanted;
		if (tp->block[i].state == TP_ASKED_FOR || tp->block[i].state == TP_DROPPED)
			coming += tp->block[i].wanted;
		if (!found && tp->block[i].state == TP_FREE)
			found = &tp->block[i];
	}
	return used + length <= tp->settings.quota && coming + length <= tp->settings.ahead ? found : NULL;
}

static void ask_for(struct tp *tp, struct tp_handle *handle, struct tp_block *block)
{
	const struct tp_protocol *protocol = tp_is_smb1(handle) ? &tp_smb1 : &tp_smb2;
	int64_t more = tp->client_credits + SPARE_CREDITS - tp->credits;
	uint8_t made[TP_ASKED];
	uint64_t id = own_number(tp, handle);

	more = more < 0 ? 0 : more > MORE_CREDITS ? MORE_CREDITS : more;
	tp->changed = true;
	*block = (struct tp_block){ .state = TP_ASKED_FOR,
				    .handle = tp_number_of(tp, handle),
				    .id = id,
				    .offset = handle->next,
				    .wanted = handle->block };
	handle->next += handle->block;
	tp->outstanding++;
	tp->asked++;
	tp->counts.predicted++;
	tp_out(tp, OBSERVE_TO_SERVER, made,
	       protocol->predict(handle, id, block->offset, block->wanted, (uint16_t)(more + 1), made));
}

void tp_predicts(struct tp *tp)
{
	for (size_t i = 0; i < TP_HANDLES; i++) {
		struct tp_handle *handle = &tp->handle[i];

		while (tp->state == TP_ACTS && handle->used && handle->open && !handle->closing && handle->guarded &&
		       handle->begun && !handle->stopped && handle->next < handle->size && may_ask(tp, handle)) {
			struct tp_block *block = place_for(tp, handle->block);

			if (!block)
				break;
			ask_for(tp, handle, block);
		}
	}
}
