/* SPDX-License-Identifier: MIT */
/* TP's blocks: asked for ahead, kept, and what the client's reads are answered with. */
#include "tp_parts.h"

#include <string.h>

enum {
	PIECE = 16 << 10, /* loaded from the store at a time */
};

#define SUM_FIRST UINT64_C(0xcbf29ce484222325)

enum coverage {
	NOT_COVERED,
	COMES,
	IS_THERE,
	IS_STALE, /* it is there, but may be old */
};

static void free_block(struct tp *tp, struct tp_block *block)
{
	if (block->state == TP_KEPT)
		tp->counts.wasted += block->length - block->used;
	*block = (struct tp_block){ 0 };
}

void tp_forget(struct tp *tp)
{
	for (size_t i = 0; i < TP_BLOCKS; i++)
		if (tp->block[i].state == TP_KEPT)
			free_block(tp, &tp->block[i]);
		else if (tp->block[i].state == TP_ASKED_FOR)
			tp->block[i].state = TP_DROPPED;
}

size_t tp_asked(const struct tp *tp)
{
	size_t found = tp->agreeing;

	for (size_t i = 0; i < TP_BLOCKS; i++)
		found += tp->block[i].state == TP_ASKED_FOR || tp->block[i].state == TP_DROPPED;
	return found;
}

void tp_reads_at(struct tp *tp, uint64_t offset, uint32_t length)
{
	struct tp_file *file = &tp->file;

	if (offset != file->at || offset > INT64_MAX) {
		file->ask = false;
		return;
	}
	file->at += length;
	if (file->next < file->at)
		file->next = file->at;
}

/* The block that a place in the file is in. */
static struct tp_block *block_at(const struct tp *tp, uint64_t at)
{
	for (size_t i = 0; i < TP_BLOCKS; i++) {
		const struct tp_block *one = &tp->block[i];

		if ((one->state == TP_KEPT || one->state == TP_ASKED_FOR) && at >= one->offset + one->used &&
		    at - one->offset < one->length)
			return (struct tp_block *)&tp->block[i];
	}
	return NULL;
}

/* Whether a read of the file is answered from here. *bytes: how long the answer is. */
static enum coverage covers(const struct tp *tp, const struct observe_smb_message *smb, const uint8_t *asked, uint32_t *bytes)
{
	uint64_t at = smb->offset, end = smb->offset + smb->length;
	enum coverage found = IS_THERE;

	if (!tp->file.serve)
		return NOT_COVERED;
	if (end > tp->file.size)
		end = tp->file.size;
	if (at >= end)
		return NOT_COVERED;
	while (at < end) {
		const struct tp_block *block = block_at(tp, at);

		if (!block)
			return NOT_COVERED;
		if (block->state == TP_ASKED_FOR)
			found = COMES;
		at = block->offset + block->length;
	}
	*bytes = (uint32_t)(end - smb->offset);
	if (*bytes < tp_protocol(smb)->least(asked))
		return NOT_COVERED;
	if (found == IS_THERE && tp_now_ns(tp) - tp->fresh_ns >= TP_FRESH_NS)
		return IS_STALE;
	return found;
}

bool tp_holds(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	enum coverage found;
	struct tp_read *read;
	uint32_t bytes;

	if (tp->state != TP_ACTS || tp->finished[OBSERVE_TO_CLIENT] || tp->file.state != TP_IS_OPEN || !tp_is_about(tp, smb) ||
	    !own->alone || own->event.end - own->event.start != own->kept || !tp_protocol(smb)->plain(own) || !smb->length ||
	    smb->length > TP_BLOCK || tp->reads == TP_READS || smb->offset > INT64_MAX)
		return false;
	found = covers(tp, smb, own->head, &bytes);
	tp->counts.stale += found == IS_STALE;
	if (found != COMES && found != IS_THERE)
		return false;
	tp_reads_at(tp, smb->offset, smb->length);
	read = &tp->read[tp->reads++];
	*read = (struct tp_read){ .length = own->kept, .smb = *smb };
	memcpy(read->asked, own->head, own->kept);
	return true;
}

struct tp_block *tp_block_of(struct tp *tp, uint64_t id)
{
	for (size_t i = 0; i < TP_BLOCKS; i++)
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
		tp->file.ask = false;
	block->state = TP_DROPPED;
}

