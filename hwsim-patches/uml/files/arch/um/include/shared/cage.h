/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __UM_CAGE_H
#define __UM_CAGE_H

/**
 * os_enter_cage() - give up for good what this process may do on the host
 * @ruleset: file descriptor of a Landlock ruleset, or -1 where the host has none
 * @filter: file descriptor to read the instructions of a seccomp filter from
 *
 * Also gives up new privileges, capabilities but CAP_DAC_OVERRIDE, and core dumps.
 *
 * Return: 0 or a negative error number of the host.
 */
int os_enter_cage(int ruleset, int filter);

#endif
