/* SPDX-License-Identifier: MIT */
/*
 * Tables of AE in a folder: a file for each device and pair of users, named by a hash of them, readable by its owner only. A
 * file that is damaged, or that is not there, is as good as an empty table: the far end then does not have it, and another
 * one is used.
 */
#ifndef A3D_STORE_H
#define A3D_STORE_H

#include "ae.h"

enum {
	/*
	 * When another one is written, one of the device that has the most is removed: the one that was written longest
	 * ago. So no device pushes out tables of others that have fewer.
	 */
	STORE_FILES = 256,
};

struct store {
	int folder;
	uint64_t errors; /* tables that could not be written */
};

/* Open a folder, as private_folder() does. False: errno says why. */
bool store_open(struct store *store, const char *folder);
void store_close(struct store *store);

/* What AE calls; the store must stay where it is. */
struct ae_store store_of(struct store *store);

#endif
