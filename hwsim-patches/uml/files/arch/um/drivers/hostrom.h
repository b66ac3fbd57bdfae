/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __UM_HOSTROM_H
#define __UM_HOSTROM_H

/**
 * hostrom_map() - map a file of the host for reading
 * @path: of the file
 * @size: receives its size in bytes
 *
 * Return: where it is, or NULL with a negative error number in @size.
 */
const void *hostrom_map(const char *path, long long *size);

#endif