/* FNV-1a: what a damaged disk returns has another one. */
static uint64_t sum_of(uint64_t sum, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	return sum;
}

void tp_block_begins(struct tp *tp, struct tp_block *block, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	size_t at = TP_PREFIX + smb->data;

	/* none is asked for beyond the end, and nobody shortens the file: so a shorter answer is not understood */
	if (smb->status || smb->length != block->length || at < tp_protocol(smb)->answered_least ||
	    at > sizeof(block->answered) || at > own->kept || at + smb->length > own->event.end - own->event.start) {
		drop(tp, block);
		return;
	}
	block->answered_length = at;
	memcpy(block->answered, own->head, at);
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
	block->sum = sum_of(block->came ? block->sum : SUM_FIRST, bytes, length);
	block->came += (uint32_t)length;
}

void tp_block_ends(struct tp *tp, struct tp_block *block)
{
	tp->coming = NULL;
	tp->counts.fetched += block->came;
	if (block->state == TP_ASKED_FOR) {
		block->state = TP_KEPT;
	} else {
		tp->counts.wasted += block->came;
		free_block(tp, block);
	}
}

/* Whether all of a block is what has come. */
static bool is_whole(struct tp *tp, struct tp_block *block)
{
	uint8_t piece[PIECE];
	uint64_t sum = SUM_FIRST;

	for (uint32_t at = 0; at < block->length; at += PIECE) {
		size_t length = block->length - at < PIECE ? block->length - at : PIECE;

		if (!tp->calls.load(tp->context, place(tp, block) + at, piece, length))
			return false;
		sum = sum_of(sum, piece, length);
	}
	return sum == block->sum;
}

