/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"

enum {
	NAME = 2 * TABLE_HASH, /* characters; */
	DEVICE = 2 * AE_DEVICE, /* the first of them say whose it is */
	LISTED = 2 * STORE_FILES, /* that are looked at */
	HEAD = 8, /* bytes: what a file is, and the length of its first table */
	MOST = HEAD + AE_VERSIONS * TABLE_WRITTEN,
};

static const uint8_t magic[4] = { 'A', '3', 't', 1 };
static const char unfinished[] = "unfinished";

static void name_of(char name[NAME + 1], const uint8_t hash[TABLE_HASH])
{
	for (unsigned int i = 0; i < TABLE_HASH; i++)
		snprintf(name + 2 * i, 3, "%02x", hash[i]);
}

/* Read a file of at most so many bytes. 0: there is none, or it is longer. */
static size_t read_file(int folder, const char *name, uint8_t *bytes, size_t room)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	size_t length = 0;
	ssize_t got = 0;

	if (file < 0)
		return 0;
	while (length < room && (got = read(file, bytes + length, room - length)) > 0)
		length += (size_t)got;
	close(file);
	return got < 0 || length == room ? 0 : length;
}

static void load(void *context, const uint8_t name[TABLE_HASH], struct table *versions[AE_VERSIONS])
{
	const struct store *store = context;
	uint8_t *bytes = malloc(MOST + 1);
	size_t length, first;
	char file[NAME + 1];

	for (unsigned int i = 0; i < AE_VERSIONS; i++)
		table_clear(versions[i]);
	if (!bytes)
		return;
	name_of(file, name);
	length = read_file(store->folder, file, bytes, MOST + 1);
	if (length >= HEAD && !memcmp(bytes, magic, sizeof(magic))) {
		first = (size_t)bytes[4] << 24 | (size_t)bytes[5] << 16 | (size_t)bytes[6] << 8 | bytes[7];
		if (first <= length - HEAD && table_read(versions[0], bytes + HEAD, first))
			table_read(versions[1], bytes + HEAD + first, length - HEAD - first);
	}
	free(bytes);
}

/* Whether a file is a table of a pair. */
static bool is_table(const char *name)
{
	return strlen(name) == NAME && strspn(name, "0123456789abcdef") == NAME;
}

/* A table of a pair that is kept. */
struct kept {
	char name[NAME + 1];
	struct timespec at; /* when it was written */
};

/* Find tables, up to so many. */
static unsigned int list(int folder, struct kept *tables, unsigned int most)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;
	unsigned int found = 0;
	struct stat about;

	if (!entries) {
		if (again >= 0)
			close(again);
		return 0;
	}
	while (found < most && (entry = readdir(entries))) {
		if (!is_table(entry->d_name) || fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(about.st_mode))
			continue;
		memcpy(tables[found].name, entry->d_name, NAME + 1);
		tables[found++].at = about.st_mtim;
	}
	closedir(entries);
	return found;
}

/* How many of these tables are of the device of one of them. */
static unsigned int of_device(const struct kept *tables, unsigned int count, unsigned int of)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < count; i++)
		found += !memcmp(tables[i].name, tables[of].name, DEVICE);
	return found;
}

/* Which table is to be removed first; there is one. */
static unsigned int last_of(const struct kept *tables, unsigned int count)
{
	unsigned int last = 0, most = of_device(tables, count, 0);

	for (unsigned int i = 1; i < count; i++) {
		unsigned int here = of_device(tables, count, i);
		const struct timespec *a = &tables[i].at, *b = &tables[last].at;

		if (here < most ||
		    (here == most && (a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec >= b->tv_nsec))))
			continue;
		last = i;
		most = here;
	}
	return last;
}

/* Keep no more files than there may be, with another one. */
static void make_room(int folder, const char *name)
{
	struct kept *tables;
	unsigned int count, last;

	if (!faccessat(folder, name, F_OK, 0))
		return;
	tables = malloc(LISTED * sizeof(*tables));
	while (tables && (count = list(folder, tables, LISTED)) >= STORE_FILES) {
		last = last_of(tables, count);
		if (unlinkat(folder, tables[last].name, 0))
			break;
	}
	free(tables);
}

static bool write_file(int folder, const char *name, const uint8_t *bytes, size_t length)
{
	int file;
	bool written;

	unlinkat(folder, unfinished, 0);
	file = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (file < 0)
		return false;
	written = write(file, bytes, length) == (ssize_t)length;
	written &= !close(file);
	if (written) {
		make_room(folder, name); /* not before: a full disk would cost a table each time */
		written = !renameat(folder, unfinished, folder, name);
	}
	if (!written)
		unlinkat(folder, unfinished, 0);
	return written;
}

static void save(void *context, const uint8_t name[TABLE_HASH], struct table *const versions[AE_VERSIONS])
{
	struct store *store = context;
	uint8_t *bytes = malloc(MOST);
	size_t length = HEAD;
	char file[NAME + 1];

	if (!bytes) {
		store->errors++;
		return;
	}
	name_of(file, name);
	memcpy(bytes, magic, sizeof(magic));
	for (unsigned int i = 0; i < AE_VERSIONS; i++) {
		length += table_write(versions[i], bytes + length);
		for (unsigned int part = 0; !i && part < 4; part++)
			bytes[4 + part] = (uint8_t)((length - HEAD) >> (24 - 8 * part));
	}
	store->errors += !write_file(store->folder, file, bytes, length);
	free(bytes);
}

bool store_open(struct store *store, const char *folder)
{
	*store = (struct store){ .folder = private_folder(folder) };
	return store->folder >= 0;
}

void store_close(struct store *store)
{
	close(store->folder);
}

struct ae_store store_of(struct store *store)
{
	return (struct ae_store){ .load = load, .save = save, .context = store };
}
