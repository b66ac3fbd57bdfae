/* SPDX-License-Identifier: MIT */
/* TP's blocks: what comes of what was asked for ahead, and the client's reads that are answered from there. */
#include "tp_parts.h"

#include <string.h>

enum {
	PIECE = 16 << 10, /* loaded from the store at a time */
};

enum coverage {
	NOT_COVERED,
	COMES,
	IS_THERE,
};

static void free_block(struct tp *tp, struct tp_block *block)
{
	tp->counts.wasted += block->length - block->used;
	*block = (struct tp_block){ 0 };
}

/* Nothing of a file may be served any more. */
void tp_forget(struct tp *tp, struct tp_handle *handle)
{
	bool found = false;

	for (size_t i = 0; i < TP_BLOCKS; i++) {
		struct tp_block *block = &tp->block[i];

		if (block->state == TP_FREE || block->state == TP_DROPPED || block->handle != tp_number_of(tp, handle))
			continue;
		found = true;
		if (block->state == TP_KEPT)
			free_block(tp, block);
		else
			block->state = TP_DROPPED;
	}
	tp->counts.emptied += found;
	handle->begun = handle->stopped = true;
}

/* The block that a place in a file is in. */
static struct tp_block *block_at(const struct tp *tp, uint16_t handle, uint64_t at)
{
	for (size_t i = 0; i < TP_BLOCKS; i++) {
		const struct tp_block *one = &tp->block[i];
		uint32_t length = one->state == TP_KEPT ? one->length : one->wanted;

		if ((one->state == TP_KEPT || one->state == TP_ASKED_FOR) && one->handle == handle &&
		    at >= one->offset + one->used && at - one->offset < length)
			return (struct tp_block *)&tp->block[i];
	}
	return NULL;
}

/* Whether a read is answered from here. *bytes: how long the answer is. */
static enum coverage covers(const struct tp *tp, uint16_t number, const struct observe_smb_message *smb, const uint8_t *asked,
			    uint32_t *bytes)
{
	const struct tp_handle *handle = &tp->handle[number];
	uint64_t at = smb->offset, end = smb->offset + smb->length;
	enum coverage found = IS_THERE;

	while (at < end) {
		const struct tp_block *block = block_at(tp, number, at);

		if (!block && found == IS_THERE && at > smb->offset && handle->ends && at == handle->end)
			break;
		if (!block)
			return NOT_COVERED;
		if (block->state == TP_ASKED_FOR)
			found = COMES;
		at = block->offset + (block->state == TP_KEPT ? block->length : block->wanted);
	}
	*bytes = (uint32_t)((at < end ? at : end) - smb->offset);
	if (found == IS_THERE && *bytes < tp_protocol(smb)->least(asked))
		return NOT_COVERED;
	return found;
}

bool tp_holds(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_handle *handle = tp_handle_of(tp, smb);
	struct tp_read *read;
	uint32_t bytes;

	if (tp->state != TP_ACTS || !handle || !own->alone || own->event.end - own->event.start != own->kept ||
	    !tp_protocol(smb)->plain(own) || !smb->length || smb->length > TP_BLOCK || tp->reads == TP_READS ||
	    smb->offset > UINT64_MAX - TP_BLOCK || covers(tp, tp_number_of(tp, handle), smb, own->head, &bytes) == NOT_COVERED)
		return false;
	read = &tp->read[tp->reads++];
	*read = (struct tp_read){ .length = own->kept, .smb = *smb, .handle = tp_number_of(tp, handle) };
	memcpy(read->asked, own->head, own->kept);
	return true;
}

struct tp_block *tp_block_of(struct tp *tp, uint64_t id)
{
	for (size_t i = 0; i < TP_BLOCKS && tp->asked; i++)
		if ((tp->block[i].state == TP_ASKED_FOR || tp->block[i].state == TP_DROPPED) && tp->block[i].id == id)
			return &tp->block[i];
	return NULL;
}

static uint64_t place(const struct tp *tp, const struct tp_block *block)
{
	return (uint64_t)(block - tp->block) * TP_BLOCK;
}

/* A block is not to be served: it cannot be kept, or the server has refused it. */
static void drop(struct tp *tp, struct tp_block *block)
{
	if (block->state == TP_ASKED_FOR)
		tp->handle[block->handle].stopped = true;
	block->state = TP_DROPPED;
}

void tp_block_begins(struct tp *tp, struct tp_block *block, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	size_t at = TP_PREFIX + smb->data;

	if (smb->status || !smb->length || smb->length > block->wanted || at < tp_protocol(smb)->answered_least ||
	    at > sizeof(block->answered) || at > own->kept || at + smb->length > own->event.end - own->event.start) {
		drop(tp, block);
		return;
	}
	block->length = smb->length;
	block->answered_length = at;
	memcpy(block->answered, own->head, at);
	tp->counts.fetched += smb->length;
	tp_block_bytes(tp, block, own->head + at, own->kept - at);
}

