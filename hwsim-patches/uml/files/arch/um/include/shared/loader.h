/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __UM_LOADER_H
#define __UM_LOADER_H

/**
 * os_heap_is_apart() - whether the heap of the C library is far from this program
 *
 * Return: 0 if it begins less than 4 GiB behind the start of the program.
 */
int os_heap_is_apart(void);

/**
 * os_start_by_loader() - start this program once more, by its dynamic loader
 * @argv: its arguments, with a NULL at the end
 *
 * Return: only if it fails, with a negative error number of the host.
 */
int os_start_by_loader(char **argv);

#endif
