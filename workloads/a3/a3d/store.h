/* SPDX-License-Identifier: MIT */
/*
 * Tables of AE in a folder: a file for each pair of users, named by a hash of both, readable by its owner only. A file that
 * is damaged, or that is not there, is as good as an empty table: the far end then does not have it, and another one is used.
 */
#ifndef A3D_STORE_H
#define A3D_STORE_H

#include "ae.h"

enum {
	STORE_FILES = 256, /* when another one is written, the one that was written longest ago is removed */
};

struct store {
	int folder;
	uint64_t errors; /* tables that could not be written */
};

/* Open a folder, and make it first if it is not there; its parent must be. False: errno says why. */
bool store_open(struct store *store, const char *folder);
void store_close(struct store *store);

/* What AE calls; the store must stay where it is. */
struct ae_store store_of(struct store *store);

#endif
