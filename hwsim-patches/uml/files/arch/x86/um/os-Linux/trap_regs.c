// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of a guest's program in the host's signal frame (stub-trap.h), and
 * in the order of ptrace, which the rest of UML keeps.
 */

#include <string.h>
#include <sys/ucontext.h>
#define __FRAME_OFFSETS
#include <asm/ptrace.h>
#include <sysdep/ptrace.h>
#include <sysdep/mcontext.h>
#include <stub-trap.h>

/*
 * Bytes of an XSAVE area that are not registers: the host kernel says there how much
 * more the frame holds (struct _fpx_sw_bytes), which is its business alone.
 */
#define SW_BYTES_START 464
#define SW_BYTES_END 512
#define SW_MAGIC 0x46505853U /* FP_XSTATE_MAGIC1 */

struct sw_bytes {
	unsigned int magic;
	unsigned int extended_size;
	unsigned long xfeatures;
	unsigned int xstate_size;
};

#define EFLAGS_TRAP 0x100UL

#define GP(X) gp[(X) / sizeof(unsigned long)]

/* The kernel's memcpy() is the one for processors that are slow at this. */
static void copy_words(void *to, const void *from, unsigned long bytes)
{
	unsigned long words = bytes / sizeof(unsigned long);

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
}

/* How much of the state is there, is in the pages, and fits a task's registers. */
static unsigned long fp_size(const void *fp, unsigned long fp_bytes)
{
	struct sw_bytes sw;
	unsigned long size = SW_BYTES_END;

	memcpy(&sw, (const char *)fp + SW_BYTES_START, sizeof(sw));
	if (sw.magic == SW_MAGIC && sw.xstate_size > size)
		size = sw.xstate_size;
	if (size > sizeof(((struct uml_pt_regs *)0)->fp))
		size = sizeof(((struct uml_pt_regs *)0)->fp);
	return size < fp_bytes ? size : fp_bytes;
}

unsigned long stub_trap_fp_address(const void *mcontext)
{
	const mcontext_t *mc = mcontext;

	return (unsigned long)mc->fpregs;
}

void stub_trap_get_regs(struct uml_pt_regs *regs, const void *mcontext,
			const void *fp, unsigned long fp_bytes)
{
	mcontext_t *mc = (mcontext_t *)mcontext;

	get_regs_from_mc(regs, mc);
	GET_FAULTINFO_FROM_MC(regs->faultinfo, mc);
	if (fp_bytes < SW_BYTES_END)
		return;
	copy_words(regs->fp, fp, fp_size(fp, fp_bytes));
	memset((char *)regs->fp + SW_BYTES_START, 0, SW_BYTES_END - SW_BYTES_START);
}

void stub_trap_put_regs(const struct uml_pt_regs *regs, void *mcontext,
			void *fp, unsigned long fp_bytes, int singlestep)
{
	const unsigned long *gp = regs->gp;
	mcontext_t *mc = mcontext;
	unsigned long size;

#define PUT(X) (mc->gregs[REG_##X] = GP(X))
	PUT(R8); PUT(R9); PUT(R10); PUT(R11);
	PUT(R12); PUT(R13); PUT(R14); PUT(R15);
	PUT(RDI); PUT(RSI); PUT(RBP); PUT(RBX);
	PUT(RDX); PUT(RAX); PUT(RCX); PUT(RSP);
	PUT(RIP);
#undef PUT
	/* A guest's program cannot have segments of its own: the frame's stay. */
	mc->gregs[REG_EFL] = GP(EFLAGS) & ~EFLAGS_TRAP;
	if (singlestep)
		mc->gregs[REG_EFL] |= EFLAGS_TRAP;

	if (fp_bytes < SW_BYTES_END)
		return;
	size = fp_size(fp, fp_bytes);
	copy_words(fp, regs->fp, SW_BYTES_START);
	copy_words((char *)fp + SW_BYTES_END, (const char *)regs->fp + SW_BYTES_END,
		   size - SW_BYTES_END);
}