void tp_block_bytes(struct tp *tp, struct tp_block *block, const uint8_t *bytes, size_t length)
{
	uint32_t left = block->length - block->came;

	if (length > left)
		length = left;
	if (block->state == TP_ASKED_FOR && length &&
	    !tp->calls.store(tp->context, place(tp, block) + block->came, bytes, length))
		drop(tp, block);
	block->came += (uint32_t)length;
}

void tp_block_ends(struct tp *tp, struct tp_block *block)
{
	struct tp_handle *handle = &tp->handle[block->handle];

	tp->coming = NULL;
	if (block->state == TP_DROPPED) {
		free_block(tp, block);
		return;
	}
	block->state = TP_KEPT;
	if (block->length < block->wanted) {
		handle->ends = handle->stopped = true;
		handle->end = block->offset + block->length;
	}
}

/* Credits to grant with an answer from here: what the request has cost, and what is left beyond what was granted. */
static uint16_t grant(struct tp *tp, const struct observe_smb_message *smb)
{
	int64_t more = (tp->credits - tp->client_credits) / 2;

	if (smb->version == 1)
		return 0;
	if (more > smb->credits - 1)
		more = smb->credits - 1;
	more = more < 0 ? 1 : more + 1;
	tp->client_credits += more;
	return (uint16_t)more;
}

static void send_piece(struct tp *tp, struct tp_block *block, uint64_t from, uint64_t to)
{
	uint8_t piece[PIECE];

	while (from < to && tp->state == TP_ACTS) {
		size_t length = to - from < PIECE ? (size_t)(to - from) : PIECE;

		if (!tp->calls.load(tp->context, place(tp, block) + (from - block->offset), piece, length)) {
			tp_leave(tp, TP_STORE, OBSERVE_NOT_ALONE);
			return;
		}
		tp_out(tp, OBSERVE_TO_CLIENT, piece, length);
		from += length;
	}
}

static void serve(struct tp *tp, const struct tp_read *read, uint32_t bytes)
{
	uint64_t at = read->smb.offset, end = at + bytes;
	struct tp_block *block = block_at(tp, read->handle, at);
	uint8_t answered[TP_ANSWERED];

	memcpy(answered, block->answered, block->answered_length);
	tp_protocol(&read->smb)->answer(answered, block->answered_length, read, bytes, grant(tp, &read->smb));
	tp_out(tp, OBSERVE_TO_CLIENT, answered, block->answered_length);
	while (at < end && tp->state == TP_ACTS) {
		uint64_t to;

		block = block_at(tp, read->handle, at);
		to = block->offset + block->length;
		if (to > end)
			to = end;
		send_piece(tp, block, at, to);
		tp->counts.wasted += at - block->offset - block->used;
		block->used = (uint32_t)(to - block->offset);
		if (block->used == block->length)
			free_block(tp, block);
		at = to;
	}
	tp->counts.answered++;
	tp->counts.served += bytes;
}

/* Pass a read on that has waited for nothing. False: it has to wait. */
static bool pass_read(struct tp *tp, struct tp_read *read)
{
	struct tp_handle *handle = &tp->handle[read->handle];

	if (tp->passing[OBSERVE_TO_SERVER] || (tp->settings.serialise && tp->outstanding) || !tp_fits(tp, &read->smb) ||
	    !tp_asks(tp, &read->smb, TP_READ, read->asked + TP_PREFIX))
		return false;
	handle->stopped = true;
	tp_out(tp, OBSERVE_TO_SERVER, read->asked, read->length);
	return true;
}

static bool answer_reads(struct tp *tp)
{
	bool any = false;

	for (size_t i = 0; i < tp->reads && tp->state == TP_ACTS;) {
		struct tp_read *read = &tp->read[i];
		enum coverage found;
		uint32_t bytes = 0;
		bool done = false;

		found = covers(tp, read->handle, &read->smb, read->asked, &bytes);
		if (found == IS_THERE && !tp->passing[OBSERVE_TO_CLIENT] &&
		    tp->calls.room(tp->context, OBSERVE_TO_CLIENT) >= bytes + sizeof(tp->block[0].answered)) {
			serve(tp, read, bytes);
			done = true;
		} else if (found == NOT_COVERED) {
			done = pass_read(tp, read);
		}
		if (!done) {
			i++;
			continue;
		}
		memmove(read, read + 1, (--tp->reads - i) * sizeof(*read));
		any = true;
	}
	return any;
}

bool tp_owes(const struct tp *tp)
{
	uint32_t bytes;

	for (size_t i = 0; i < tp->reads; i++)
		if (covers(tp, tp->read[i].handle, &tp->read[i].smb, tp->read[i].asked, &bytes) == IS_THERE)
			return true;
	return false;
}

bool tp_serves(struct tp *tp)
{
	bool any;

	if (tp->state != TP_ACTS)
		return false;
	any = tp_agrees(tp);
	return answer_reads(tp) || any;
}
