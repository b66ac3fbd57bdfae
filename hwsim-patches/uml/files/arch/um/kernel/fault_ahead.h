/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __UM_FAULT_AHEAD_H
#define __UM_FAULT_AHEAD_H

struct vm_area_struct;

/**
 * fault_ahead() - provide the pages behind one that a program has written to
 * @vma: the area of the fault; its mm's lock is held
 * @address: where the program wrote, with a page by now
 *
 * Never fails: a page that cannot be had ahead of its use is left to a fault
 * of its own.
 */
void fault_ahead(struct vm_area_struct *vma, unsigned long address);

#endif
