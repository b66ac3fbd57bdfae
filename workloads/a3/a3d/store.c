/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NAME = 2 * TABLE_HASH, /* characters */
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

/* Find the table that was written longest ago. Returns how many there are. */
static unsigned int oldest_of(int folder, char oldest[NAME + 1])
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = again < 0 ? NULL : fdopendir(again);
	struct timespec least = { 0 };
	struct dirent *entry;
	unsigned int files = 0;
	struct stat about;

	if (!entries) {
		if (again >= 0)
			close(again);
		return 0;
	}
	while ((entry = readdir(entries))) {
		if (!is_table(entry->d_name) || fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!files++ || about.st_mtim.tv_sec < least.tv_sec ||
		    (about.st_mtim.tv_sec == least.tv_sec && about.st_mtim.tv_nsec < least.tv_nsec)) {
			least = about.st_mtim;
			memcpy(oldest, entry->d_name, NAME + 1);
		}
	}
	closedir(entries);
	return files;
}

/* Keep no more files than there may be, with another one. */
static void make_room(int folder, const char *name)
{
	char oldest[NAME + 1];

	if (!faccessat(folder, name, F_OK, 0))
		return;
	while (oldest_of(folder, oldest) >= STORE_FILES && !unlinkat(folder, oldest, 0))
		;
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
	if (written)
		written = !renameat(folder, unfinished, folder, name);
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
	make_room(store->folder, file);
	store->errors += !write_file(store->folder, file, bytes, length);
	free(bytes);
}

bool store_open(struct store *store, const char *folder)
{
	*store = (struct store){ .folder = -1 };
	if (mkdir(folder, S_IRWXU) && errno != EEXIST)
		return false;
	store->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
