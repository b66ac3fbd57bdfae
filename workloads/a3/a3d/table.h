/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of a pair of users: words, and how often the one has written them to the other.
 *
 * Both ends make the same table of the same mails: what it is depends on the mails and their order only. No sockets, no
 * files, no clock.
 */
#ifndef A3D_TABLE_H
#define A3D_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_WORDS = 4096, /* of a table; those that are used least are forgotten */
	TABLE_SHORTEST = 3, /* bytes of a word: DEFLATE copies no fewer */
	TABLE_LONGEST = 27,
	TABLE_SLOTS = 4 * TABLE_WORDS,
	TABLE_HASH = 32, /* bytes: SHA-256 */
	TABLE_SEEDS = TABLE_LONGEST + 2,
	TABLE_DICTIONARY = 32768 - 262, /* bytes that zlib can use */
	TABLE_WRITTEN = 4 + TABLE_WORDS * (4 + 1 + TABLE_LONGEST), /* bytes, at most */
};

struct table_word {
	uint32_t uses;
	uint8_t length;
	uint8_t bytes[TABLE_LONGEST];
};

struct table {
	unsigned int count;
	uint16_t slots[TABLE_SLOTS]; /* a hash table: numbers of words, counted from 1 */
	struct table_word words[2 * TABLE_WORDS]; /* more than are kept, while two tables become one */
};

/* A text that is cut into words. Begins as all zeros. */
struct table_text {
	uint8_t word[TABLE_LONGEST];
	size_t length; /* one more than the longest: it is too long */
};

/*
 * Random numbers, before anything else. Where a word lies depends on them, so nobody can choose words that all lie at one
 * place; what a table says does not.
 */
void table_seed(const uint64_t seeds[TABLE_SEEDS]);

void table_clear(struct table *table);

/* Count the words of a text, which may come in pieces, cut anywhere. */
void table_read_text(struct table *table, struct table_text *text, const uint8_t *bytes, size_t length);
void table_end_text(struct table *table, struct table_text *text);

/* Add the words of a mail. */
void table_add(struct table *table, const struct table *mail);

/* Write a table, and read it. False: that is not a table as table_write() writes it, or not one that table_add() made. */
size_t table_write(const struct table *table, uint8_t *bytes);
bool table_read(struct table *table, const uint8_t *bytes, size_t length);

/* What tells it from all other tables. */
void table_hash(const struct table *table, uint8_t hash[TABLE_HASH]);

/* What DEFLATE may copy from: the words, the one that is used most last, where it is cheapest. Returns its length. */
size_t table_dictionary(const struct table *table, uint8_t bytes[TABLE_DICTIONARY]);

#endif
