/* SPDX-License-Identifier: MIT */
/*
 * A folder on a disk that loses what was not synced. Calls for files are counted (the linker leads them here, --wrap); the
 * program dies before or in the middle of one, or the power fails, or the disk does not take what is written.
 *
 * A dead program goes on to run, but nothing that it does has an effect any more.
 */
#ifndef TEST_DISK_H
#define TEST_DISK_H

#include <stdbool.h>
#include <stdint.h>

extern bool disk_dead;
extern uint64_t disk_calls; /* that change something */
extern uint64_t disk_dies_at; /* the number of the call at which the program dies; UINT64_MAX: never */
extern bool disk_fails; /* every sync fails */
extern bool disk_fails_folder; /* every sync of the folder does */
extern bool disk_full; /* nothing is written */
extern bool disk_copies; /* what is there is not written over: that takes room, and there is none */
extern bool disk_lies; /* of what is read, the last bit is wrong */

/* Begin to look after a folder, with random numbers from a function that returns 0 to 999. */
void disk_begin(int folder, unsigned int (*chance)(void));

/* The program is dead. If the power has failed as well, what was not synced is lost, or torn, or there. */
void disk_crash(bool power);

#endif
