// SPDX-License-Identifier: GPL-2.0
/* The host's side of hostrom_kern.c */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "hostrom.h"

const void *hostrom_map(const char *path, long long *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0)
		at = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED, fd, 0);
	*size = at == MAP_FAILED ? -errno : status.st_size;
	if (fd >= 0)
		close(fd);
	return at == MAP_FAILED ? NULL : at;
}
