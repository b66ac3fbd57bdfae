/* SPDX-License-Identifier: MIT */
#include "ae.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	HEAD = 20, /* bytes between TCP's header and DEFLATE */
	AT_LENGTH = 2,
	AT_MARK = 4,
	AT_CHECK = 12,
	BLOCK = 64, /* bytes of SHA-256 */

	LEVEL = 9,
	MEMORY_LEVEL = 9,

	OPTION_MEETS = 1, /* the first byte of an option's value: here is a3d, which can decode */
	OPTION_TABLES = 2, /* here are marks of tables */
	OPTION_SIGNED = 1 + AE_SIGNATURE, /* bytes of the first one */

	EMPTY = AE_VERSIONS, /* the version of a table that nobody has to keep */
};

/* What is signed begins with one of them. */
enum purpose {
	SIGNS_SYN,
	SIGNS_SYN_ACK,
	SIGNS_SEGMENT,
	SIGNS_TABLE,
	SIGNS_DEVICE,
	SIGNS_PAIR,
};

static const uint8_t magic[AT_LENGTH] = { 0xa3, 0x01 };

/* A mail of a known pair. */
struct ae_mail {
	struct ae_mail **owner; /* where it is kept */
	uint8_t device[AE_ADDRESS];
	uint64_t heard; /* the clock, when something was heard of it */
	uint8_t name[TABLE_HASH];
	struct table versions[AE_VERSIONS + 1];
	uint8_t mark[AE_VERSIONS + 1][AE_MARK];
	unsigned int base; /* the version that was used; its words are added to this one */
	bool chosen;
	struct table words;
	struct table_text text;
	unsigned int dictionary_of; /* a version */
	size_t dictionary_length;
	uint8_t dictionary[TABLE_DICTIONARY];
};

struct ae_streams {
	z_stream deflate, inflate;
};

