/* SPDX-License-Identifier: MIT */
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	FILES = 64,
	NAME = 96,
};

/* A file, by its number, with the bytes that are synced. */
struct file {
	ino_t number;
	int open;
	uint8_t *bytes;
	size_t length;
};

/* An entry of the folder. */
struct entry {
	char name[NAME];
	ino_t number;
};

struct listing {
	struct entry entries[FILES];
	unsigned int count;
};

bool disk_dead, disk_fails, disk_fails_folder, disk_full, disk_copies, disk_lies;
uint64_t disk_calls, disk_dies_at = UINT64_MAX;

static int the_folder = -1;
static unsigned int (*random_number)(void);
static struct file files[FILES];
static unsigned int file_count;
static struct listing synced;

int __real_openat(int folder, const char *name, int flags, ...);
ssize_t __real_pwritev(int file, const struct iovec *parts, int count, off_t at);
ssize_t __real_pread(int file, void *bytes, size_t length, off_t at);
ssize_t __real_pwrite(int file, const void *bytes, size_t length, off_t at);
int __real_ftruncate(int file, off_t length);
int __real_renameat(int from, const char *name, int to, const char *other);
int __real_unlinkat(int folder, const char *name, int flags);

int __wrap_openat(int folder, const char *name, int flags, ...);
ssize_t __wrap_pwritev(int file, const struct iovec *parts, int count, off_t at);
ssize_t __wrap_pread(int file, void *bytes, size_t length, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t at);
int __wrap_ftruncate(int file, off_t length);
int __wrap_renameat(int from, const char *name, int to, const char *other);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_fdatasync(int file);
int __wrap_fsync(int file);

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void must(bool right)
{
	if (!right) {
		perror("the disk of the test");
		exit(1);
	}
}

/* Whether a call has an effect. */
static bool lives(void)
{
	disk_dead |= disk_calls++ >= disk_dies_at;
	errno = EIO;
	return !disk_dead;
}

static struct listing list(void)
{
	int copy = dup(the_folder);
	DIR *folder = fdopendir(copy);
	const struct dirent *entry;
	struct listing found = { .count = 0 };

