/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __UM_VDSO_CLOCK_H
#define __UM_VDSO_CLOCK_H

#include <vdso-clock.h>

struct page;
struct um_vvar;

/*
 * Once the kind of time is known, before the first program. Returns what programs
 * map below the vDSO, to read, or NULL.
 */
struct page *vdso_clock_init(void);

/* What is in it. */
const struct um_vvar *vdso_clock_vvar(void);

#endif
