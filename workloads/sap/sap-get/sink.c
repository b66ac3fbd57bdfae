/* SPDX-License-Identifier: MIT */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether path is a device or a pipe, which cannot be written in any order. A directory fails later, like a file. */
static bool is_not_seekable(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool sink_open(struct sink *sink, const char *path, bool copied)
{
	if (path && strcmp(path, "-") == 0)
		path = NULL;
	*sink = (struct sink){ .path = path, .copied = copied || !path || is_not_seekable(path) };
	sink->fd = sink->copied ? memfd_create("sap-get", MFD_CLOEXEC) :
				  open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return sink->fd >= 0;
}

bool sink_write(struct sink *sink, uint64_t offset, const void *data, size_t length)
{
	const char *rest = data;
	ssize_t done;

	while (length) {
		done = pwrite(sink->fd, rest, length, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		rest += done;
		length -= (size_t)done;
		offset += (uint64_t)done;
	}
	if (offset > sink->size)
		sink->size = offset;
	return true;
}

static bool put(int fd, const char *data, size_t length)
{
	ssize_t done;

	while (length) {
		done = write(fd, data, length);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		data += done;
		length -= (size_t)done;
	}
	return true;
}

static bool copy(const struct sink *sink, int to, uint64_t length)
{
	char data[65536];
	uint64_t offset = 0;
	ssize_t got;

	while (offset < length) {
		got = pread(sink->fd, data, length - offset < sizeof(data) ? length - offset : sizeof(data),
			    (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || !put(to, data, (size_t)got))
			return false;
		offset += (uint64_t)got;
	}
	return true;
}

bool sink_finish(struct sink *sink, uint64_t length, const char *headers, size_t headers_length)
{
	int to = STDOUT_FILENO;
	bool ok;

	if (ftruncate(sink->fd, (off_t)length) != 0)
		return false;
	if (!sink->copied)
		return true;
	if (sink->path) {
		to = open(sink->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (to < 0)
			return false;
	}
	ok = put(to, headers, headers_length) && copy(sink, to, length);
	if (sink->path && close(to) != 0)
		ok = false;
	return ok;
}

void sink_close(struct sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	sink->fd = -1;
}