/* Whether all that a read is answered with is what has come. What is not is forgotten, and nothing more asked for. */
static bool are_whole(struct tp *tp, uint64_t at, uint64_t end)
{
	while (at < end) {
		struct tp_block *block = block_at(tp, at);

		at = block->offset + block->length;
		if (is_whole(tp, block))
			continue;
		free_block(tp, block);
		tp->file.ask = false;
		return false;
	}
	return true;
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
	struct tp_block *block = block_at(tp, at);
	uint8_t answered[TP_ANSWERED];
	/* the credit that the read has cost was not spent at the server */
	uint16_t credits = read->smb.version == 2;

	tp->client_credits += credits;
	memcpy(answered, block->answered, block->answered_length);
	tp_protocol(&read->smb)->answer(answered, block->answered_length, read, bytes, credits);
	tp_out(tp, OBSERVE_TO_CLIENT, answered, block->answered_length);
	while (at < end && tp->state == TP_ACTS) {
		uint64_t to;

		block = block_at(tp, at);
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
	bool lacks = read->smb.version == 1 ? tp->requests + tp_asked(tp) >= tp->most : tp_credits(tp) < 1;

	if (lacks || tp->passing[OBSERVE_TO_SERVER] || tp_is_busy(tp) ||
	    !tp_asks(tp, &read->smb, TP_READ, read->asked + TP_PREFIX))
		return false;
	tp_out(tp, OBSERVE_TO_SERVER, read->asked, read->length);
	return true;
}

/* Whether it is out of the way. */
static bool answer_read(struct tp *tp, struct tp_read *read)
{
	uint32_t bytes = 0;

	switch (covers(tp, &read->smb, read->asked, &bytes)) {
	case IS_THERE:
		if (tp->passing[OBSERVE_TO_CLIENT] ||
		    tp->calls.room(tp->context, OBSERVE_TO_CLIENT) < bytes + sizeof(tp->block[0].answered))
			return false;
		if (!are_whole(tp, read->smb.offset, read->smb.offset + bytes))
			return pass_read(tp, read);
		serve(tp, read, bytes);
		return true;
	case IS_STALE:
		if (!pass_read(tp, read))
			return false;
		tp->counts.stale++;
		return true;
	case NOT_COVERED:
		return pass_read(tp, read);
	default:
		return false;
	}
}

bool tp_serves(struct tp *tp)
{
	bool any = false;

	for (size_t i = 0; i < tp->reads && tp->state == TP_ACTS;) {
		if (!answer_read(tp, &tp->read[i])) {
			i++;
			continue;
		}
		memmove(&tp->read[i], &tp->read[i + 1], (--tp->reads - i) * sizeof(*tp->read));
		any = true;
	}
	return any;
}

bool tp_owes(const struct tp *tp)
{
	uint32_t bytes;

	for (size_t i = 0; i < tp->reads; i++)
		if (covers(tp, &tp->read[i].smb, tp->read[i].asked, &bytes) == IS_THERE)
			return true;
	return false;
}

/* Free blocks that the client has read past. */
static void sweep(struct tp *tp)
{
	uint64_t needed = tp->reads ? tp->read[0].smb.offset : tp->file.at;

	for (size_t i = 0; i < TP_BLOCKS; i++)
		if (tp->block[i].state == TP_KEPT && tp->block[i].offset + tp->block[i].length <= needed)
			free_block(tp, &tp->block[i]);
}

/* How much may be under way: a break comes behind it. */
static uint64_t ahead(const struct tp *tp)
{
	uint64_t since_ns = tp_now_ns(tp) - tp->since_ns, recent = 0;

	if (since_ns < 2 * TP_RECENT_NS)
		recent = tp->came[0] + (since_ns < TP_RECENT_NS ? tp->came[1] : 0);
	return recent > tp->file.block ? recent : tp->file.block;
}

/* How much of the file is the next block. 0: there is none. */
static uint32_t next_length(const struct tp *tp)
{
	const struct tp_file *file = &tp->file;
	const uint64_t left = file->next < file->size ? file->size - file->next : 0;

	return left < file->block ? (uint32_t)left : file->block;
}

/* A place for another block. NULL: not now. */
static struct tp_block *place_for(struct tp *tp, uint32_t length)
{
	struct tp_block *found = NULL;
	uint64_t coming = 0;

	for (size_t i = 0; i < TP_BLOCKS; i++) {
		if (tp->block[i].state == TP_ASKED_FOR || tp->block[i].state == TP_DROPPED)
			coming += tp->block[i].length;
		if (!found && tp->block[i].state == TP_FREE)
			found = &tp->block[i];
	}
	return coming + length <= ahead(tp) ? found : NULL;
}

/* Whether there may be another request from here. */
static bool may_ask(struct tp *tp)
{
	const struct tp_message *own = &tp->message[OBSERVE_TO_SERVER];
	const size_t asked = tp_asked(tp), all = tp->requests + tp->reads + asked;

	if (tp->state != TP_ACTS || tp->file.state != TP_IS_OPEN || !tp->file.ask || !tp->file.begun || all >= TP_IN_FLIGHT ||
	    tp->passing[OBSERVE_TO_SERVER] || tp->finished[OBSERVE_TO_SERVER] || (own->said && !own->decided) || tp_is_busy(tp) ||
	    tp->calls.room(tp->context, OBSERVE_TO_SERVER) < TP_ASKED)
		return false;
	return tp_is_smb1(&tp->file) ? asked < tp->most / 2u && tp->requests + asked + 1 < tp->most : tp_credits(tp) > TP_SPARE + (int64_t)tp->reads;
}

static void ask_for(struct tp *tp, struct tp_block *block, uint32_t length)
{
	struct tp_file *file = &tp->file;
	const struct tp_protocol *protocol = tp_is_smb1(file) ? &tp_smb1 : &tp_smb2;
	uint8_t made[TP_ASKED];

	*block = (struct tp_block){ .state = TP_ASKED_FOR,
				    .id = tp_own_number(tp),
				    .asked_ns = tp_now_ns(tp),
				    .offset = file->next,
				    .length = length };
	file->next += length;
	tp->counts.predicted++;
	tp_out(tp, OBSERVE_TO_SERVER, made, protocol->predict(file, block->id, block->offset, length, made));
}

void tp_predicts(struct tp *tp)
{
	sweep(tp);
	while (may_ask(tp)) {
		const uint32_t length = next_length(tp);
		struct tp_block *block = length ? place_for(tp, length) : NULL;

		if (!block)
			return;
		if (!tp->calls.reserve(tp->context, place(tp, block), length)) {
			tp->file.ask = false;
			return;
		}
		ask_for(tp, block, length);
	}
}
