// SPDX-License-Identifier: GPL-2.0
/*
 * Provide private memory ahead of its use
 *
 * A program's page fault takes a signal, two switches between processes of the
 * host and a system call of the host: several times what the fault itself
 * takes. Programs that start write to one page of their heap and their
 * libraries' data after the other. So a write behind a page that is there, or
 * to the first page of a mapping, provides the pages that follow, too, up to
 * the next multiple of 64 KiB, as the generic code does for reads of files
 * (fault_around_bytes). All of them reach the host in one system call.
 *
 * The price: for each run of pages that a program writes to, it is charged up
 * to 15 pages more. A program whose writes are far apart pays nothing.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>
#include <linux/userfaultfd_k.h>
#include "fault_ahead.h"

#define FAULT_AHEAD_BYTES SZ_64K

/* Is @address the first page of a mapping, or behind a page that is there? */
static bool in_a_run(struct vm_area_struct *vma, pmd_t *pmd, unsigned long address)
{
	if (address - vma->vm_start < PAGE_SIZE)
		return true;
	/* The page below the first one of a page table is in another, if any. */
	if (!pte_index(address))
		return false;
	return !pte_none(ptep_get(pte_offset_kernel(pmd, address - PAGE_SIZE)));
}

void fault_ahead(struct vm_area_struct *vma, unsigned long address)
{
	unsigned long end = min(ALIGN(address + 1, FAULT_AHEAD_BYTES), vma->vm_end);
	pmd_t *pmd = pmd_off(vma->vm_mm, address);

	mmap_assert_locked(vma->vm_mm);

	if (vma->vm_flags & VM_SHARED || userfaultfd_armed(vma) || !in_a_run(vma, pmd, address))
		return;

	/* One page table holds the whole window, since both are aligned. */
	BUILD_BUG_ON(PMD_SIZE % FAULT_AHEAD_BYTES);
	for (address = PAGE_ALIGN(address + 1); address < end; address += PAGE_SIZE) {
		if (!pte_none(ptep_get(pte_offset_kernel(pmd, address))))
			continue;
		/* Without FAULT_FLAG_ALLOW_RETRY the lock stays held. */
		if (handle_mm_fault(vma, address, FAULT_FLAG_WRITE, NULL) & VM_FAULT_ERROR)
			return;
	}
}
