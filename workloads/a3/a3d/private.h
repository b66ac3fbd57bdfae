/* SPDX-License-Identifier: MIT */
/* Folders and files that nobody but this user can read or change. */
#ifndef A3D_PRIVATE_H
#define A3D_PRIVATE_H

#include <stdint.h>

enum {
	PRIVATE_KEY = 32, /* bytes */
	PRIVATE_KEY_LEAST = 16, /* of its file */
	PRIVATE_KEY_MOST = 4096,
};

/*
 * Open a folder, and make it first if it is not there; its parent must be. -1: errno says why; EPERM: it is another
 * user's, or others may use it. A link is no folder.
 */
int private_folder(const char *path);

/* Make a key of a file, which has a secret in it. 0, or -1 as above; EINVAL: it has too few bytes, or too many. */
int private_key(const char *path, uint8_t key[PRIVATE_KEY]);

#endif
