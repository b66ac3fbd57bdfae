/* SPDX-License-Identifier: MIT */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Close a file, and let errno say why. */
static int refused(int file, int why)
{
	close(file);
	errno = why;
	return -1;
}

/* Whether it is this user's alone, and of this kind. */
static bool is_private(int file, mode_t kind)
{
	struct stat about;

	return !fstat(file, &about) && (about.st_mode & S_IFMT) == kind && about.st_uid == geteuid() &&
	       !(about.st_mode & (S_IRWXG | S_IRWXO));
}

int private_folder(const char *path)
{
	int folder;

	if (mkdir(path, S_IRWXU) && errno != EEXIST)
		return -1;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder >= 0 && !is_private(folder, S_IFDIR))
		return refused(folder, EPERM);
	return folder;
}

int private_key(const char *path, uint8_t key[PRIVATE_KEY])
{
	uint8_t bytes[PRIVATE_KEY_MOST + 1];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length;
	SHA2_CTX context;

	if (file < 0)
		return -1;
	if (!is_private(file, S_IFREG))
		return refused(file, EPERM);
	length = read(file, bytes, sizeof(bytes));
	if (length < PRIVATE_KEY_LEAST || length > PRIVATE_KEY_MOST)
		return refused(file, length < 0 ? errno : EINVAL);
	close(file);
	SHA256Init(&context);
	SHA256Update(&context, bytes, (size_t)length);
	SHA256Final(key, &context);
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}
