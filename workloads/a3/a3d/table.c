/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

/* Letters, digits, what is not ASCII, and what joins parts of a word or of an address. */
static bool in_word(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte >= 0x80 || byte == '\'' || byte == '-' || byte == '@' || byte == '_';
}

static uint64_t seed[TABLE_SEEDS];

void table_seed(const uint64_t seeds[TABLE_SEEDS])
{
	memcpy(seed, seeds, sizeof(seed));
}

/* Multilinear: of two different words, the first bits are equal only by chance. */
static uint32_t hashed(const uint8_t *bytes, size_t length)
{
	uint64_t hash = seed[TABLE_LONGEST] + seed[TABLE_LONGEST + 1] * length;

	for (size_t i = 0; i < length; i++)
		hash += seed[i] * bytes[i];
	return (uint32_t)(hash >> 32);
}

/* The slot of a word, or the one where it would be. */
static uint16_t *slot_of(struct table *table, const uint8_t *bytes, size_t length)
{
	uint32_t at = hashed(bytes, length) % TABLE_SLOTS;

	for (; table->slots[at]; at = (at + 1) % TABLE_SLOTS) {
		const struct table_word *word = &table->words[table->slots[at] - 1];

		if (word->length == length && !memcmp(word->bytes, bytes, length))
			break;
	}
	return &table->slots[at];
}

/* Count a word. A new one needs room for so many in all. */
static void count(struct table *table, const uint8_t *bytes, size_t length, uint32_t uses, unsigned int most)
{
	uint16_t *slot = slot_of(table, bytes, length);
	struct table_word *word;

	if (!*slot) {
		if (table->count == most)
			return;
		table->words[table->count] = (struct table_word){ .length = (uint8_t)length };
		memcpy(table->words[table->count].bytes, bytes, length);
		*slot = (uint16_t)++table->count;
	}
	word = &table->words[*slot - 1];
	word->uses = uses < UINT32_MAX - word->uses ? word->uses + uses : UINT32_MAX;
}

void table_clear(struct table *table)
{
	table->count = 0;
	memset(table->slots, 0, sizeof(table->slots));
}

void table_end_text(struct table *table, struct table_text *text)
{
	if (text->length >= TABLE_SHORTEST && text->length <= TABLE_LONGEST)
		count(table, text->word, text->length, 1, TABLE_WORDS);
	text->length = 0;
}

void table_read_text(struct table *table, struct table_text *text, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!in_word(bytes[i]))
			table_end_text(table, text);
		else if (text->length < TABLE_LONGEST)
			text->word[text->length++] = bytes[i];
		else
			text->length = TABLE_LONGEST + 1;
	}
}

/* What is used more comes first; of equal ones, by their bytes. Never 0 of different words. */
static int by_rank(const void *one, const void *other)
{
	const struct table_word *a = one, *b = other;
	int bytes;

	if (a->uses != b->uses)
		return a->uses > b->uses ? -1 : 1;
	bytes = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);
	return bytes ? bytes : a->length - b->length;
}

void table_add(struct table *table, const struct table *mail)
{
	for (unsigned int i = 0; i < mail->count && i < TABLE_WORDS; i++)
		count(table, mail->words[i].bytes, mail->words[i].length, mail->words[i].uses, 2 * TABLE_WORDS);
	qsort(table->words, table->count, sizeof(*table->words), by_rank);
	if (table->count > TABLE_WORDS)
		table->count = TABLE_WORDS;
	memset(table->slots, 0, sizeof(table->slots));
	for (unsigned int i = 0; i < table->count; i++)
		*slot_of(table, table->words[i].bytes, table->words[i].length) = (uint16_t)(i + 1);
}

static void put32(uint8_t *bytes, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

size_t table_write(const struct table *table, uint8_t *bytes)
{
	size_t at = 4;

	put32(bytes, table->count);
	for (unsigned int i = 0; i < table->count; i++) {
		const struct table_word *word = &table->words[i];

		put32(bytes + at, word->uses);
		bytes[at + 4] = word->length;
		memcpy(bytes + at + 5, word->bytes, word->length);
		at += 5u + word->length;
	}
	return at;
}

/* Read the next word. Returns its bytes; 0: it is not one. */
static size_t read_word(struct table *table, const uint8_t *bytes, size_t left)
{
	struct table_word *word = &table->words[table->count];
	uint16_t *slot;

	if (left < 5 || bytes[4] < TABLE_SHORTEST || bytes[4] > TABLE_LONGEST || left - 5 < bytes[4])
		return 0;
	*word = (struct table_word){ .uses = get32(bytes), .length = bytes[4] };
	memcpy(word->bytes, bytes + 5, word->length);
	slot = slot_of(table, word->bytes, word->length);
	if (!word->uses || *slot || (table->count && by_rank(word - 1, word) >= 0))
		return 0;
	*slot = (uint16_t)++table->count;
	return 5u + word->length;
}

bool table_read(struct table *table, const uint8_t *bytes, size_t length)
{
	uint32_t words;
	size_t at = 4;

	table_clear(table);
	words = length < 4 ? UINT32_MAX : get32(bytes);
	if (words > TABLE_WORDS)
		return false;
	while (table->count < words) {
		size_t taken = read_word(table, bytes + at, length - at);

		if (!taken) {
			table_clear(table);
			return false;
		}
		at += taken;
	}
	if (at != length)
		table_clear(table);
	return at == length;
}

void table_hash(const struct table *table, uint8_t hash[TABLE_HASH])
{
	uint8_t head[5];
	SHA2_CTX context;

	SHA256Init(&context);
	put32(head, table->count);
	SHA256Update(&context, head, 4);
	for (unsigned int i = 0; i < table->count; i++) {
		put32(head, table->words[i].uses);
		head[4] = table->words[i].length;
		SHA256Update(&context, head, sizeof(head));
		SHA256Update(&context, table->words[i].bytes, table->words[i].length);
	}
	SHA256Final(hash, &context);
}

size_t table_dictionary(const struct table *table, uint8_t bytes[TABLE_DICTIONARY])
{
	size_t at = TABLE_DICTIONARY;

	for (unsigned int i = 0; i < table->count && at > TABLE_LONGEST + 1; i++) {
		const struct table_word *word = &table->words[i];

		bytes[--at] = ' ';
		at -= word->length;
		memcpy(bytes + at, word->bytes, word->length);
	}
	memmove(bytes, bytes + at, TABLE_DICTIONARY - at);
	return TABLE_DICTIONARY - at;
}