	must(folder);
	rewinddir(folder);
	while ((entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		must(found.count < FILES && strlen(entry->d_name) < NAME);
		snprintf(found.entries[found.count].name, NAME, "%.95s", entry->d_name);
		found.entries[found.count++].number = entry->d_ino;
	}
	closedir(folder);
	return found;
}

static struct file *file_of(ino_t number)
{
	for (unsigned int i = 0; i < file_count; i++)
		if (files[i].number == number)
			return &files[i];
	return NULL;
}

/* Keep a file open, so that its bytes can be read when it has no name any more. */
static void know(int file)
{
	struct stat about, other;
	unsigned int at = 0;

	must(!fstat(file, &about));
	if (file_of(about.st_ino))
		return;
	if (file_count == FILES) { /* one that has no name any more, and is not open */
		while (at < FILES && (fstat(files[at].open, &other) || other.st_nlink))
			at++;
		must(at < FILES);
		close(files[at].open);
		free(files[at].bytes);
		memmove(files + at, files + at + 1, (FILES - 1 - at) * sizeof(*files));
		file_count--;
	}
	files[file_count++] = (struct file){ .number = about.st_ino, .open = dup(file) };
}

static uint8_t *whole(int file, size_t *length)
{
	struct stat about;
	uint8_t *bytes;

	must(!fstat(file, &about));
	*length = (size_t)about.st_size;
	bytes = malloc(*length + 1);
	must(bytes && pread(file, bytes, *length, 0) == (ssize_t)*length);
	return bytes;
}

static void sync_file(int file)
{
	struct stat about;
	struct file *one;

	must(!fstat(file, &about));
	if (S_ISDIR(about.st_mode)) {
		synced = list();
		return;
	}
	one = file_of(about.st_ino);
	must(one);
	free(one->bytes);
	one->bytes = whole(file, &one->length);
}

int __wrap_openat(int folder, const char *name, int flags, ...)
{
	va_list more;
	mode_t mode = 0;
	int file;

	if (flags & O_CREAT) {
		va_start(more, flags);
		mode = va_arg(more, mode_t);
		va_end(more);
		if (!lives())
			return -1;
	} else if (disk_dead) {
		return -1;
	}
	file = __real_openat(folder, name, flags, mode);
	if (file >= 0 && the_folder >= 0)
		know(file);
	return file;
}

ssize_t __wrap_pwritev(int file, const struct iovec *parts, int count, off_t at)
{
	ssize_t done = -1;
	size_t left = 0;

	if (disk_full && !disk_dead) {
		errno = ENOSPC;
		return -1;
	}
	if (lives())
		return __real_pwritev(file, parts, count, at);
	if (disk_calls != disk_dies_at + 1)
		return -1;
	/* it is killed in the middle of it */
	for (int i = 0; i < count; i++)
		left += parts[i].iov_len;
	left = left * random_number() / 1000;
	for (int i = 0; i < count && left; i++) {
		size_t some = parts[i].iov_len < left ? parts[i].iov_len : left;

		done = __real_pwrite(file, parts[i].iov_base, some, at);
		at += (off_t)some;
		left -= some;
	}
	return done < 0 ? done : -1;
}

ssize_t __wrap_pread(int file, void *bytes, size_t length, off_t at)
{
	ssize_t got = __real_pread(file, bytes, length, at);

	if (disk_lies && got > 0)
		((uint8_t *)bytes)[got - 1] ^= 1;
	return got;
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t at)
{
	struct stat about;

	if (disk_copies && !disk_dead && !fstat(file, &about) && at < about.st_size) {
		errno = ENOSPC;
		return -1;
	}
	return lives() ? __real_pwrite(file, bytes, length, at) : -1;
}

int __wrap_ftruncate(int file, off_t length)
{
	return lives() ? __real_ftruncate(file, length) : -1;
}

int __wrap_renameat(int from, const char *name, int to, const char *other)
{
	return lives() ? __real_renameat(from, name, to, other) : -1;
}

int __wrap_unlinkat(int folder, const char *name, int flags)
{
	return lives() ? __real_unlinkat(folder, name, flags) : -1;
}

int __wrap_fdatasync(int file)
{
	if (!lives() || disk_fails)
		return -1;
	sync_file(file);
	return 0;
}

int __wrap_fsync(int file)
{
	struct stat about;

	if (disk_fails_folder && !fstat(file, &about) && S_ISDIR(about.st_mode)) {
		lives();
		errno = EIO;
		return -1;
	}
	return __wrap_fdatasync(file);
}

void disk_begin(int folder, unsigned int (*chance)(void))
{
	the_folder = folder;
	random_number = chance;
	synced = list();
}

/* What is on the disk of a file: what was synced, and of the rest some. */
static void write_back(const struct entry *entry)
{
	struct file *file = file_of(entry->number);
	size_t length, more, kept;
	uint8_t *bytes;
	int copy;

	if (!file)
		return;
	bytes = whole(file->open, &length);
	more = length > file->length ? length - file->length : 0;
	kept = file->length + more * random_number() / 1000;
	if (kept > length)
		kept = length;
	/* what was written over is there, or is not */
	for (size_t i = 0; i < file->length && i < kept; i += 512)
		if (random_number() < 500)
			memcpy(bytes + i, file->bytes + i, least(512, least(file->length, kept) - i));
	if (more && kept > file->length && random_number() < 300)
		bytes[kept - 1] ^= 0x55;
	copy = __real_openat(the_folder, entry->name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(copy >= 0 && __real_pwrite(copy, bytes, kept, 0) == (ssize_t)kept);
	know(copy);
	sync_file(copy);
	close(copy);
	free(bytes);
}

void disk_crash(bool power)
{
	struct listing now = list(), found = random_number() < 500 ? synced : now;

	disk_dead = false;
	disk_dies_at = UINT64_MAX;
	if (!power)
		return;
	for (unsigned int i = 0; i < now.count; i++)
		must(!__real_unlinkat(the_folder, now.entries[i].name, 0));
	for (unsigned int i = 0; i < found.count; i++)
		write_back(&found.entries[i]);
	synced = list();
}