void ae_begin(struct ae *ae, const struct ae_settings *settings)
{
	*ae = (struct ae){ .settings = *settings };
	if (!settings->on)
		return;
	ae->streams = calloc(1, sizeof(*ae->streams));
	if (!ae->streams)
		return;
	if (deflateInit2(&ae->streams->deflate, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK) {
		if (inflateInit2(&ae->streams->inflate, -MAX_WBITS) == Z_OK)
			return;
		deflateEnd(&ae->streams->deflate);
	}
	free(ae->streams);
	ae->streams = NULL;
}

void ae_end(struct ae *ae)
{
	if (!ae->streams)
		return;
	deflateEnd(&ae->streams->deflate);
	inflateEnd(&ae->streams->inflate);
	free(ae->streams);
	ae->streams = NULL;
}

/* Begin a block with the key in it (RFC 2104). */
static void begin_block(const struct ae *ae, SHA2_CTX *context, uint8_t with)
{
	uint8_t block[BLOCK];

	memset(block, with, sizeof(block));
	for (unsigned int i = 0; i < AE_KEY; i++)
		block[i] ^= ae->settings.key[i];
	SHA256Init(context);
	SHA256Update(context, block, sizeof(block));
}

/* A signature, of what SHA256Update() is then given. */
static void begin_signature(const struct ae *ae, SHA2_CTX *context, enum purpose purpose)
{
	const uint8_t first = (uint8_t)purpose;

	begin_block(ae, context, 0x36);
	SHA256Update(context, &first, 1);
}

static void end_signature(const struct ae *ae, SHA2_CTX *context, uint8_t *signature, size_t bytes)
{
	uint8_t hash[TABLE_HASH];

	SHA256Final(hash, context);
	begin_block(ae, context, 0x5c);
	SHA256Update(context, hash, sizeof(hash));
	SHA256Final(hash, context);
	memcpy(signature, hash, bytes);
}

static void sign(const struct ae *ae, enum purpose purpose, const uint8_t *bytes, size_t length, uint8_t *signature,
		 size_t signature_bytes)
{
	SHA2_CTX context;

	begin_signature(ae, &context, purpose);
	SHA256Update(&context, bytes, length);
	end_signature(ae, &context, signature, signature_bytes);
}

/* The value of an option in a SYN or SYN-ACK. */
static void make_meeting(const struct ae *ae, const struct segment *segment, uint8_t value[OPTION_SIGNED])
{
	const struct segment_end *const ends[] = { &segment->from, &segment->to };
	uint8_t numbers[12], *at = numbers;
	SHA2_CTX context;

	begin_signature(ae, &context, segment->flags & SEGMENT_ACK ? SIGNS_SYN_ACK : SIGNS_SYN);
	for (unsigned int i = 0; i < 2; i++) {
		SHA256Update(&context, ends[i]->address, sizeof(ends[i]->address));
		*at++ = (uint8_t)(ends[i]->port >> 8);
		*at++ = (uint8_t)ends[i]->port;
	}
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(segment->seq >> shift);
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(segment->ack >> shift);
	SHA256Update(&context, numbers, sizeof(numbers));
	value[0] = OPTION_MEETS;
	end_signature(ae, &context, value + 1, AE_SIGNATURE);
}

/* Whether two signatures are equal; how long that takes says nothing. */
static bool equal(const uint8_t *one, const uint8_t *other)
{
	uint8_t different = 0;

	for (unsigned int i = 0; i < AE_SIGNATURE; i++)
		different |= one[i] ^ other[i];
	return !different;
}

/* A mail is kept somewhere else. */
static void move_mail(struct ae_mail **to, struct ae_mail **from)
{
	*to = *from;
	*from = NULL;
	if (*to)
		(*to)->owner = to;
}

static void drop_mail(struct ae *ae, struct ae_mail **mail)
{
	if (!*mail)
		return;
	for (unsigned int i = 0; i < ae->mails; i++)
		if (ae->mail[i] == *mail) {
			ae->mail[i] = ae->mail[--ae->mails];
			break;
		}
	free(*mail);
	*mail = NULL;
}

/* Make room for a mail of this device: stop following the one idle longest, of this device if it has its limit. */
static void make_room(struct ae *ae, const uint8_t device[AE_ADDRESS])
{
	struct ae_mail *oldest = NULL, *own = NULL;
	unsigned int owns = 0;

	for (unsigned int i = 0; i < ae->mails; i++) {
		struct ae_mail *one = ae->mail[i];
		bool is_own = !memcmp(one->device, device, AE_NEIGHBOURS);

		owns += is_own;
		if (!oldest || one->heard < oldest->heard)
			oldest = one;
		if (is_own && (!own || one->heard < own->heard))
			own = one;
	}
	if (owns == AE_DEVICE_MAILS)
		oldest = own;
	else if (ae->mails < AE_MAILS)
		return;
	ae->counts.no_room++;
	drop_mail(ae, oldest->owner);
}

void ae_open(struct ae_memory *memory, uint8_t version, const struct segment_end *device)
{
	memory->device[0] = version;
	memcpy(memory->device + 1, device->address, sizeof(device->address));
}

void ae_forget(struct ae *ae, struct ae_memory *memory)
{
	drop_mail(ae, &memory->mail);
	drop_mail(ae, &memory->ended);
}

/* The text of a mail of a pair may begin. */
static void begin_mail(struct ae *ae, struct ae_memory *memory)
{
	struct table *versions[AE_VERSIONS];
	uint8_t hash[TABLE_HASH];
	struct ae_mail *mail;

	drop_mail(ae, &memory->mail);
	if (!memory->has_pair)
		return;
	make_room(ae, memory->device);
	mail = calloc(1, sizeof(*mail));
	if (!mail) {
		ae->counts.no_room++;
		return;
	}
	ae->mail[ae->mails++] = mail;
	mail->owner = &memory->mail;
	mail->heard = ++ae->clock;
	memcpy(mail->device, memory->device, sizeof(mail->device));
	memcpy(mail->name, memory->pair, sizeof(mail->name));
	for (unsigned int i = 0; i < AE_VERSIONS; i++)
		versions[i] = &mail->versions[i];
	if (!ae->settings.plain)
		ae->settings.store.load(ae->settings.store.context, mail->name, versions);
	for (unsigned int i = 0; i <= AE_VERSIONS; i++) {
		table_hash(&mail->versions[i], hash);
		sign(ae, SIGNS_TABLE, hash, sizeof(hash), mail->mark[i], AE_MARK);
	}
	mail->dictionary_of = EMPTY;
	memory->mail = mail;
}

/* A mail was accepted: its table is the one that was used, and its words. */
static void learn(struct ae *ae, struct ae_mail *mail)
{
	struct table *versions[AE_VERSIONS] = { &mail->words, &mail->versions[mail->base] };

	if (ae->settings.plain)
		return;
	table_add(&mail->words, &mail->versions[mail->base]);
	ae->settings.store.save(ae->settings.store.context, mail->name, versions);
	ae->counts.mails++;
}

void ae_bytes(struct ae *ae, struct ae_memory *memory, const uint8_t *bytes, size_t length)
{
	if (memory->mail)
		memory->mail->heard = ++ae->clock;
	memory->piece = bytes;
	memory->piece_start = memory->read = memory->at;
	memory->at += length;
}

/* Read the piece as text, up to a byte. */
static void read_text(struct ae_memory *memory, uint64_t end)
{
	if (memory->mail && memory->in_text && end > memory->read)
		table_read_text(&memory->mail->words, &memory->mail->text,
				memory->piece + (memory->read - memory->piece_start), (size_t)(end - memory->read));
	memory->read = end > memory->read ? end : memory->read;
}

void ae_bytes_end(struct ae_memory *memory)
{
	read_text(memory, memory->at);
	memory->piece = NULL;
}

/* A new mail is talked about. */
static void forget_mail(struct ae *ae, struct ae_memory *memory)
{
	memory->sender_length = 0;
	memory->recipients = 0;
	memory->has_pair = memory->offers = memory->shared = false;
	drop_mail(ae, &memory->mail);
}

static void on_sender(struct ae *ae, struct ae_memory *memory, const struct observe_event *event)
{
	forget_mail(ae, memory);
	if (!event->smtp.path || event->smtp.path_length > AE_PATH)
		return;
	memcpy(memory->sender, event->smtp.path, event->smtp.path_length);
	memory->sender_length = event->smtp.path_length;
	memory->sender_exchange = event->exchange;
}

static void on_recipient(const struct ae *ae, struct ae_memory *memory, const struct observe_event *event)
{
	static const uint8_t between;
	uint8_t *name = memory->recipient[memory->recipients].name;
	SHA2_CTX context;

	if (!memory->sender_length || memory->recipients == AE_RECIPIENTS)
		return;
	memory->recipient[memory->recipients].exchange = event->smtp.path ? event->exchange : 0;
	sign(ae, SIGNS_DEVICE, memory->device, AE_NEIGHBOURS, name, AE_DEVICE);
	begin_signature(ae, &context, SIGNS_PAIR);
	SHA256Update(&context, memory->device, sizeof(memory->device));
	SHA256Update(&context, memory->sender, memory->sender_length);
	SHA256Update(&context, &between, 1);
	if (event->smtp.path)
		SHA256Update(&context, event->smtp.path, event->smtp.path_length);
	end_signature(ae, &context, name + AE_DEVICE, TABLE_HASH - AE_DEVICE);
	memory->recipients++;
}

static void on_recipient_answer(struct ae_memory *memory, const struct observe_event *event)
{
	if (event->smtp.code / 100 != 2 || memory->has_pair || memory->sender_exchange)
		return;
	for (unsigned int i = 0; i < memory->recipients; i++)
		if (memory->recipient[i].exchange == event->exchange) {
			memcpy(memory->pair, memory->recipient[i].name, sizeof(memory->pair));
			memory->has_pair = true;
		}
}

/* The whole text of a mail has come. */
static void on_text_over(struct ae *ae, struct ae_memory *memory, uint32_t exchange)
{
	drop_mail(ae, &memory->ended);
	if (memory->shared)
		move_mail(&memory->ended, &memory->mail);
	memory->ended_exchange = exchange;
	if (memory->ended)
		table_end_text(&memory->ended->words, &memory->ended->text);
	forget_mail(ae, memory);
}

static void on_command(struct ae *ae, struct ae_memory *memory, const struct observe_event *event)
{
	switch (event->label) {
	case OBSERVE_SMTP_4:
		on_sender(ae, memory, event);
		break;
	case OBSERVE_SMTP_6:
		on_recipient(ae, memory, event);
		break;
	case OBSERVE_SMTP_9:
		read_text(memory, event->end);
		memory->in_text = false;
		break;
	case OBSERVE_SMTP_11:
		on_text_over(ae, memory, event->exchange);
		break;
	default:
		break;
	}
}

static void on_answer(struct ae *ae, struct ae_memory *memory, const struct observe_event *event)
{
	unsigned int first_digit = event->smtp.code / 100;

	switch (event->label) {
	case OBSERVE_SMTP_5:
		if (event->exchange != memory->sender_exchange)
			break;
		memory->sender_exchange = 0;
		if (first_digit != 2)
			forget_mail(ae, memory);
		break;
	case OBSERVE_SMTP_7:
		on_recipient_answer(memory, event);
		break;
	case OBSERVE_SMTP_8:
		if (first_digit == 3 && (memory->asked || memory->far))
			begin_mail(ae, memory);
		memory->offers = memory->asked && memory->mail && !memory->mute;
		memory->offered = 0;
		break;
	case OBSERVE_SMTP_12:
		if (memory->ended && event->exchange == memory->ended_exchange) {
			if (first_digit == 2)
				learn(ae, memory->ended);
			drop_mail(ae, &memory->ended);
		}
		break;
	default:
		break;
	}
}

void ae_event(struct ae *ae, struct ae_memory *memory, const struct observe_event *event)
{
	if (event->kind == OBSERVE_BEGIN && event->label == OBSERVE_SMTP_9) {
		memory->offers = false;
		memory->in_text = true;
		memory->text_start = event->start;
		memory->read = event->start > memory->read ? event->start : memory->read;
		if (event->end != OBSERVE_NO_END) /* a chunk: it has no end of a mail behind it */
			drop_mail(ae, &memory->mail);
	} else if (event->kind == OBSERVE_END && event->way == OBSERVE_TO_SERVER) {
		on_command(ae, memory, event);
	} else if (event->kind == OBSERVE_END) {
		on_answer(ae, memory, event);
	}
}

void ae_option(struct ae *ae, struct ae_memory *memory, const struct track_seen *seen, const struct segment *segment,
	       const uint8_t *option, size_t bytes)
{
	uint8_t right[OPTION_SIGNED];
	bool meets;

	if (!(segment->flags & SEGMENT_SYN)) {
		/* who knows no number that is new cannot say anything */
		if (memory->far && bytes == AE_OPTION && option[0] == OPTION_TABLES && seen->kind == TRACK_NEW) {
			memcpy(memory->marks, option + 1, sizeof(memory->marks));
			memory->shared = true;
		}
		return;
	}
	if (seen->kind != TRACK_NEW && seen->kind != TRACK_REPEATED)
		return; /* it has another number than the first one */
	make_meeting(ae, segment, right);
	meets = bytes == OPTION_SIGNED && option[0] == OPTION_MEETS && equal(option + 1, right + 1);
	if (!(segment->flags & SEGMENT_ACK)) {
		memory->asked = meets;
	} else {
		ae->counts.far_ends += meets && !memory->far;
		ae->counts.no_far_end += !meets && !memory->far;
		memory->far |= meets;
	}
}

/* Choose the newest table that the far end has as well. */
static void choose(struct ae *ae, struct ae_memory *memory)
{
	struct ae_mail *mail = memory->mail;
	bool found = false;

	for (mail->base = 0; mail->base < EMPTY; mail->base += !found) {
		for (unsigned int i = 0; i < AE_VERSIONS; i++)
			found |= !memcmp(mail->mark[mail->base], memory->marks[i], AE_MARK);
		if (found)
			break;
	}
	ae->counts.behind += memcmp(mail->mark[0], mail->mark[mail->base], AE_MARK) != 0;
	mail->chosen = true;
}

/* The words of a version. */
static void make_dictionary(struct ae_mail *mail, unsigned int version)
{
	if (mail->dictionary_of != version)
		mail->dictionary_length = table_dictionary(&mail->versions[version], mail->dictionary);
	mail->dictionary_of = version;
}

/* Compress into less room than there are bytes. 0: they do not become shorter. */
static size_t compressed(struct ae *ae, const struct ae_mail *mail, const uint8_t *bytes, size_t length, uint8_t *to)
{
	z_stream *stream = &ae->streams->deflate;

	if (length <= HEAD + 1 || deflateReset(stream) != Z_OK)
		return 0;
	if (mail->dictionary_length &&
	    deflateSetDictionary(stream, mail->dictionary, (uInt)mail->dictionary_length) != Z_OK)
		return 0;
	stream->next_in = (Bytef *)bytes;
	stream->avail_in = (uInt)length;
	stream->next_out = to;
	stream->avail_out = (uInt)(length - HEAD - 1);
	return deflate(stream, Z_FINISH) == Z_STREAM_END ? (size_t)stream->total_out : 0;
}

static size_t encode(struct ae *ae, struct ae_memory *memory, const struct segment *segment, uint8_t packet[AE_LONGEST])
{
	uint8_t whole[AE_LONGEST], *head = packet + segment->payload;
	uint32_t payload = segment_payload(segment);
	size_t length;

	if (!segment_sound(segment) || !segment_copy(segment, whole, sizeof(whole)))
		return 0;
	if (!memory->mail->chosen)
		choose(ae, memory);
	make_dictionary(memory->mail, memory->mail->base);
	length = compressed(ae, memory->mail, whole + segment->payload, payload, head + HEAD);
	if (!length) {
		ae->counts.incompressible++;
		return 0;
	}
	memcpy(packet, whole, segment->payload);
	memcpy(head, magic, sizeof(magic));
	head[AT_LENGTH] = (uint8_t)(payload >> 8);
	head[AT_LENGTH + 1] = (uint8_t)payload;
	memcpy(head + AT_MARK, memory->mail->mark[memory->mail->base], AE_MARK);
	sign(ae, SIGNS_SEGMENT, whole + segment->tcp, segment->length - segment->tcp, head + AT_CHECK, AE_SIGNATURE);
	length += segment->payload + HEAD;
	segment_set_ip(packet, segment->tcp, length, SEGMENT_EXPERIMENT);
	ae->counts.encoded++;
	ae->counts.bytes += segment->length;
	ae->counts.encoded_bytes += length;
	return length;
}

/* What the receiver has acknowledged, and how much of it in a row had to be repeated. */
static void acknowledged(struct ae *ae, struct ae_memory *memory, uint32_t acked)
{
	for (; memory->count && !segment_after(memory->outstanding[memory->first].end, acked); memory->count--) {
		memory->lost = memory->outstanding[memory->first].repeated ? memory->lost + 1 : 0;
		memory->first = (memory->first + 1) % AE_OUTSTANDING;
		if (memory->lost == AE_LOST && !memory->off) {
			memory->off = true;
			ae->counts.off++;
		}
	}
}

/* TCP repeats a segment. */
static void repeats(struct ae *ae, struct ae_memory *memory, const struct segment *segment)
{
	for (unsigned int i = 0; i < memory->count; i++) {
		unsigned int at = (memory->first + i) % AE_OUTSTANDING;

		if (segment_after(memory->outstanding[at].end, segment->seq) &&
		    !segment_after(memory->outstanding[at].end, segment_next(segment)) &&
		    !memory->outstanding[at].repeated) {
			memory->outstanding[at].repeated = true;
			ae->counts.repeated++;
		}
	}
}

/* Whether a segment is all new, in order, and only text of a mail whose far end has tables. */
static bool only_text(const struct ae_memory *memory, const struct track_seen *seen, const struct segment *segment,
		      uint32_t edge)
{
	uint64_t start = memory->at - segment_payload(segment); /* unless there was more behind a gap */

	return seen->kind == TRACK_NEW && segment->seq == edge && segment_payload(segment) &&
	       !(segment->flags & (SEGMENT_SYN | SEGMENT_FIN)) && segment->length <= AE_LONGEST && memory->mail &&
	       memory->in_text && memory->shared && start >= memory->text_start &&
	       segment_next(segment) == memory->edge;
}

size_t ae_to_server(struct ae *ae, struct ae_memory *memory, const struct track_seen *seen, const struct segment *segment,
		    uint8_t packet[AE_LONGEST])
{
	const struct track_flow *flow = &seen->connection->flow[TRACK_TO_SERVER];
	uint8_t meets[OPTION_SIGNED];
	uint32_t edge = memory->edge;
	size_t length;

	memory->edge = flow->next;
	acknowledged(ae, memory, flow->acked);
	if (segment->flags & SEGMENT_SYN) {
		if (memory->syns++ >= AE_SYNS)
			return 0;
		make_meeting(ae, segment, meets);
		length = segment_with_option(segment, meets, sizeof(meets), packet, AE_LONGEST);
		memory->asks |= length != 0;
		return length;
	}
	if (seen->kind == TRACK_REPEATED)
		repeats(ae, memory, segment);
	if (!ae->streams || !memory->far || memory->off || memory->count == AE_OUTSTANDING ||
	    !only_text(memory, seen, segment, edge))
		return 0;
	length = encode(ae, memory, segment, packet);
	if (length) {
		unsigned int at = (memory->first + memory->count++) % AE_OUTSTANDING;

		memory->outstanding[at].end = segment_next(segment);
		memory->outstanding[at].repeated = false;
	}
	return length;
}

size_t ae_to_client(struct ae *ae, struct ae_memory *memory, const struct segment *segment, uint8_t packet[AE_LONGEST])
{
	uint8_t option[AE_OPTION];
	size_t length;

	if (!ae->streams)
		return 0;
	if (segment->flags & SEGMENT_SYN) {
		make_meeting(ae, segment, option);
		return memory->asked ? segment_with_option(segment, option, OPTION_SIGNED, packet, AE_LONGEST) : 0;
	}
	if (!memory->offers || !memory->mail || !segment_payload(segment) || segment->length + SEGMENT_OPTION_HEAD + AE_OPTION > AE_SHORT)
		return 0;
	if (memory->offered == AE_OFFERS) { /* as it seems, it does not arrive */
		memory->offers = memory->shared = false;
		memory->mute = true;
		return 0;
	}
	option[0] = OPTION_TABLES;
	for (unsigned int i = 0; i < AE_VERSIONS; i++)
		memcpy(option + 1 + i * AE_MARK, memory->mail->mark[i], AE_MARK);
	length = segment_with_option(segment, option, sizeof(option), packet, AE_LONGEST);
	memory->shared |= length != 0;
	memory->offered += length != 0;
	return length;
}

bool ae_marked(const struct segment *segment)
{
	return segment->whole && segment_payload(segment) >= HEAD &&
	       !memcmp(segment->packet + segment->payload, magic, sizeof(magic));
}

/* Which table a packet was made with. False: it is not here. */
static bool find_version(const struct ae_mail *mail, const uint8_t mark[AE_MARK], unsigned int *version)
{
	for (*version = 0; *version <= EMPTY; ++*version)
		if (!memcmp(mail->mark[*version], mark, AE_MARK))
			return true;
	return false;
}

/* Restore the payload. False: it is not of this length. */
static bool restored(struct ae *ae, const struct ae_mail *mail, const uint8_t *bytes, size_t length, uint8_t *to,
		     size_t payload)
{
	z_stream *stream = &ae->streams->inflate;

	if (inflateReset(stream) != Z_OK)
		return false;
	if (mail->dictionary_length &&
	    inflateSetDictionary(stream, mail->dictionary, (uInt)mail->dictionary_length) != Z_OK)
		return false;
	stream->next_in = (Bytef *)bytes;
	stream->avail_in = (uInt)length;
	stream->next_out = to;
	stream->avail_out = (uInt)payload;
	return inflate(stream, Z_FINISH) == Z_STREAM_END && !stream->avail_in && !stream->avail_out;
}

static size_t decode(struct ae *ae, struct ae_mail *mail, const struct segment *segment, uint8_t packet[AE_LONGEST])
{
	const uint8_t *head = segment->packet + segment->payload;
	size_t payload = (size_t)head[AT_LENGTH] << 8 | head[AT_LENGTH + 1], length = segment->payload + payload;
	struct segment whole;
	unsigned int version;
	uint8_t check[AE_SIGNATURE];

	if (!payload || length > AE_LONGEST || !find_version(mail, head + AT_MARK, &version))
		return 0;
	make_dictionary(mail, version);
	memcpy(packet, segment->packet, segment->payload);
	if (!restored(ae, mail, head + HEAD, segment_payload(segment) - HEAD, packet + segment->payload, payload))
		return 0;
	sign(ae, SIGNS_SEGMENT, packet + segment->tcp, length - segment->tcp, check, sizeof(check));
	segment_set_ip(packet, segment->tcp, length, SEGMENT_TCP);
	if (!equal(check, head + AT_CHECK) || !segment_read(&whole, packet, length) || !segment_sound(&whole))
		return 0;
	mail->base = version;
	return length;
}

size_t ae_decode(struct ae *ae, struct ae_memory *memory, const struct segment *segment, uint8_t packet[AE_LONGEST])
{
	size_t length = 0;

	if (ae->streams && memory && memory->asked && memory->mail)
		length = decode(ae, memory->mail, segment, packet);
	if (length)
		memory->shared = true; /* it has heard which tables are here */
	ae->counts.decoded += length != 0;
	ae->counts.refused += !length;
	return length;
}
